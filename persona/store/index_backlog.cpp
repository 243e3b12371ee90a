#include "persona/store/index_backlog.hpp"

#include <string>
#include <vector>

#include "persona/recall/indexed_text.hpp"
#include "persona/store/turn_row.hpp"

namespace persona {
namespace {

using Step = SqliteRun::Step;

// Goes up whenever the same text gives other terms.
constexpr int kRules = 1;

constexpr const char* kWaits = "SELECT 1 FROM threads WHERE id = ?1 AND indexed = 0";
constexpr const char* kNext = "SELECT id FROM threads WHERE indexed = 0 ORDER BY id DESC LIMIT 1";
constexpr const char* kKey = "SELECT owner, persona FROM threads WHERE id = ?1";
constexpr const char* kRows = "SELECT " PERSONAD_TURN_COLUMNS " FROM turns WHERE thread = ?1 ORDER BY number";
constexpr const char* kPlace = "UPDATE turns SET place = ?2 WHERE number = ?1";
constexpr const char* kDone = "UPDATE threads SET indexed = 1 WHERE id = ?1";

}  // namespace

IndexBacklog::IndexBacklog(SqliteConnection& connection, IndexTables& index)
    : index_(index),
      any_(connection.number("SELECT EXISTS(SELECT 1 FROM threads WHERE indexed = 0)").value_or(0) != 0),
      waits_(connection, kWaits),
      next_(connection, kNext),
      key_(connection, kKey),
      rows_(connection, kRows),
      place_(connection, kPlace),
      done_(connection, kDone) {}

bool IndexBacklog::catch_up(std::int64_t thread) {
  if (!any_) return true;
  bool waits = false;
  {
    SqliteRun run(waits_, thread);
    const auto step = run.step();
    if (step == Step::failed) return false;
    waits = step == Step::row;
  }
  std::size_t turns = 0;
  return !waits || index(thread, turns);
}

bool IndexBacklog::some(std::size_t turns, std::size_t& indexed) {
  indexed = 0;
  while (any_ && indexed < turns) {
    std::int64_t thread = 0;
    {
      SqliteRun run(next_);
      const auto step = run.step();
      if (step == Step::failed) return false;
      any_ = step == Step::row;
      if (any_) thread = run.integer(0);
    }
    if (any_ && !index(thread, indexed)) return false;
  }
  return true;
}

bool IndexBacklog::index(std::int64_t thread, std::size_t& turns) {
  std::string owner;
  std::string persona;
  {
    SqliteRun run(key_, thread);
    if (run.step() != Step::row) return false;
    owner = run.text(0);
    persona = run.text(1);
  }
  SqliteRun run(rows_, thread);
  auto step = run.step();
  for (; step == Step::row; step = run.step()) {
    const TurnPtr turn = turn_in(run);
    ++turns;
    if (!is_indexed(*turn)) continue;
    std::uint32_t place = 0;
    if (!index_.next_place(thread, turn->timestamp, place) ||
        !SqliteRun(place_, turn->number, static_cast<std::int64_t>(place)).finish() ||
        !index_.add({thread, owner, persona}, place, *turn)) {
      return false;
    }
  }
  return step == Step::done && SqliteRun(done_, thread).finish();
}

bool drop_outdated_index(SqliteConnection& connection) {
  const auto rules = connection.number("SELECT value FROM meta WHERE key = 'index'");
  if (!rules) return false;
  if (*rules == kRules) return true;
  const std::string sql =
      "BEGIN IMMEDIATE; DELETE FROM postings; DELETE FROM terms; DELETE FROM index_statistics;"
      "UPDATE turns SET place = NULL WHERE place IS NOT NULL; UPDATE threads SET indexed = 0;"
      "UPDATE meta SET value = " +
      std::to_string(kRules) + " WHERE key = 'index'; COMMIT";
  if (connection.execute(sql.c_str())) return true;
  connection.execute("ROLLBACK");
  return false;
}

}  // namespace persona
