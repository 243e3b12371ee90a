#include "persona/store/character_tables.hpp"

#include <algorithm>
#include <charconv>
#include <functional>
#include <utility>

#include "persona/store/turn_row.hpp"

namespace persona {
namespace {

using Got = SqliteRun::Step;
using Found = ThreadLedger::Found;

constexpr std::int64_t kNewestRows = 200;  // of which a step looks for what was said since the last one
constexpr std::size_t kMostMemories = 1000;
constexpr double kFaint = 0.001;  // a weaker emotion is not felt

constexpr const char* kState = "SELECT steps, generator, remains, counted, memories FROM characters WHERE thread = ?1";
constexpr const char* kPutState = "INSERT OR REPLACE INTO characters VALUES(?1, ?2, ?3, ?4, ?5, ?6)";
constexpr const char* kNewest =
    "SELECT number, role, meta FROM turns WHERE thread = ?1 ORDER BY exchange DESC, number DESC LIMIT ?2";
constexpr const char* kFelt = "SELECT emotion, sum(weight) FROM feelings WHERE thread = ?1 GROUP BY emotion";
constexpr const char* kFeel = "INSERT OR REPLACE INTO feelings VALUES(?1, ?2, ?3, ?4)";
constexpr const char* kFaded = "DELETE FROM feelings WHERE thread = ?1 AND abs(weight) * ?2 < ?3";
constexpr const char* kRebase = "UPDATE feelings SET weight = weight * ?2 WHERE thread = ?1";
constexpr const char* kForgetFeeling = "DELETE FROM feelings WHERE turn = ?1";
constexpr const char* kUncount = "UPDATE characters SET counted = ?2 - 1 WHERE thread = ?1 AND counted = ?2";
constexpr const char* kBefore =
    "SELECT number FROM turns WHERE thread = ?1 AND (exchange, number) < (?2, ?3) AND role IN (2, 3)"
    " ORDER BY exchange DESC, number DESC LIMIT ?4";
constexpr const char* kAfter =
    "SELECT number FROM turns WHERE thread = ?1 AND (exchange, number) > (?2, ?3) AND role IN (2, 3)"
    " ORDER BY exchange, number LIMIT ?4";
// A step before this one may have looked through more conversations, or the row may have come back in another one.
constexpr const char* kRow =
    "SELECT " PERSONAD_TURN_COLUMNS
    " FROM turns JOIN threads ON threads.id = turns.thread WHERE turns.number = ?1 AND persona = ?2"
    " AND (?5 = 2 OR owner = ?3) AND (?5 > 0 OR conversation = ?4)";
constexpr const char* kEnded = "INSERT OR REPLACE INTO ended_conversations VALUES(?1, ?2)";
constexpr const char* kEndedAt = "SELECT upto FROM ended_conversations WHERE thread = ?1";
constexpr const char* kArchive = "INSERT INTO archived_summaries VALUES(NULL, ?1, ?2, ?3, ?4)";
constexpr const char* kArchived = "SELECT count(*) FROM archived_summaries WHERE thread = ?1";
constexpr const char* kDropArchived = "DELETE FROM archived_summaries WHERE thread = ?1 AND upto >= ?2";

std::string text_of(const std::vector<Number>& numbers) {
  std::string text;
  for (const Number number : numbers) text.append(text.empty() ? "" : " ").append(std::to_string(number));
  return text;
}

std::vector<Number> numbers_in(std::string_view text) {
  std::vector<Number> numbers;
  while (!text.empty()) {
    Number number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc()) break;
    numbers.push_back(number);
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    if (!text.empty()) text.remove_prefix(1);
  }
  return numbers;
}

bool collect(SqliteRun& run, std::vector<Number>& numbers) {
  auto step = run.step();
  for (; step == Got::row; step = run.step()) numbers.push_back(static_cast<Number>(run.integer(0)));
  return step == Got::done;
}

}  // namespace

CharacterTables::CharacterTables(SqliteConnection& connection, ThreadLedger& ledger)
    : ledger_(ledger),
      state_(connection, kState),
      put_state_(connection, kPutState),
      newest_(connection, kNewest),
      felt_(connection, kFelt),
      feel_(connection, kFeel),
      faded_(connection, kFaded),
      rebase_(connection, kRebase),
      forget_feeling_(connection, kForgetFeeling),
      uncount_(connection, kUncount),
      before_(connection, kBefore),
      after_(connection, kAfter),
      row_(connection, kRow),
      ended_(connection, kEnded),
      ended_at_(connection, kEndedAt),
      archive_(connection, kArchive),
      archived_(connection, kArchived),
      drop_archived_(connection, kDropArchived) {}

bool CharacterTables::begin(const ThreadKey& key, const FeelingRules& rules, Step& step) {
  const auto thread = ledger_.find(key);
  if (thread.found != Found::yes) return thread.found == Found::no;
  step.thread = thread.id;
  step.state = first_state(key);
  SqliteRun run(state_, thread.id);
  const auto got = run.step();
  if (got == Got::failed) return false;
  if (got == Got::row) {
    step.state = {static_cast<std::uint64_t>(run.integer(0)), static_cast<std::uint64_t>(run.integer(1)), run.real(2),
                  static_cast<Number>(run.integer(3)), numbers_in(run.text(4))};
    if (!run.finish()) return false;
  }
  take_step(step.state, rules);
  return feel(rules, step);
}

// A feeling is stored as what it would have been at the first step, so that fading is one number for all of them.
bool CharacterTables::feel(const FeelingRules& rules, Step& step) {
  constexpr double kLeastRemains = 1e-100;
  CharacterState& state = step.state;
  if (!SqliteRun(faded_, step.thread, state.remains, kFaint).finish()) return false;
  if (state.remains < kLeastRemains) {  // as if this were the first step
    if (!SqliteRun(rebase_, step.thread, state.remains).finish()) return false;
    state.remains = 1;
  }
  Number newest = state.counted;
  SqliteRun run(newest_, step.thread, kNewestRows);
  auto got = run.step();
  for (; got == Got::row; got = run.step()) {
    const auto number = static_cast<Number>(run.integer(0));
    if (number <= state.counted) continue;
    newest = std::max(newest, number);
    const bool own = run.integer(1) == static_cast<std::int64_t>(Role::assistant);
    if (!own && !rules.for_others) continue;
    for (const auto& [emotion, score] : emotions_in(run.text(2))) {
      if (!SqliteRun(feel_, number, std::string_view(emotion), step.thread, score / state.remains).finish()) {
        return false;
      }
    }
  }
  state.counted = newest;
  return got == Got::done;
}

bool CharacterTables::around(std::int64_t thread, const Recalled& found, const MemorySearch& search,
                             std::vector<Number>& numbers) {
  const Turn& first = *found.turns.front();
  const Turn& last = *found.turns.back();
  SqliteRun before(before_, thread, first.exchange, first.number, as_limit(std::min(search.before, kMostMemories)));
  if (!collect(before, numbers)) return false;
  for (const TurnPtr& turn : found.turns) numbers.push_back(turn->number);
  SqliteRun after(after_, thread, last.exchange, last.number, as_limit(std::min(search.after, kMostMemories)));
  return collect(after, numbers);
}

bool CharacterTables::choose(const std::vector<Recalled>& found, const MemorySearch& search, Step& step) {
  std::vector<Number>& numbers = step.state.memories;
  numbers.clear();
  for (const Recalled& one : found) {
    const auto thread = ledger_.find(one.thread);
    if (thread.found == Found::failed) return false;
    if (one.turns.empty() || thread.found == Found::no) continue;
    if (!around(thread.id, one, search, numbers)) return false;
    if (numbers.size() > kMostMemories) break;
  }
  std::ranges::sort(numbers);
  const auto twins = std::ranges::unique(numbers);
  numbers.erase(twins.begin(), twins.end());
  if (numbers.size() > kMostMemories) numbers.resize(kMostMemories);
  return true;
}

bool CharacterTables::emotions(const Step& step, Emotions& felt) {
  SqliteRun run(felt_, step.thread);
  auto got = run.step();
  for (; got == Got::row; got = run.step()) {
    const double now = run.real(1) * step.state.remains;
    if (now >= kFaint || now <= -kFaint) felt[run.text(0)] = now;
  }
  return got == Got::done;
}

bool CharacterTables::finish(const ThreadKey& key, const MemorySearch& search, const Step& step, StepFound& found) {
  const CharacterState& state = step.state;
  const std::string memories = text_of(state.memories);
  if (!SqliteRun(put_state_, step.thread, state.steps, state.generator, state.remains, state.counted,
                 std::string_view(memories))
           .finish()) {
    return false;
  }
  std::vector<TurnPtr> turns;
  for (const Number number : state.memories) {
    SqliteRun run(row_, number, std::string_view(key.persona), std::string_view(key.where.owner),
                  std::string_view(key.where.conversation), static_cast<int>(search.recall.scope));
    const auto got = run.step();
    if (got == Got::failed) return false;
    if (got == Got::row) turns.push_back(turn_in(run));
  }
  found.turns = as_memories(std::move(turns), search.present);
  return emotions(step, found.emotions);
}

bool CharacterTables::ended(const ThreadKey& key, Number upto) {
  const auto thread = ledger_.find(key);
  if (thread.found != Found::yes) return thread.found == Found::no;
  return SqliteRun(ended_, thread.id, upto).finish();
}

bool CharacterTables::ended_at(const ThreadKey& key, Number& upto) {
  const auto thread = ledger_.find(key);
  if (thread.found != Found::yes) return thread.found == Found::no;
  SqliteRun run(ended_at_, thread.id);
  const auto got = run.step();
  if (got == Got::row) upto = static_cast<Number>(run.integer(0));
  return got != Got::failed;
}

bool CharacterTables::archive(const ThreadKey& key, const Summary& summary, double now) {
  const auto thread = ledger_.find(key);
  if (thread.found != Found::yes || summary.text.empty()) return thread.found != Found::failed;
  return SqliteRun(archive_, thread.id, std::string_view(summary.text), summary.progress.upto, now).finish();
}

bool CharacterTables::archived(const ThreadKey& key, std::uint64_t& count) {
  const auto thread = ledger_.find(key);
  if (thread.found != Found::yes) return thread.found == Found::no;
  SqliteRun run(archived_, thread.id);
  if (run.step() != Got::row) return false;
  count = static_cast<std::uint64_t>(run.integer(0));
  return true;
}

// A row that comes back with its number is one that nobody felt yet.
bool CharacterTables::turns_erased(std::int64_t thread, std::span<const Number> numbers, Number lowest) {
  std::vector<Number> newest_first(numbers.begin(), numbers.end());
  std::ranges::sort(newest_first, std::greater());
  for (const Number number : newest_first) {
    if (!SqliteRun(forget_feeling_, number).finish() || !SqliteRun(uncount_, thread, number).finish()) return false;
  }
  return lowest == 0 || SqliteRun(drop_archived_, thread, lowest).finish();
}

}  // namespace persona
