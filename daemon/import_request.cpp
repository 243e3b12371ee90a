#include <nlohmann/json.hpp>
#include <utility>

#include "daemon/record_json.hpp"
#include "daemon/request_router.hpp"

// ovos.memory.import: records of an export, or of another program's memory, become rows, facts and summaries here.
namespace personad {
namespace {

using nlohmann::json;
using persona::StoreResult;

constexpr std::size_t kMostRecords = 1000;

/// The checked `records`; nothing, and the request is refused, when something is wrong with one of them.
std::optional<persona::Import> records_of(const Services& services, Request& request) {
  const auto given = request.data().find("records");
  if (given == request.data().end() || !given->is_array() || given->empty() || given->size() > kMostRecords) {
    request.refuse(Refusal::bad_request,
                   "records must be an array of 1 to " + std::to_string(kMostRecords) + " records");
    return std::nullopt;
  }
  persona::Import import;
  import.records.reserve(given->size());
  for (const json& record : *given) {
    auto read = read_record(record, "records[" + std::to_string(import.records.size()) + "]",
                            services.configuration.record.max_turn_bytes);
    if (const auto* bad = std::get_if<BadMessage>(&read)) {
      request.refuse(bad->too_large ? Refusal::too_large : Refusal::bad_request, bad->words);
      return std::nullopt;
    }
    import.records.push_back(std::get<persona::AnyRecord>(std::move(read)));
  }
  return import;
}

}  // namespace

void answer_import(Services& services, Asked asked) {
  FieldReader fields(asked.request->data());
  const auto on_conflict = fields.word("on_conflict", {"skip", "replace"});
  if (!fields.checked(*asked.request)) return;
  auto import = records_of(services, *asked.request);
  if (!import) return;
  if (on_conflict == "replace") import->on_conflict = persona::OnConflict::replace;
  services.conversations.import(
      std::move(*import), asked.request->arrival().at,
      [request = asked.request](StoreResult<persona::Imported> imported) {
        if (!imported) return request->refuse(imported.error());
        request->answer(
            {{"imported", imported->imported}, {"skipped", imported->skipped}, {"ids", std::move(imported->ids)}});
      });
}

}  // namespace personad
