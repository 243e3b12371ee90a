#include "persona/store/import_notes.hpp"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <utility>

#include "persona/memory/learning.hpp"
#include "persona/memory/same_fact.hpp"

namespace persona {
namespace {

using Step = SqliteRun::Step;
using Found = ThreadLedger::Found;

constexpr const char* kById = "SELECT number, thread, id FROM facts WHERE id = ?1";
constexpr const char* kByText =
    "SELECT number, thread, id, fact FROM facts WHERE thread = ?1 AND key = ?2 ORDER BY number";
constexpr const char* kAdd = "INSERT INTO facts VALUES(NULL, ?1, ?2, ?3, ?4, ?5, ?6) RETURNING number";
constexpr const char* kReplace =
    "UPDATE facts SET id = ?1, thread = ?2, fact = ?3, key = ?4, created = ?5, source = ?6 WHERE number = ?7"
    " RETURNING number";
constexpr const char* kDrop = "DELETE FROM facts WHERE number = ?1";
constexpr const char* kAddSource = "INSERT OR IGNORE INTO fact_turns VALUES(?1, ?2)";
constexpr const char* kDropSources = "DELETE FROM fact_turns WHERE fact = ?1";
constexpr const char* kRow = "SELECT number, exchange FROM turns WHERE id = ?1 AND thread = ?2";
constexpr const char* kExchange =
    "SELECT exchange FROM turns WHERE id = ?1 AND thread = ?2 UNION ALL "
    "SELECT exchange FROM turns WHERE exchange_id = ?1 AND thread = ?2 LIMIT 1";
constexpr const char* kUpto = "SELECT max(exchange) FROM turns WHERE thread = ?1 AND timestamp <= ?2";
constexpr const char* kSummary = "SELECT 1 FROM summaries WHERE thread = ?1";
constexpr const char* kPutSummary = "INSERT OR REPLACE INTO summaries VALUES(?1, ?2, ?3)";
constexpr const char* kPutProgress = "INSERT OR REPLACE INTO learning VALUES(?1, ?2, ?3, ?4)";
constexpr const char* kStoreId = "SELECT value FROM meta WHERE key = 'store'";

}  // namespace

ImportNotes::ImportNotes(SqliteConnection& connection, ThreadLedger& ledger)
    : ledger_(ledger),
      by_id_(connection, kById),
      by_text_(connection, kByText),
      add_(connection, kAdd),
      replace_(connection, kReplace),
      drop_(connection, kDrop),
      add_source_(connection, kAddSource),
      drop_sources_(connection, kDropSources),
      row_(connection, kRow),
      exchange_(connection, kExchange),
      upto_(connection, kUpto),
      summary_(connection, kSummary),
      put_summary_(connection, kPutSummary),
      put_progress_(connection, kPutProgress),
      store_id_(connection, kStoreId) {}

bool ImportNotes::take(const FactRecord& record, OnConflict on_conflict, std::string& id, bool& taken) {
  Known named, alike;
  if (!record.fact.id.empty() && !by_id(record.fact.id, named)) return false;
  if (!by_text(record.thread, record.fact.text, alike)) return false;
  const Known& known = named.number != 0 ? named : alike;
  taken = known.number == 0 || on_conflict == OnConflict::replace;
  if (!taken) {
    id = known.id;
    return true;
  }
  // One with this id, and another one that says the same, become one.
  if (named.number != 0 && alike.number != 0 && named.number != alike.number && !drop(alike)) return false;
  if (!record.fact.id.empty()) {
    id = record.fact.id;
  } else if (known.number != 0) {
    id = known.id;
  }
  return put(record, id, known);
}

bool ImportNotes::by_id(std::string_view id, Known& known) {
  SqliteRun run(by_id_, id);
  const auto step = run.step();
  if (step == Step::row) known = {run.integer(0), run.integer(1), run.text(2)};
  return step != Step::failed;
}

bool ImportNotes::by_text(const ThreadKey& key, const std::string& fact, Known& known) {
  const auto thread = ledger_.find(key);
  if (thread.found != Found::yes) return thread.found == Found::no;
  const std::string alike = fact_key(fact);
  SqliteRun run(by_text_, thread.id, std::string_view(alike));
  auto step = run.step();
  for (; step == Step::row; step = run.step()) {
    if (!same_fact(fact, run.text(3))) continue;
    known = {run.integer(0), run.integer(1), run.text(2)};
    return true;
  }
  return step == Step::done;
}

bool ImportNotes::drop(const Known& known) {
  ledger_.left(known.thread);
  return SqliteRun(drop_, known.number).finish();
}

bool ImportNotes::put(const FactRecord& record, const std::string& id, const Known& known) {
  const auto thread = ledger_.find_or_add(record.thread, record.fact.created);
  std::vector<Number> rows;
  if (thread.found != Found::yes || !rows_of(thread.id, record.sources, rows)) return false;
  // One that was learnt goes with the rows it was learnt from; where none of them is here, it stands for itself.
  const std::string_view source = rows.empty() || record.fact.source == "asked" ? "asked" : "learnt";
  const std::string key = fact_key(record.fact.text);
  const std::string_view text = record.fact.text;
  const auto number_of = [](SqliteRun run) -> std::int64_t {
    if (run.step() != Step::row) return 0;
    const std::int64_t number = run.integer(0);
    return run.finish() ? number : 0;
  };
  const std::int64_t number =
      known.number == 0
          ? number_of(SqliteRun(add_, id, thread.id, text, key, record.fact.created, source))
          : number_of(SqliteRun(replace_, id, thread.id, text, key, record.fact.created, source, known.number));
  if (number == 0) return false;
  if (known.number != 0 && known.thread != thread.id) ledger_.left(known.thread);
  if (known.number != 0 && !SqliteRun(drop_sources_, number).finish()) return false;
  return std::ranges::all_of(rows, [&](Number row) { return SqliteRun(add_source_, row, number).finish(); });
}

bool ImportNotes::rows_of(std::int64_t thread, const std::vector<std::string>& ids, std::vector<Number>& numbers) {
  for (const std::string& id : ids) {
    SqliteRun run(row_, id, thread);
    const auto step = run.step();
    if (step == Step::failed) return false;
    if (step == Step::row) numbers.push_back(static_cast<Number>(run.integer(0)));
  }
  return true;
}

bool ImportNotes::take(const SummaryRecord& record, OnConflict on_conflict, std::string& id, bool& taken) {
  const auto thread = ledger_.find_or_add(record.thread, record.created);
  if (thread.found != Found::yes || !id_of_summary(thread.id, id)) return false;
  SqliteRun known(summary_, thread.id);
  const auto step = known.step();
  if (step == Step::failed) return false;
  taken = step == Step::done || on_conflict == OnConflict::replace;
  if (!taken) return true;
  Progress progress;
  if (!progress_of(thread.id, record, progress)) return false;
  const auto kind = static_cast<std::int64_t>(LearningKind::summary);
  return SqliteRun(put_summary_, thread.id, record.text, record.created).finish() &&
         SqliteRun(put_progress_, thread.id, kind, progress.upto, progress.looked).finish();
}

// How far it goes decides which rows a context shows beside it, and with which rows it is erased.
bool ImportNotes::progress_of(std::int64_t thread, const SummaryRecord& record, Progress& found) {
  for (const std::string& source : record.sources) {
    SqliteRun run(row_, source, thread);
    const auto step = run.step();
    if (step == Step::failed) return false;
    if (step == Step::row) found.upto = std::max(found.upto, static_cast<Number>(run.integer(1)));
  }
  if (!record.upto.empty() && !exchange_of(thread, record.upto, found.upto)) return false;
  if (found.upto == 0) {
    SqliteRun run(upto_, thread, record.created);
    if (run.step() != Step::row) return false;
    found.upto = static_cast<Number>(run.integer(0));
  }
  if (!record.looked.empty() && !exchange_of(thread, record.looked, found.looked)) return false;
  found.looked = std::max(found.looked, found.upto);
  return true;
}

bool ImportNotes::exchange_of(std::int64_t thread, std::string_view id, Number& found) {
  SqliteRun run(exchange_, id, thread);
  const auto step = run.step();
  if (step == Step::row) found = static_cast<Number>(run.integer(0));
  return step != Step::failed;
}

// A thread has one summary, which has no id of its own.
bool ImportNotes::id_of_summary(std::int64_t thread, std::string& id) {
  if (store_.empty()) {
    SqliteRun run(store_id_);
    if (run.step() != Step::row) return false;
    store_ = run.text(0);
  }
  char digits[16];
  const auto [end, error] = std::to_chars(std::begin(digits), std::end(digits), thread, 16);
  id = "summary-" + std::string(std::begin(digits), end) + "-" + store_;
  return true;
}

}  // namespace persona
