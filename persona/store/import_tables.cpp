#include "persona/store/import_tables.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include "persona/store/store_tables.hpp"

namespace persona {
namespace {

using Step = SqliteRun::Step;
using Found = ThreadLedger::Found;

#define PERSONAD_KNOWN "SELECT number, thread, exchange, exchange_id, id FROM turns WHERE "
constexpr const char* kById = PERSONAD_KNOWN "id = ?1";
constexpr const char* kByNumber = PERSONAD_KNOWN "number = ?1";
#undef PERSONAD_KNOWN
constexpr const char* kAtTime =
    "SELECT number, role, content, tool_calls, tool_call_id FROM turns WHERE thread = ?1 AND timestamp = ?2";
constexpr const char* kWords = "SELECT role, content, tool_calls, tool_call_id FROM turns WHERE number = ?1";
// By the id of its first row; where that row is not here, by what the others say.
constexpr const char* kExchange =
    "SELECT exchange FROM turns WHERE id = ?1 AND thread = ?2 AND exchange_id IS NULL UNION ALL "
    "SELECT exchange FROM turns WHERE exchange_id = ?1 AND thread = ?2 LIMIT 1";
constexpr const char* kNearest =
    "SELECT exchange, coalesce(exchange_id, id) FROM turns WHERE thread = ?1 AND timestamp <= ?2"
    " ORDER BY timestamp DESC, number DESC LIMIT 1";
constexpr const char* kKey = "SELECT owner, conversation, persona FROM threads WHERE id = ?1";
// Not where something is waiting to be learnt: it would be passed over too.
constexpr const char* kPassOver =
    "INSERT INTO learning SELECT ?1, ?2, ?3, ?3 WHERE NOT EXISTS(SELECT 1 FROM jobs WHERE thread = ?1 AND kind = ?2)"
    " ON CONFLICT DO UPDATE SET upto = max(upto, excluded.upto), looked = max(looked, excluded.looked)";

// What makes two rows of one time and role the same one; what tools were told and said is part of it.
std::size_t words_hash(int role, std::string_view content, std::string_view calls, std::string_view call_id) {
  const std::hash<std::string_view> hash;
  std::size_t sum = static_cast<std::size_t>(role);
  for (const std::string_view text : {content, calls, call_id}) sum = sum * 1099511628211u ^ hash(text);
  return sum;
}

std::size_t words_hash(const Turn& turn) {
  return words_hash(static_cast<int>(turn.role), turn.content, turn.tool_calls, turn.tool_call_id);
}

template <class Known>
bool read_known(SqliteRun run, Known& known) {
  const auto step = run.step();
  if (step == Step::row) {
    known.number = static_cast<Number>(run.integer(0));
    known.thread = run.integer(1);
    known.exchange = static_cast<Number>(run.integer(2));
    known.id = run.text(4);
    known.exchange_id = run.null(3) ? known.id : run.text(3);
  }
  return step != Step::failed;
}

}  // namespace

ImportTables::ImportTables(SqliteConnection& connection, ThreadLedger& ledger, StoreTables& tables)
    : ledger_(ledger),
      tables_(tables),
      notes_(connection, ledger),
      by_id_(connection, kById),
      by_number_(connection, kByNumber),
      at_time_(connection, kAtTime),
      words_(connection, kWords),
      exchange_(connection, kExchange),
      nearest_(connection, kNearest),
      key_(connection, kKey),
      pass_over_(connection, kPassOver) {}

bool ImportTables::take(const Import& import, Imported& imported) {
  imported.ids.resize(import.records.size());
  Run run{import, imported, {}, {}, {}, {}};
  for (std::size_t at = 0; at < import.records.size(); ++at) {
    const AnyRecord& record = import.records[at];
    bool taken = true;
    if (const auto* turn = std::get_if<TurnRecord>(&record)) {
      if (!take_turn(run, *turn, at)) return false;
      continue;
    }
    std::string& id = imported.ids[at] = import.ids[at];
    if (const auto* fact = std::get_if<FactRecord>(&record)) {
      if (!notes_.take(*fact, import.on_conflict, id, taken)) return false;
    } else if (!notes_.take(std::get<SummaryRecord>(record), import.on_conflict, id, taken)) {
      return false;
    }
    ++(taken ? imported.imported : imported.skipped);
  }
  return pass_over(run);
}

bool ImportTables::take_turn(Run& run, const TurnRecord& record, std::size_t at) {
  const auto thread = ledger_.find(record.thread);
  Known known;
  if (thread.found == Found::failed || !find_known(run, record, thread, known)) return false;
  if (known.number == 0 || run.import.on_conflict == OnConflict::replace) return store(run, record, known, at);
  ++run.imported.skipped;
  // What follows it in this request, and does not say where it belongs, belongs to its exchange.
  if (thread.found == Found::yes && known.thread == thread.id) {
    run.newest[thread.id] = {known.exchange, std::move(known.exchange_id)};
  }
  run.imported.ids[at] = std::move(known.id);
  return true;
}

bool ImportTables::find_known(Run& run, const TurnRecord& record, const ThreadLedger::Lookup& thread, Known& known) {
  if (!record.turn.id.empty()) return by_id(record.turn.id, known);
  return thread.found == Found::no || by_words(run, thread.id, record.turn, known);
}

bool ImportTables::by_id(std::string_view id, Known& known) {
  return read_known(SqliteRun(by_id_, id), known);
}

bool ImportTables::by_number(Number number, Known& known) {
  return read_known(SqliteRun(by_number_, number), known);
}

bool ImportTables::by_words(Run& run, std::int64_t thread, const Turn& turn, Known& known) {
  const Instant instant{thread, turn.timestamp};
  const auto [rows, is_new] = run.said.try_emplace(instant);
  if (is_new && !rows_of(instant, rows->second)) return false;
  const std::size_t hash = words_hash(turn);
  for (const Said& said : rows->second) {
    bool same = false;
    if (said.hash != hash) continue;
    if (!says_the_same(said.number, turn, same)) return false;
    if (same) return by_number(said.number, known);
  }
  return true;
}

bool ImportTables::rows_of(Instant instant, std::vector<Said>& rows) {
  SqliteRun run(at_time_, instant.thread, instant.time);
  auto step = run.step();
  for (; step == Step::row; step = run.step()) {
    const int role = static_cast<int>(run.integer(1));
    rows.push_back({words_hash(role, run.text(2), run.text(3), run.text(4)), static_cast<Number>(run.integer(0))});
  }
  return step == Step::done;
}

bool ImportTables::says_the_same(Number number, const Turn& turn, bool& same) {
  SqliteRun run(words_, number);
  const auto step = run.step();
  same = step == Step::row && run.integer(0) == static_cast<int>(turn.role) && run.text(1) == turn.content &&
         run.text(2) == turn.tool_calls && run.text(3) == turn.tool_call_id;
  return step != Step::failed;
}

bool ImportTables::store(Run& run, const TurnRecord& record, const Known& known, std::size_t at) {
  const auto thread = ledger_.find_or_add(record.thread, record.turn.timestamp);
  if (thread.found != Found::yes) return false;
  const bool stays = known.number != 0 && known.thread == thread.id;
  auto turn = std::make_shared<Turn>(record.turn);
  if (turn->id.empty()) turn->id = known.number != 0 ? known.id : run.import.ids[at];
  const Number own = run.import.first + at;
  turn->number = stays ? known.number : own;
  Place where;
  if (stays && turn->exchange_id.empty()) {
    where = {known.exchange, known.exchange_id};
  } else if (!place(run, thread, *turn, turn->number, where)) {
    return false;
  }
  if (where.exchange > turn->number) turn->number = own;  // else it would stand before the row that it follows
  turn->exchange = where.exchange;
  turn->exchange_id = where.exchange_id;
  if (known.number != 0) {
    // Found by its words it says what it said, at the time it said it.
    if (!record.turn.id.empty()) forget_times(run, thread.id);
    if (!make_room(run, known, thread.id, *turn)) return false;
  } else if (const auto rows = run.said.find({thread.id, turn->timestamp}); rows != run.said.end()) {
    rows->second.push_back({words_hash(*turn), turn->number});
  }
  run.imported.ids[at] = turn->id;
  ++run.imported.imported;
  run.newest[thread.id] = std::move(where);
  Number& last = run.last[thread.id];
  last = std::max(last, turn->exchange);
  return put(run, record.thread, std::move(turn));
}

// Which exchange a row belongs to: the one that it names; else a question begins one, and what is no question belongs
// to the record before it, or, where there is none in this request, to what was said last at that time.
bool ImportTables::place(Run& run, const ThreadLedger::Lookup& thread, const Turn& turn, Number number, Place& found) {
  found = {number, turn.exchange_id.empty() ? turn.id : turn.exchange_id};
  const auto newest = run.newest.find(thread.id);
  const bool named = !turn.exchange_id.empty();
  if (named && newest != run.newest.end() && newest->second.exchange_id == turn.exchange_id) {
    found = newest->second;
    return true;
  }
  if (named) return exchange_with_id(thread.id, turn.exchange_id, found.exchange);
  if (turn.role == Role::user) return true;
  if (newest == run.newest.end()) return exchange_at(thread.id, turn.timestamp, found);
  found = newest->second;
  return true;
}

bool ImportTables::exchange_with_id(std::int64_t thread, std::string_view id, Number& found) {
  SqliteRun run(exchange_, id, thread);
  const auto step = run.step();
  if (step == Step::row) found = static_cast<Number>(run.integer(0));
  return step != Step::failed;
}

bool ImportTables::exchange_at(std::int64_t thread, double time, Place& found) {
  SqliteRun run(nearest_, thread, time);
  const auto step = run.step();
  if (step == Step::row) found = {static_cast<Number>(run.integer(0)), run.text(1)};
  return step != Step::failed;
}

// A row with the same words in the same place is overwritten as it is; what was learnt from it is still true.
bool ImportTables::make_room(Run& run, const Known& known, std::int64_t thread, const Turn& turn) {
  bool same = false;
  const bool stays = known.thread == thread && known.number == turn.number;
  if (stays && !says_the_same(known.number, turn, same)) return false;
  return same || take_out(run, known);
}

// As by a forget: nothing that was made of it stays.
bool ImportTables::take_out(Run& run, const Known& known) {
  SqliteRun threads(key_, known.thread);
  if (threads.step() != Step::row) return false;
  const ThreadKey key{{threads.text(0), threads.text(1)}, threads.text(2)};
  if (!threads.finish()) return false;
  if (run.changed.try_emplace(key, run.imported.changed.size()).second) run.imported.changed.push_back({key, {}});
  forget_times(run, known.thread);
  const Number number = known.number;
  return tables_.erase(key, {&number, 1});
}

void ImportTables::forget_times(Run& run, std::int64_t thread) {
  std::erase_if(run.said, [thread](const auto& rows) { return rows.first.thread == thread; });
}

bool ImportTables::put(Run& run, const ThreadKey& key, std::shared_ptr<const Turn> turn) {
  const auto [at, is_new] = run.changed.try_emplace(key, run.imported.changed.size());
  if (is_new) run.imported.changed.push_back({key, {}});
  const Row row{key, std::move(turn), {}};
  if (tables_.put(row) != StoreTables::Written::yes) return false;
  run.imported.changed[at->second].turns.push_back(row.turn);
  return true;
}

bool ImportTables::pass_over(const Run& run) {
  const auto facts = static_cast<std::int64_t>(LearningKind::facts);
  return std::ranges::all_of(
      run.last, [&](const auto& last) { return SqliteRun(pass_over_, last.first, facts, last.second).finish(); });
}

}  // namespace persona
