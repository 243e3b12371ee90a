#include "persona/store/turn_search.hpp"

#include <algorithm>
#include <utility>

#include "persona/memory/assembly.hpp"
#include "persona/recall/bm25.hpp"
#include "persona/store/turn_row.hpp"
#include "persona/white_space.hpp"

namespace persona {
namespace {

constexpr std::int64_t kMostRows = 10000;
constexpr std::size_t kMostBytes = 16u << 20;

#define PERSONAD_SCOPE(condition)                                                       \
  "SELECT " PERSONAD_TURN_COLUMNS                                                       \
  ", owner, conversation, persona FROM threads JOIN turns ON turns.thread = threads.id" \
  " WHERE " condition " ORDER BY exchange DESC, number DESC LIMIT "
constexpr const char* kSession = PERSONAD_SCOPE("persona = ?1 AND owner = ?2 AND conversation = ?3") "?4";
constexpr const char* kOwner = PERSONAD_SCOPE("persona = ?1 AND owner = ?2") "?3";
constexpr const char* kPersona = PERSONAD_SCOPE("persona = ?1") "?2";
#undef PERSONAD_SCOPE

bool counts(const Turn& turn, const RecallAsk& ask) {
  if (ask.as_of != 0 && turn.number >= ask.as_of) return false;
  return std::ranges::find(ask.left_out, turn.exchange) == ask.left_out.end();
}

bool is_answered(const Recalled& exchange) {
  return std::ranges::any_of(
      exchange.turns, [](const TurnPtr& turn) { return turn->role == Role::assistant && !is_blank(turn->content); });
}

// Rows come newest first, and with them the exchanges.
bool gather(SqliteRun& run, const RecallAsk& ask, std::vector<Recalled>& exchanges) {
  std::size_t bytes = 0;
  auto step = run.step();
  for (; step == SqliteRun::Step::row && bytes < kMostBytes; step = run.step()) {
    TurnPtr turn = turn_in(run);
    bytes += turn->content.size();
    if (!counts(*turn, ask)) continue;
    const bool same = !exchanges.empty() && exchanges.back().turns.front()->exchange == turn->exchange;
    if (!same) {
      Recalled& next = exchanges.emplace_back();
      next.thread = {{run.text(kTurnColumns), run.text(kTurnColumns + 1)}, run.text(kTurnColumns + 2)};
    }
    exchanges.back().turns.push_back(std::move(turn));
  }
  return step != SqliteRun::Step::failed;
}

}  // namespace

TurnSearch::TurnSearch(SqliteConnection& connection)
    : session_(connection, kSession), owner_(connection, kOwner), persona_(connection, kPersona) {}

bool TurnSearch::find(const ThreadKey& from, const RecallAsk& ask, std::vector<Recalled>& found) {
  Bm25 ranking(ask.query);
  if (ranking.empty() || ask.most == 0) return true;
  std::vector<Recalled> exchanges;
  const auto gathered = [&](SqliteRun run) { return gather(run, ask, exchanges); };
  bool done = false;
  switch (ask.scope) {
    case RecallScope::session:
      done = gathered(SqliteRun(session_, from.persona, from.where.owner, from.where.conversation, kMostRows));
      break;
    case RecallScope::owner:
      done = gathered(SqliteRun(owner_, from.persona, from.where.owner, kMostRows));
      break;
    case RecallScope::persona:
      done = gathered(SqliteRun(persona_, from.persona, kMostRows));
      break;
  }
  if (!done) return false;
  std::erase_if(exchanges, [](const Recalled& one) { return !is_answered(one); });
  std::ranges::reverse(exchanges);
  for (Recalled& one : exchanges) {
    std::ranges::reverse(one.turns);
    ranking.add(rendered(one));
  }
  for (const Bm25::Scored& scored : ranking.best(ask.most)) {
    if (ask.least_score && scored.score < *ask.least_score) continue;
    Recalled& one = exchanges[scored.document];
    one.score = scored.score;
    found.push_back(std::move(one));
  }
  return true;
}

}  // namespace persona
