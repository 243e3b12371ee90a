#include "daemon/record_json.hpp"

#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "daemon/field_reader.hpp"
#include "persona/white_space.hpp"

namespace personad {
namespace {

using nlohmann::json;
using Read = std::variant<persona::AnyRecord, BadMessage>;

constexpr std::size_t kMaxSources = 10000;

/// An id that may be left out.
std::string read_id(FieldReader& fields, std::string_view field) {
  auto id = fields.text(field, kMaxIdBytes);
  if (!id) return {};
  return fields.required_text(field, kMaxIdBytes);
}

persona::ThreadKey read_thread(FieldReader& fields) {
  persona::ThreadKey thread;
  thread.where.owner = "local";
  if (fields.text("owner", kMaxNameBytes)) thread.where.owner = fields.required_text("owner", kMaxNameBytes);
  thread.where.conversation = fields.required_text("session_id", kMaxNameBytes);
  thread.persona = fields.required_text("persona_id", kMaxNameBytes);
  return thread;
}

std::optional<BadMessage> wrong(const FieldReader& fields, const std::string& where) {
  if (fields.ok()) return std::nullopt;
  return BadMessage{where + "." + fields.error(), fields.too_large()};
}

BadMessage no_time(const std::string& where) {
  return {where + ".timestamp is missing: it must be unix seconds or an RFC 3339 time"};
}

/// Ids of rows; nothing, and `bad` says why, when they are none.
std::optional<std::vector<std::string>> read_sources(const json& record, const std::string& where, BadMessage& bad) {
  std::vector<std::string> sources;
  const auto given = record.find("sources");
  if (given == record.end()) return sources;
  bad.words = where + ".sources must be an array of at most " + std::to_string(kMaxSources) + " ids";
  if (!given->is_array() || given->size() > kMaxSources) return std::nullopt;
  sources.reserve(given->size());
  for (const json& id : *given) {
    if (!id.is_string() || id.get_ref<const std::string&>().size() > kMaxIdBytes) return std::nullopt;
    sources.push_back(id.get<std::string>());
  }
  return sources;
}

Read read_turn(const json& record, const std::string& where, std::size_t max_bytes) {
  auto message = read_message(record, where, max_bytes);
  if (auto* bad = std::get_if<BadMessage>(&message)) return std::move(*bad);
  auto& said = std::get<persona::NewMessage>(message);
  FieldReader fields(record);
  persona::TurnRecord read{read_thread(fields), {}};
  persona::Turn& turn = read.turn;
  turn.id = read_id(fields, "id");
  turn.exchange_id = read_id(fields, "exchange");
  if (auto bad = wrong(fields, where)) return std::move(*bad);
  if (!said.timestamp) return no_time(where);
  turn.timestamp = *said.timestamp;
  turn.role = said.role;
  turn.content = std::move(said.content);
  turn.null_content = said.null_content;
  turn.name = std::move(said.name);
  turn.type = std::move(said.type);
  turn.lang = std::move(said.lang);
  turn.tool_calls = std::move(said.tool_calls);
  turn.tool_call_id = std::move(said.tool_call_id);
  turn.meta = std::move(said.meta);
  return persona::AnyRecord(std::move(read));
}

Read read_fact(const json& record, const std::string& where) {
  FieldReader fields(record);
  persona::FactRecord read;
  read.thread = read_thread(fields);
  read.fact.id = read_id(fields, "id");
  read.fact.text = persona::trimmed(fields.required_text("fact", kMaxFactBytes));
  read.fact.source = fields.word("source", {"asked", "learnt"}).value_or("");
  const auto created = fields.time("timestamp");
  if (auto bad = wrong(fields, where)) return std::move(*bad);
  if (!created) return no_time(where);
  read.fact.created = *created;
  BadMessage bad;
  auto sources = read_sources(record, where, bad);
  if (!sources) return bad;
  read.sources = std::move(*sources);
  return persona::AnyRecord(std::move(read));
}

Read read_summary(const json& record, const std::string& where, std::size_t max_bytes) {
  FieldReader fields(record);
  persona::SummaryRecord read;
  read.thread = read_thread(fields);
  read.text = fields.required_text("summary", max_bytes);
  read.upto = read_id(fields, "upto");
  read.looked = read_id(fields, "looked");
  (void)read_id(fields, "id");
  const auto created = fields.time("timestamp");
  if (auto bad = wrong(fields, where)) return std::move(*bad);
  if (!created) return no_time(where);
  read.created = *created;
  BadMessage bad;
  auto sources = read_sources(record, where, bad);
  if (!sources) return bad;
  read.sources = std::move(*sources);
  return persona::AnyRecord(std::move(read));
}

}  // namespace

Read read_record(const json& record, const std::string& where, std::size_t max_bytes) {
  if (!record.is_object()) return BadMessage{where + " must be an object"};
  FieldReader fields(record);
  const auto kind = fields.word("kind", {"turn", "fact", "summary"});
  if (auto bad = wrong(fields, where)) return std::move(*bad);
  if (!kind) return BadMessage{where + R"(.kind is missing: it must be one of "turn" "fact" "summary")"};
  if (*kind == "turn") return read_turn(record, where, max_bytes);
  if (*kind == "fact") return read_fact(record, where);
  return read_summary(record, where, max_bytes);
}

}  // namespace personad
