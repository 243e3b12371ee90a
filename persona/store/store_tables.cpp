#include "persona/store/store_tables.hpp"

#include <sqlite3.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <utility>

#include "persona/recall/indexed_text.hpp"
#include "persona/store/turn_row.hpp"

namespace persona {
namespace {

constexpr const char* kInsert =
    "INSERT INTO turns VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)";
// What the index, and the counters, have to know of a row that goes.
#define PERSONAD_GONE " RETURNING thread, timestamp, content, exchange, role, name, lang, place"
constexpr const char* kTake = "DELETE FROM turns WHERE number = ?1" PERSONAD_GONE;
constexpr const char* kErase = "DELETE FROM turns WHERE number = ?1 AND thread = ?2" PERSONAD_GONE;
#undef PERSONAD_GONE
constexpr const char* kPlace = "SELECT exchange, number FROM turns WHERE id = ?1 AND thread = ?2";
constexpr const char* kNewest =
    "SELECT " PERSONAD_TURN_COLUMNS " FROM turns WHERE thread = ?1 ORDER BY exchange DESC, number DESC LIMIT ?2";
constexpr const char* kBefore = "SELECT " PERSONAD_TURN_COLUMNS
                                " FROM turns WHERE thread = ?1 AND (exchange, number) < (?3, ?4)"
                                " ORDER BY exchange DESC, number DESC LIMIT ?2";
constexpr const char* kBetween = "SELECT " PERSONAD_TURN_COLUMNS
                                 " FROM turns WHERE thread = ?1 AND exchange > ?2 AND exchange < ?3"
                                 " ORDER BY exchange, number LIMIT ?4";
constexpr const char* kKey = "SELECT owner, persona FROM threads WHERE id = ?1";
constexpr const char* kThreads =
    "SELECT id, owner, conversation, persona, turns, bytes, first, last FROM threads"
    " WHERE id > ?1 AND last >= ?2 AND (?3 IS NULL OR owner = ?3) ORDER BY id LIMIT ?4";
constexpr const char* kPutActive = "INSERT OR REPLACE INTO active_personas VALUES(?1, ?2, ?3, ?4, ?5, ?6)";
constexpr const char* kActive =
    "SELECT persona, source, field_seen, since FROM active_personas WHERE owner = ?1 AND conversation = ?2";

// A cursor is the id of the last thread shown.
std::optional<std::int64_t> id_in(std::string_view cursor) {
  if (cursor.empty()) return 0;
  if (!cursor.starts_with("t")) return std::nullopt;
  cursor.remove_prefix(1);
  std::int64_t id = 0;
  const auto [end, error] = std::from_chars(cursor.data(), cursor.data() + cursor.size(), id, 16);
  if (error != std::errc() || end != cursor.data() + cursor.size() || id <= 0) return std::nullopt;
  return id;
}

std::string cursor_of(std::int64_t id) {
  char digits[16];
  const auto [end, error] = std::to_chars(std::begin(digits), std::end(digits), id, 16);
  return std::string("t").append(digits, end);
}

}  // namespace

StoreTables::StoreTables(SqliteConnection& connection)
    : connection_(connection),
      ledger_(connection),
      insert_(connection, kInsert),
      take_(connection, kTake),
      erase_(connection, kErase),
      place_(connection, kPlace),
      newest_(connection, kNewest),
      before_(connection, kBefore),
      threads_(connection, kThreads),
      put_active_(connection, kPutActive),
      active_(connection, kActive),
      between_(connection, kBetween),
      key_(connection, kKey),
      index_(connection),
      backlog_(connection, index_),
      vectors_(connection),
      notes_(connection, ledger_),
      characters_(connection, ledger_),
      search_(connection, ledger_, index_, vectors_),
      imports_(connection, ledger_, *this) {}

bool StoreTables::begin() {
  return connection_.execute("BEGIN IMMEDIATE");
}

bool StoreTables::commit() {
  if (!index_.write() || !ledger_.write() || !connection_.execute("COMMIT")) return false;
  ledger_.committed();
  return true;
}

void StoreTables::rollback() {
  // Some failures have ended the transaction already.
  if (sqlite3_get_autocommit(connection_.handle()) == 0) connection_.execute("ROLLBACK");
  index_.rolled_back();
  ledger_.rolled_back();
}

StoreTables::Written StoreTables::failure() const {
  switch (connection_.code() & 0xff) {
    case SQLITE_CONSTRAINT:
    case SQLITE_TOOBIG:
    case SQLITE_MISMATCH:
    case SQLITE_RANGE:
      return Written::refused;
    default:
      return Written::no;
  }
}

StoreTables::Written StoreTables::put(const Row& row) {
  const auto thread = ledger_.find_or_add(row.thread, row.turn->timestamp);
  if (thread.found != ThreadLedger::Found::yes) return failure();
  if (!backlog_.catch_up(thread.id)) return failure();
  Written written = insert(thread.id, row, std::nullopt);
  if (written == Written::yes) {
    ledger_.added(thread.id, row.turn->content.size(), row.turn->timestamp);
  } else if (written == Written::refused && connection_.code() == SQLITE_CONSTRAINT_PRIMARYKEY) {
    written = replace(thread.id, row);
  }
  if (written != Written::yes) return written;
  ledger_.given_out(std::max(row.turn->number, row.turn->exchange));
  return notes_.learn_later(thread.id, row.learn) ? Written::yes : failure();
}

// A row that replaces one of the same thread takes its place.
StoreTables::Written StoreTables::insert(std::int64_t thread, const Row& row, std::optional<std::uint32_t> place) {
  const Turn& turn = *row.turn;
  if (!is_indexed(turn)) {
    place.reset();
  } else if (!place) {
    place.emplace();
    if (!index_.next_place(thread, turn.timestamp, *place)) return failure();
  }
  const OrNull exchange_id{turn.exchange_id == turn.id ? std::string_view() : turn.exchange_id};
  const int role = static_cast<int>(turn.role);
  const OrNull name{turn.name}, type{turn.type}, lang{turn.lang}, meta{turn.meta};
  const OrNull calls{turn.tool_calls}, call_id{turn.tool_call_id};
  const auto run = [&](const auto& content, const auto& at) {
    return SqliteRun(insert_, turn.number, turn.id, thread, turn.exchange, exchange_id, turn.timestamp, role, content,
                     name, type, lang, calls, call_id, meta, at)
        .finish();
  };
  const auto run_at = [&](const auto& content) {
    return place ? run(content, static_cast<std::int64_t>(*place)) : run(content, OrNull{});
  };
  const bool stored = turn.null_content ? run_at(OrNull{}) : run_at(std::string_view(turn.content));
  if (!stored) return failure();
  if (!place) return Written::yes;
  return index_.add({thread, row.thread.where.owner, row.thread.persona}, *place, turn) ? Written::yes : failure();
}

StoreTables::Written StoreTables::replace(std::int64_t thread, const Row& row) {
  std::optional<Gone> old;
  if (!take_out(SqliteRun(take_, row.turn->number), old)) return failure();
  if (!old) return Written::no;
  const bool stays = old->thread == thread;
  const Written written = insert(thread, row, stays ? old->place : std::nullopt);
  if (written != Written::yes) return written;
  if (stays && old->timestamp == row.turn->timestamp) {
    ledger_.resized(thread, old->bytes, row.turn->content.size());
  } else {
    ledger_.removed(old->thread, old->bytes, old->timestamp);
    ledger_.added(thread, row.turn->content.size(), row.turn->timestamp);
  }
  return Written::yes;
}

// A row has gone: its words leave the index.
bool StoreTables::take_out(SqliteRun run, std::optional<Gone>& gone) {
  auto step = run.step();
  if (step != SqliteRun::Step::row) return step == SqliteRun::Step::done;
  Turn turn;
  turn.content = run.text(2);
  turn.role = static_cast<Role>(run.integer(4));
  turn.name = run.text(5);
  turn.lang = run.text(6);
  gone.emplace();
  gone->thread = run.integer(0);
  gone->timestamp = run.real(1);
  gone->bytes = turn.content.size();
  gone->exchange = static_cast<Number>(run.integer(3));
  if (!run.null(7)) gone->place = static_cast<std::uint32_t>(run.integer(7));
  if (!run.finish()) return false;
  if (!gone->place) return true;
  SqliteRun key(key_, gone->thread);
  if (key.step() != SqliteRun::Step::row) return false;
  const std::string owner = key.text(0);
  const std::string persona = key.text(1);
  return index_.remove({gone->thread, owner, persona}, *gone->place, turn);
}

StoreTables::Written StoreTables::put_active(const ConversationKey& where, const ActivePersona::State& state) {
  SqliteRun run(put_active_, where.owner, where.conversation, state.persona, name(state.source),
                state.field_seen ? 1 : 0, state.since);
  return run.finish() ? Written::yes : failure();
}

bool StoreTables::erase(const ThreadKey& key, std::span<const Number> numbers) {
  const auto thread = ledger_.find(key);
  if (thread.found != ThreadLedger::Found::yes) return thread.found == ThreadLedger::Found::no;
  Number lowest = 0;
  for (const Number number : numbers) {
    std::optional<Gone> gone;
    if (!take_out(SqliteRun(erase_, number, thread.id), gone)) return false;
    if (!gone) continue;
    lowest = lowest == 0 ? gone->exchange : std::min(lowest, gone->exchange);
    ledger_.removed(thread.id, gone->bytes, gone->timestamp);
  }
  return notes_.turns_erased(thread.id, numbers, lowest) && characters_.turns_erased(thread.id, numbers, lowest);
}

StoreResult<StoreTables::Place> StoreTables::place_of(const ThreadKey& key, const std::string& id) {
  const auto thread = ledger_.find(key);
  if (thread.found == ThreadLedger::Found::failed) return StoreError::unavailable;
  if (thread.found == ThreadLedger::Found::no) return StoreError::unknown_turn;
  SqliteRun run(place_, id, thread.id);
  switch (run.step()) {
    case SqliteRun::Step::row:
      return Place{static_cast<Number>(run.integer(0)), static_cast<Number>(run.integer(1))};
    case SqliteRun::Step::done:
      return StoreError::unknown_turn;
    case SqliteRun::Step::failed:
      break;
  }
  return StoreError::unavailable;
}

StoreResult<std::vector<TurnPtr>> StoreTables::newest(const ThreadKey& key, std::size_t most,
                                                      std::optional<Place> before) {
  std::vector<TurnPtr> turns;
  const auto thread = ledger_.find(key);
  if (thread.found == ThreadLedger::Found::failed) return StoreError::unavailable;
  if (thread.found == ThreadLedger::Found::no) return turns;
  const auto collect = [&](SqliteRun run) {
    auto step = run.step();
    for (; step == SqliteRun::Step::row; step = run.step()) turns.push_back(turn_in(run));
    return step == SqliteRun::Step::done;
  };
  const bool read = before ? collect(SqliteRun(before_, thread.id, as_limit(most), before->exchange, before->number))
                           : collect(SqliteRun(newest_, thread.id, as_limit(most)));
  if (!read) return StoreError::unavailable;
  std::reverse(turns.begin(), turns.end());
  return turns;
}

bool StoreTables::rows_between(const ThreadKey& key, Number after, Number before, std::size_t most,
                               std::vector<TurnPtr>& found) {
  const auto thread = ledger_.find(key);
  if (thread.found != ThreadLedger::Found::yes) return thread.found == ThreadLedger::Found::no;
  const std::int64_t end = before == 0 ? std::numeric_limits<std::int64_t>::max() : static_cast<std::int64_t>(before);
  SqliteRun run(between_, thread.id, after, end, as_limit(most));
  auto step = run.step();
  for (; step == SqliteRun::Step::row; step = run.step()) found.push_back(turn_in(run));
  return step == SqliteRun::Step::done;
}

StoreResult<ThreadsPage> StoreTables::threads(const ThreadsQuery& query) {
  const auto after = id_in(query.cursor);
  if (!after) return StoreError::bad_cursor;
  if (!index_.write() || !ledger_.write()) return StoreError::unavailable;
  const double since = query.active_since.value_or(-std::numeric_limits<double>::infinity());
  ThreadsPage page;
  std::int64_t last = 0;
  const auto collect = [&](SqliteRun run) {
    auto step = run.step();
    for (; step == SqliteRun::Step::row && page.threads.size() < query.limit; step = run.step()) {
      last = run.integer(0);
      page.threads.push_back({{{run.text(1), run.text(2)}, run.text(3)},
                              static_cast<std::uint64_t>(run.integer(4)),
                              static_cast<std::uint64_t>(run.integer(5)),
                              run.real(6),
                              run.real(7)});
    }
    if (step == SqliteRun::Step::row) page.cursor = last > 0 ? cursor_of(last) : query.cursor;
    return step != SqliteRun::Step::failed;
  };
  const std::int64_t limit = as_limit(query.limit) + 1;
  const bool read = query.owner ? collect(SqliteRun(threads_, *after, since, std::string_view(*query.owner), limit))
                                : collect(SqliteRun(threads_, *after, since, OrNull{}, limit));
  if (!read) return StoreError::unavailable;
  return page;
}

StoreResult<std::optional<ActivePersona::State>> StoreTables::active(const ConversationKey& where) {
  SqliteRun run(active_, where.owner, where.conversation);
  switch (run.step()) {
    case SqliteRun::Step::row: {
      ActivePersona::State state;
      state.persona = run.text(0);
      state.source = source_named(run.text(1));
      state.field_seen = run.integer(2) != 0;
      state.since = run.real(3);
      return std::optional(std::move(state));
    }
    case SqliteRun::Step::done:
      return std::optional<ActivePersona::State>();
    case SqliteRun::Step::failed:
      break;
  }
  return StoreError::unavailable;
}

}  // namespace persona
