#include "persona/store/store_reader.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace persona {
namespace {

template <class T>
bool was_read(const StoreResult<T>& result) {
  return result.has_value() || result.error() != make_error_code(StoreError::unavailable);
}

}  // namespace

bool StoreReader::read(Operation& operation) {
  if (auto* wanted = std::get_if<ReadTurns>(&operation)) {
    wanted->result = turns(*wanted);
    return was_read(wanted->result);
  }
  if (auto* wanted = std::get_if<ReadThreads>(&operation)) {
    wanted->result = tables_.threads(wanted->query);
    return was_read(wanted->result);
  }
  if (auto* wanted = std::get_if<ReadActive>(&operation)) {
    wanted->result = tables_.active(wanted->where);
    auto held = queue_.with_held([&](const HeldRows& rows) { return rows.active(wanted->where); });
    if (held) wanted->result = std::move(held);
    return was_read(wanted->result);
  }
  if (auto* work = std::get_if<TableWork>(&operation); work != nullptr && work->run) {
    const bool done = work->run(tables_);
    // This may be the second time, after a first one that succeeded.
    work->result = done ? StoreResult<void>() : StoreResult<void>(make_error_code(StoreError::unavailable));
    return done;
  }
  return true;
}

StoreResult<TurnPage> StoreReader::turns(const ReadTurns& wanted) {
  std::optional<StoreTables::Place> before;
  if (wanted.before) {
    const auto found = place(wanted.thread, *wanted.before);
    if (!found) return found.error();
    before = *found;
  }
  // One more than is wanted tells whether there is more.
  const std::size_t most = std::min<std::size_t>(wanted.limit, std::numeric_limits<std::int32_t>::max() - 1);
  auto stored = tables_.newest(wanted.thread, most + 1, before);
  if (!stored) return stored.error();
  TurnPage page;
  page.turns = std::move(*stored);
  queue_.with_held([&](const HeldRows& held) { held.add_to(page.turns, wanted.thread, before); });
  page.from_the_start = page.turns.size() <= most;
  if (!page.from_the_start) page.turns.erase(page.turns.begin(), page.turns.end() - static_cast<std::ptrdiff_t>(most));
  return page;
}

StoreResult<StoreTables::Place> StoreReader::place(const ThreadKey& thread, const std::string& id) {
  const auto held = queue_.with_held([&](const HeldRows& rows) { return rows.place_of(thread, id); });
  return held ? StoreResult<StoreTables::Place>(*held) : tables_.place_of(thread, id);
}

}  // namespace persona
