#include "persona/store/turn_search.hpp"

#include <sqlite3.h>

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "persona/recall/hits.hpp"
#include "persona/recall/words.hpp"
#include "persona/store/turn_row.hpp"
#include "persona/white_space.hpp"

namespace persona {
namespace {

using Step = SqliteRun::Step;

constexpr std::size_t kMostTerms = 32;          // of a question
constexpr std::size_t kMostQueryBytes = 16384;  // of a question: what is more is not looked for
constexpr std::size_t kCandidates = 200;        // that the second step looks at, at the least
constexpr std::size_t kTurnsOfExchange = 4;     // so many are looked at to find one exchange
constexpr double kForever = std::numeric_limits<double>::infinity();

constexpr const char* kAtPlace = "SELECT " PERSONAD_TURN_COLUMNS " FROM turns WHERE thread = ?1 AND place = ?2";
constexpr const char* kKey = "SELECT owner, conversation, persona FROM threads WHERE id = ?1";
constexpr const char* kBetween =
    "SELECT place FROM turns WHERE thread = ?1 AND timestamp >= ?2 AND timestamp < ?3 AND place IS NOT NULL";
constexpr const char* kExchange =
    "SELECT " PERSONAD_TURN_COLUMNS " FROM turns WHERE thread = ?1 AND exchange = ?2 ORDER BY number";

bool counts(const Turn& turn, const RecallAsk& ask) {
  if (ask.as_of != 0 && turn.number >= ask.as_of) return false;
  return std::ranges::find(ask.left_out, turn.exchange) == ask.left_out.end();
}

bool is_answered(const Recalled& exchange) {
  return std::ranges::any_of(
      exchange.turns, [](const TurnPtr& turn) { return turn->role == Role::assistant && !is_blank(turn->content); });
}

Language spoken_in(const RecallAsk& ask) {
  return ask.lang.empty() ? Language::english : language_of(ask.lang);
}

std::string_view cut(std::string_view query) {
  return query.substr(0, std::min(query.size(), kMostQueryBytes));
}

}  // namespace

TurnSearch::TurnSearch(SqliteConnection& connection, ThreadLedger& ledger, IndexTables& index, VectorTables& vectors)
    : connection_(connection),
      ledger_(ledger),
      index_(index),
      vectors_(vectors),
      at_place_(connection, kAtPlace),
      key_(connection, kKey),
      between_(connection, kBetween),
      exchange_(connection, kExchange) {}

bool TurnSearch::turns(const ThreadKey& from, const RecallAsk& ask, std::vector<Hit>& found) {
  return find(from, ask, ask.most, found);
}

// Hundreds of reads: as one transaction they lock the file once.
bool TurnSearch::find(const ThreadKey& from, const RecallAsk& ask, std::size_t most, std::vector<Hit>& found) {
  const bool alone = sqlite3_get_autocommit(connection_.handle()) != 0;
  if (alone && !connection_.execute("BEGIN")) return false;
  const bool done = index_.write() && look(from, ask, most, found);
  if (alone && !connection_.execute(done ? "COMMIT" : "ROLLBACK")) return false;
  return done;
}

bool TurnSearch::look(const ThreadKey& from, const RecallAsk& ask, std::size_t most, std::vector<Hit>& found) {
  const auto thread = ledger_.find(from);
  if (thread.found == ThreadLedger::Found::failed) return false;
  IndexTables::Scope scope;
  if (!index_.scope(from, thread.id, ask.scope, scope)) return false;
  if (scope.empty) return true;
  const auto terms = index_.terms().of_query(cut(ask.query), spoken_in(ask), scope.languages, kMostTerms);
  IndexTables::Blocks blocks;
  std::vector<TermPostings> postings;
  if (!index_.postings(from.persona, scope, terms, blocks, postings)) return false;
  Ranking ranking(ranking_weights(shaping_), scope.statistics, std::move(postings));
  std::vector<Candidate> candidates;
  if (!gather(from, scope, ask, most, ranking, candidates)) return false;
  Question question{ask, terms, {}, 1};
  for (std::size_t i = 0; i < terms.size(); ++i) question.rarity.push_back(ranking.rarity(i));
  question.average_length = static_cast<float>(scope.statistics.terms) /
                            static_cast<float>(std::max<std::uint64_t>(scope.statistics.turns, 1));
  fuse(question, ranking.highest(), candidates);
  if (ask.mode != RecallMode::semantic) shape(question, shaping_, candidates);
  found = hits(question, ranking.highest(), std::move(candidates));
  if (found.size() > most) found.resize(most);
  return true;
}

// Those that share words with the question, and those that mean the like of it.
bool TurnSearch::gather(const ThreadKey& from, const IndexTables::Scope& scope, const RecallAsk& ask, std::size_t most,
                        Ranking& ranking, std::vector<Candidate>& candidates) {
  // Some of them are not there any more, or do not count.
  const std::size_t looked_at = std::max(kCandidates, 2 * most) + 4 * ask.left_out.size();
  bool failed = false;
  const AllowedPlaces allowed = allowed_places(ask, failed);
  std::map<Address, std::optional<double>> turns;
  if (ask.mode != RecallMode::semantic) {
    for (const RankedTurn& turn : ranking.best(looked_at, allowed)) turns.try_emplace(turn.at);
  }
  if (ask.mode != RecallMode::lexical && !ask.meaning.empty()) {
    std::vector<NearTurn> near;
    if (!vectors_.nearest(from.persona, scope, ask.meaning, looked_at, allowed, near)) return false;
    for (const NearTurn& turn : near) turns[turn.at] = turn.cosine;
  }
  if (failed) return false;
  std::vector<Address> addresses;
  for (const auto& [at, cosine] : turns) addresses.push_back(at);
  auto matches = ranking.matches(addresses);
  std::size_t next = 0;
  for (const auto& [at, cosine] : turns) {
    Candidate candidate;
    candidate.at = at;
    candidate.cosine = cosine;
    candidate.matches = std::move(matches[next++]);
    if (!read(from, ask, candidate)) return false;
    if (!candidate.turn) continue;
    for (const TermMatch& match : candidate.matches) candidate.words += match.score;
    candidates.push_back(std::move(candidate));
  }
  return true;
}

AllowedPlaces TurnSearch::allowed_places(const RecallAsk& ask, bool& failed) {
  if (!ask.since && !ask.until) return {};
  return [this, since = ask.since.value_or(-kForever), until = ask.until.value_or(kForever),
          &failed](std::int64_t thread) {
    std::vector<std::uint32_t> places;
    SqliteRun run(between_, thread, since, until);
    auto step = run.step();
    for (; step == Step::row; step = run.step()) places.push_back(static_cast<std::uint32_t>(run.integer(0)));
    failed = failed || step == Step::failed;
    std::ranges::sort(places);
    return places;
  };
}

// Nothing is read where the place is that of a turn that has gone, or does not count.
bool TurnSearch::read(const ThreadKey& from, const RecallAsk& ask, Candidate& candidate) {
  SqliteRun run(at_place_, candidate.at.thread, static_cast<std::int64_t>(candidate.at.place));
  const auto step = run.step();
  if (step != Step::row) return step == Step::done;
  TurnPtr turn = turn_in(run);
  if (!counts(*turn, ask)) return true;
  candidate.turn = std::move(turn);
  candidate.thread = from;
  return ask.scope == RecallScope::session || key_of(candidate.at.thread, candidate.thread);
}

bool TurnSearch::key_of(std::int64_t thread, ThreadKey& key) {
  SqliteRun run(key_, thread);
  if (run.step() != Step::row) return false;
  key = {{run.text(0), run.text(1)}, run.text(2)};
  return true;
}

bool TurnSearch::take_names(const ThreadKey& from, RecallAsk& ask) {
  ask.nameless = ask.query;
  const auto thread = ledger_.find(from);
  IndexTables::Scope scope;
  if (thread.found == ThreadLedger::Found::failed || !index_.write()) return false;
  if (!index_.scope(from, thread.id, ask.scope, scope)) return false;
  if (scope.empty) return true;
  const auto terms = index_.terms().of_query(cut(ask.query), spoken_in(ask), scope.languages, kMostTerms);
  IndexTables::Blocks blocks;
  std::vector<TermPostings> postings;
  if (!index_.postings(from.persona, scope, terms, blocks, postings)) return false;
  const auto is_name = [&](std::string_view word) {
    const auto term = std::ranges::find(terms, word, &QueryTerm::word);
    if (term == terms.end()) return false;
    const auto& lists = postings[static_cast<std::size_t>(term - terms.begin())].lists;
    return std::ranges::any_of(lists,
                               [](const auto& list) { return std::ranges::any_of(list, &PostingGroup::any_named); });
  };
  std::string nameless = without_words(ask.query, is_name);
  if (has_word(nameless)) ask.nameless = std::move(nameless);
  return true;
}

// An exchange belongs to the question when one of its turns does by itself: what was said next to it is another matter.
bool TurnSearch::exchanges(const ThreadKey& from, const RecallAsk& ask, std::vector<Recalled>& found) {
  std::vector<Hit> turns;
  if (ask.most == 0) return true;
  if (!find(from, ask, std::max(kCandidates, kTurnsOfExchange * ask.most), turns)) return false;
  std::map<std::pair<std::int64_t, Number>, double> best;  // score of the exchange
  std::vector<std::pair<std::int64_t, const Hit*>> belong;
  for (const Hit& hit : turns) {
    const auto thread = ledger_.find(hit.thread);
    if (thread.found != ThreadLedger::Found::yes) return false;
    best.try_emplace({thread.id, hit.turn->exchange}, hit.raw_score);
    if (hit.in_own_words || hit.source == Hit::Source::semantic) belong.emplace_back(thread.id, &hit);
  }
  std::ranges::stable_sort(belong, std::ranges::greater(), [&best](const auto& one) {
    return best.at({one.first, one.second->turn->exchange});
  });
  for (const auto& [thread, hit] : belong) {
    if (found.size() == ask.most) break;
    const auto score = best.extract({thread, hit->turn->exchange});
    if (score.empty() || (ask.least_score && score.mapped() < *ask.least_score)) continue;
    Recalled recalled;
    recalled.thread = hit->thread;
    recalled.score = score.mapped();
    if (!read_exchange(thread, hit->turn->exchange, ask, recalled)) return false;
    if (is_answered(recalled)) found.push_back(std::move(recalled));
  }
  return true;
}

bool TurnSearch::read_exchange(std::int64_t thread, Number exchange, const RecallAsk& ask, Recalled& recalled) {
  SqliteRun run(exchange_, thread, exchange);
  auto step = run.step();
  for (; step == Step::row; step = run.step()) {
    TurnPtr turn = turn_in(run);
    if (counts(*turn, ask)) recalled.turns.push_back(std::move(turn));
  }
  return step != Step::failed;
}

}  // namespace persona
