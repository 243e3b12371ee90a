#include "persona/store/thread_ledger.hpp"

#include <algorithm>
#include <string_view>

namespace persona {
namespace {

constexpr std::size_t kMostIds = 1024;  // kept in memory

constexpr const char* kFind = "SELECT id FROM threads WHERE owner = ?1 AND conversation = ?2 AND persona = ?3";
constexpr const char* kAdd = "INSERT INTO threads VALUES(NULL, ?1, ?2, ?3, 0, 0, ?4, ?4, 1) RETURNING id";
constexpr const char* kGrow =
    "UPDATE threads SET turns = turns + ?2, bytes = bytes + ?3, first = min(first, ?4), last = max(last, ?5) "
    "WHERE id = ?1";
// The times of what is left are looked up only where a row at the edge went.
constexpr const char* kShrink =
    "UPDATE threads SET turns = turns + ?2, bytes = bytes + ?3,"
    " first = CASE WHEN ?4 > first THEN first"
    "  ELSE coalesce((SELECT min(timestamp) FROM turns WHERE thread = ?1), first) END,"
    " last = CASE WHEN ?5 < last THEN last"
    "  ELSE coalesce((SELECT max(timestamp) FROM turns WHERE thread = ?1), last) END "
    "WHERE id = ?1";
constexpr const char* kDrop =
    "DELETE FROM threads WHERE id = ?1 AND turns = 0 AND NOT EXISTS(SELECT 1 FROM facts WHERE thread = ?1) RETURNING "
    "id";

}  // namespace

ThreadLedger::ThreadLedger(SqliteConnection& connection)
    : find_(connection, kFind),
      add_(connection, kAdd),
      grow_(connection, kGrow),
      shrink_(connection, kShrink),
      drop_(connection, kDrop),
      write_total_(connection, "UPDATE meta SET value = ?2 WHERE key = ?1") {
  committed_.threads = connection.number("SELECT value FROM meta WHERE key = 'threads'").value_or(0);
  committed_.turns = connection.number("SELECT value FROM meta WHERE key = 'turns'").value_or(0);
  committed_.newest = connection.number("SELECT value FROM meta WHERE key = 'newest'").value_or(0);
  now_ = written_ = committed_;
}

ThreadLedger::Lookup ThreadLedger::find(const ThreadKey& key) {
  if (const auto known = by_key_.find(key); known != by_key_.end()) {
    ids_.splice(ids_.begin(), ids_, known->second);
    return {Found::yes, known->second->second};
  }
  SqliteRun run(find_, key.where.owner, key.where.conversation, key.persona);
  switch (run.step()) {
    case SqliteRun::Step::row:
      remember(key, run.integer(0));
      return {Found::yes, run.integer(0)};
    case SqliteRun::Step::done:
      return {Found::no, 0};
    case SqliteRun::Step::failed:
      break;
  }
  return {};
}

ThreadLedger::Lookup ThreadLedger::find_or_add(const ThreadKey& key, double timestamp) {
  const Lookup known = find(key);
  if (known.found != Found::no) return known;
  SqliteRun run(add_, key.where.owner, key.where.conversation, key.persona, timestamp);
  if (run.step() != SqliteRun::Step::row) return {};
  const std::int64_t id = run.integer(0);
  if (!run.finish()) return {};
  ++now_.threads;
  remember(key, id);
  return {Found::yes, id};
}

void ThreadLedger::added(std::int64_t thread, std::uint64_t bytes, double timestamp) {
  Change& change = changes_[thread];
  change.turns += 1;
  change.bytes += static_cast<std::int64_t>(bytes);
  change.first = std::min(change.first, timestamp);
  change.last = std::max(change.last, timestamp);
  now_.turns += 1;
}

void ThreadLedger::removed(std::int64_t thread, std::uint64_t bytes, double timestamp) {
  Change& change = changes_[thread];
  change.turns -= 1;
  change.bytes -= static_cast<std::int64_t>(bytes);
  change.first_removed = std::min(change.first_removed, timestamp);
  change.last_removed = std::max(change.last_removed, timestamp);
  now_.turns -= 1;
}

void ThreadLedger::resized(std::int64_t thread, std::uint64_t from, std::uint64_t to) {
  changes_[thread].bytes += static_cast<std::int64_t>(to) - static_cast<std::int64_t>(from);
}

// As a removal of no row, from no edge.
void ThreadLedger::left(std::int64_t thread) {
  Change& change = changes_[thread];
  change.first_removed = std::min(change.first_removed, std::numeric_limits<double>::max());
  change.last_removed = std::max(change.last_removed, std::numeric_limits<double>::lowest());
}

void ThreadLedger::given_out(Number number) {
  now_.newest = std::max(now_.newest, static_cast<std::int64_t>(number));
}

bool ThreadLedger::write() {
  for (const auto& [thread, change] : changes_) {
    if (!write(thread, change)) return false;
  }
  changes_.clear();
  const auto total = [this](std::string_view key, std::int64_t value) {
    return SqliteRun(write_total_, key, value).finish();
  };
  if (now_.threads != written_.threads && !total("threads", now_.threads)) return false;
  if (now_.turns != written_.turns && !total("turns", now_.turns)) return false;
  if (now_.newest != written_.newest && !total("newest", now_.newest)) return false;
  written_ = now_;
  return true;
}

bool ThreadLedger::write(std::int64_t thread, const Change& change) {
  const bool shrinks = change.first_removed != kNever;
  if (!shrinks) return SqliteRun(grow_, thread, change.turns, change.bytes, change.first, change.last).finish();
  // Where rows were added too, the times kept so far do not know them: then all that is there is asked.
  const bool mixed = change.first != kNever;
  const double first_removed = mixed ? -kNever : change.first_removed;
  const double last_removed = mixed ? kNever : change.last_removed;
  return SqliteRun(shrink_, thread, change.turns, change.bytes, first_removed, last_removed).finish() &&
         drop_if_empty(thread);
}

bool ThreadLedger::drop_if_empty(std::int64_t thread) {
  SqliteRun run(drop_, thread);
  const auto first = run.step();
  if (first != SqliteRun::Step::row) return first == SqliteRun::Step::done;
  if (!run.finish()) return false;
  --now_.threads;
  forget_ids();
  return true;
}

void ThreadLedger::committed() {
  committed_ = now_;
}

void ThreadLedger::rolled_back() {
  changes_.clear();
  now_ = written_ = committed_;
  forget_ids();  // some may be of threads that the rolled-back transaction had added
}

void ThreadLedger::remember(const ThreadKey& key, std::int64_t id) {
  ids_.emplace_front(key, id);
  by_key_[key] = ids_.begin();
  if (ids_.size() <= kMostIds) return;
  by_key_.erase(ids_.back().first);
  ids_.pop_back();
}

void ThreadLedger::forget_ids() {
  by_key_.clear();
  ids_.clear();
}

}  // namespace persona
