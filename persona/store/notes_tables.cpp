#include "persona/store/notes_tables.hpp"

#include <sqlite3.h>

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "persona/memory/same_fact.hpp"

namespace persona {
namespace {

using Step = SqliteRun::Step;
using Found = ThreadLedger::Found;

constexpr std::string_view kAsked = "asked";

constexpr const char* kAlike =
    "SELECT number, id, fact, source FROM facts WHERE thread = ?1 AND key = ?2 ORDER BY number";
constexpr const char* kAddFact = "INSERT INTO facts VALUES(NULL, ?1, ?2, ?3, ?4, ?5, ?6) RETURNING number";
constexpr const char* kAskFact = "UPDATE facts SET source = 'asked' WHERE number = ?1";
constexpr const char* kAddSource = "INSERT OR IGNORE INTO fact_turns VALUES(?1, ?2)";
constexpr const char* kFacts =
    "SELECT id, fact, created, source FROM facts WHERE thread = ?1 ORDER BY number DESC LIMIT ?2";
constexpr const char* kFactsOfTurn = "SELECT fact FROM fact_turns WHERE turn = ?1";
constexpr const char* kDropSource = "DELETE FROM fact_turns WHERE turn = ?1";
constexpr const char* kDropFact =
    "DELETE FROM facts WHERE number = ?1 AND source = 'learnt'"
    " AND NOT EXISTS(SELECT 1 FROM fact_turns WHERE fact = ?1)";
constexpr const char* kCapFacts =
    "DELETE FROM facts WHERE thread = ?1 AND source = 'learnt' AND number <="
    " (SELECT number FROM facts WHERE thread = ?1 ORDER BY number DESC LIMIT 1 OFFSET ?2)";
constexpr const char* kSummary = "SELECT summary FROM summaries WHERE thread = ?1";
constexpr const char* kPutSummary = "INSERT OR REPLACE INTO summaries VALUES(?1, ?2, ?3)";
constexpr const char* kDropSummary = "DELETE FROM summaries WHERE thread = ?1";
constexpr const char* kProgress = "SELECT upto, looked FROM learning WHERE thread = ?1 AND kind = ?2";
constexpr const char* kPutProgress = "INSERT OR REPLACE INTO learning VALUES(?1, ?2, ?3, ?4)";
constexpr const char* kDropProgress = "DELETE FROM learning WHERE thread = ?1 AND kind = ?2";
constexpr const char* kAddJob = "INSERT INTO jobs VALUES(?1, ?2, 1, 0, 0) ON CONFLICT DO UPDATE SET marks = marks + 1";
constexpr const char* kMarks = "SELECT marks FROM jobs WHERE thread = ?1 AND kind = ?2";
constexpr const char* kJobs =
    "SELECT owner, conversation, persona, kind, attempts, not_before FROM jobs JOIN threads ON threads.id = jobs.thread"
    " ORDER BY not_before, jobs.thread LIMIT ?1";
constexpr const char* kDropJob = "DELETE FROM jobs WHERE thread = ?1 AND kind = ?2 AND (marks = ?3 OR ?3 = -1)";
constexpr const char* kPostponeJob = "UPDATE jobs SET attempts = ?3, not_before = ?4 WHERE thread = ?1 AND kind = ?2";
constexpr const char* kTurn = "SELECT 1 FROM turns WHERE number = ?1 AND thread = ?2";

std::int64_t stored(LearningKind kind) {
  return static_cast<std::int64_t>(kind);
}

// Nobody else's, also in another store.
std::string unique_id() {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::array<unsigned char, 16> bytes{};
  sqlite3_randomness(static_cast<int>(bytes.size()), bytes.data());
  std::string id;
  for (const unsigned char byte : bytes) {
    id += kDigits[byte >> 4];
    id += kDigits[byte & 15];
  }
  return id;
}

}  // namespace

NotesTables::NotesTables(SqliteConnection& connection, ThreadLedger& ledger)
    : ledger_(ledger),
      alike_(connection, kAlike),
      add_fact_(connection, kAddFact),
      ask_fact_(connection, kAskFact),
      add_source_(connection, kAddSource),
      facts_(connection, kFacts),
      facts_of_turn_(connection, kFactsOfTurn),
      drop_source_(connection, kDropSource),
      drop_fact_(connection, kDropFact),
      cap_facts_(connection, kCapFacts),
      summary_(connection, kSummary),
      put_summary_(connection, kPutSummary),
      drop_summary_(connection, kDropSummary),
      progress_(connection, kProgress),
      put_progress_(connection, kPutProgress),
      drop_progress_(connection, kDropProgress),
      add_job_(connection, kAddJob),
      marks_(connection, kMarks),
      jobs_(connection, kJobs),
      drop_job_(connection, kDropJob),
      postpone_job_(connection, kPostponeJob),
      turn_(connection, kTurn) {}

bool NotesTables::alike(std::int64_t thread, std::string_view fact, const std::string& key, Known& known) {
  SqliteRun run(alike_, thread, std::string_view(key));
  auto step = run.step();
  for (; step == Step::row; step = run.step()) {
    std::string other = run.text(2);
    if (!same_fact(fact, other)) continue;
    known = {run.integer(0), run.text(1), std::move(other), run.text(3)};
    return true;
  }
  return step == Step::done;
}

bool NotesTables::remember(const ThreadKey& key, const Fact& fact, Remembered& remembered) {
  const auto thread = ledger_.find_or_add(key, fact.created);
  return thread.found == Found::yes && add_fact(thread.id, fact, remembered);
}

bool NotesTables::add_fact(std::int64_t thread, const Fact& fact, Remembered& remembered) {
  const std::string key = fact_key(fact.text);
  Known known;
  if (!alike(thread, fact.text, key, known)) return false;
  if (known.number != 0) {
    const bool becomes_asked = fact.source == kAsked && known.source != kAsked;
    if (becomes_asked && !SqliteRun(ask_fact_, known.number).finish()) return false;
    remembered = {std::move(known.id), std::move(known.fact), true};
  } else {
    SqliteRun run(add_fact_, std::string_view(fact.id), thread, std::string_view(fact.text), std::string_view(key),
                  fact.created, std::string_view(fact.source));
    if (run.step() != Step::row) return false;
    known.number = run.integer(0);
    if (!run.finish()) return false;
    remembered = {fact.id, fact.text, false};
  }
  for (const Number turn : fact.turns) {
    if (!SqliteRun(add_source_, turn, known.number).finish()) return false;
  }
  return true;
}

bool NotesTables::facts(const ThreadKey& key, std::size_t most, std::vector<Fact>& found) {
  const auto thread = ledger_.find(key);
  if (thread.found != Found::yes) return thread.found == Found::no;
  SqliteRun run(facts_, thread.id, as_limit(most));
  auto step = run.step();
  for (; step == Step::row; step = run.step()) {
    found.push_back({run.text(0), run.text(1), run.real(2), run.text(3), {}});
  }
  std::ranges::reverse(found);
  return step == Step::done;
}

bool NotesTables::summary(const ThreadKey& key, Summary& found) {
  const auto thread = ledger_.find(key);
  if (thread.found != Found::yes) return thread.found == Found::no;
  SqliteRun run(summary_, thread.id);
  const auto step = run.step();
  if (step == Step::row) found.text = run.text(0);
  return step != Step::failed && progress(thread.id, LearningKind::summary, found.progress);
}

bool NotesTables::progress(const ThreadKey& key, LearningKind kind, Progress& found) {
  const auto thread = ledger_.find(key);
  if (thread.found != Found::yes) return thread.found == Found::no;
  return progress(thread.id, kind, found);
}

bool NotesTables::progress(std::int64_t thread, LearningKind kind, Progress& found) {
  SqliteRun run(progress_, thread, stored(kind));
  const auto step = run.step();
  if (step == Step::row) found = {static_cast<Number>(run.integer(0)), static_cast<Number>(run.integer(1))};
  return step != Step::failed;
}

bool NotesTables::marks(const ThreadKey& key, LearningKind kind, std::uint64_t& found) {
  const auto thread = ledger_.find(key);
  if (thread.found != Found::yes) return thread.found == Found::no;
  SqliteRun run(marks_, thread.id, stored(kind));
  const auto step = run.step();
  if (step == Step::row) found = static_cast<std::uint64_t>(run.integer(0));
  return step != Step::failed;
}

bool NotesTables::learn_later(const ThreadKey& key, LearningKinds kinds) {
  const auto thread = ledger_.find(key);
  if (thread.found != Found::yes) return thread.found == Found::no;
  return learn_later(thread.id, kinds);
}

bool NotesTables::learn_later(std::int64_t thread, LearningKinds kinds) {
  for (const LearningKind kind : {LearningKind::summary, LearningKind::facts}) {
    if (kinds.has(kind) && !SqliteRun(add_job_, thread, stored(kind)).finish()) return false;
  }
  return true;
}

bool NotesTables::jobs(std::size_t most, std::vector<LearningJob>& found) {
  SqliteRun run(jobs_, as_limit(most));
  auto step = run.step();
  for (; step == Step::row; step = run.step()) {
    found.push_back({{{run.text(0), run.text(1)}, run.text(2)},
                     run.integer(3) == stored(LearningKind::summary) ? LearningKind::summary : LearningKind::facts,
                     0,
                     static_cast<std::uint32_t>(run.integer(4)),
                     run.real(5)});
  }
  return step == Step::done;
}

bool NotesTables::job_done(const LearningJob& job) {
  const auto thread = ledger_.find(job.thread);
  if (thread.found != Found::yes) return thread.found == Found::no;
  return SqliteRun(drop_job_, thread.id, stored(job.kind), job.marks).finish();
}

bool NotesTables::job_postponed(const LearningJob& job) {
  const auto thread = ledger_.find(job.thread);
  if (thread.found != Found::yes) return thread.found == Found::no;
  return SqliteRun(postpone_job_, thread.id, stored(job.kind), static_cast<std::int64_t>(job.attempts), job.not_before)
      .finish();
}

bool NotesTables::all_there(std::int64_t thread, std::span<const Number> numbers, bool& all) {
  for (const Number number : numbers) {
    SqliteRun run(turn_, number, thread);
    const auto step = run.step();
    if (step == Step::failed) return false;
    if (step == Step::row) continue;
    all = false;
    return true;
  }
  all = true;
  return true;
}

bool NotesTables::learnt(const ThreadKey& key, const Learnt& learnt, double now, bool& was_stored) {
  was_stored = false;
  const auto thread = ledger_.find(key);
  if (thread.found != Found::yes) return thread.found == Found::no;
  Progress before;
  bool all = false;
  if (!progress(thread.id, learnt.kind, before) || !all_there(thread.id, learnt.turns, all)) return false;
  const bool further = learnt.progress.upto > before.upto || learnt.progress.looked > before.looked;
  const bool as_before = !learnt.after || (learnt.after->upto == before.upto && learnt.after->looked == before.looked);
  if (!all || !further || !as_before || learnt.progress.upto < before.upto) return true;
  if (!learnt.summary.empty() && !SqliteRun(put_summary_, thread.id, std::string_view(learnt.summary), now).finish()) {
    return false;
  }
  for (const std::string& text : learnt.facts) {
    Remembered ignored;
    if (!add_fact(thread.id, {unique_id(), text, now, "learnt", learnt.turns}, ignored)) return false;
  }
  if (learnt.most_facts > 0 && !SqliteRun(cap_facts_, thread.id, as_limit(learnt.most_facts)).finish()) return false;
  was_stored = true;
  return SqliteRun(put_progress_, thread.id, stored(learnt.kind), learnt.progress.upto, learnt.progress.looked)
      .finish();
}

bool NotesTables::drop_fact_without_turns(std::int64_t number) {
  return SqliteRun(drop_fact_, number).finish();
}

bool NotesTables::turns_erased(std::int64_t thread, std::span<const Number> numbers, Number lowest) {
  for (const Number number : numbers) {
    std::vector<std::int64_t> facts;
    SqliteRun run(facts_of_turn_, number);
    auto step = run.step();
    for (; step == Step::row; step = run.step()) facts.push_back(run.integer(0));
    if (step != Step::done) return false;
    if (facts.empty()) continue;
    if (!SqliteRun(drop_source_, number).finish()) return false;
    for (const std::int64_t fact : facts) {
      if (!drop_fact_without_turns(fact)) return false;
    }
  }
  Progress summarised;
  if (!progress(thread, LearningKind::summary, summarised)) return false;
  if (lowest == 0 || lowest > summarised.upto) return true;
  const std::int64_t kind = stored(LearningKind::summary);
  return SqliteRun(drop_summary_, thread).finish() && SqliteRun(drop_progress_, thread, kind).finish() &&
         SqliteRun(add_job_, thread, kind).finish();
}

}  // namespace persona
