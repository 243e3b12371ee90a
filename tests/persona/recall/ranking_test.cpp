#include "persona/recall/ranking.hpp"

#include <doctest/doctest.h>
#include <sqlite3.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <map>
#include <random>
#include <set>

namespace persona {
namespace {

/// Turns made of numbered terms, and their index.
class Collection {
 public:
  using Turn = std::vector<std::size_t>;  // terms in order

  void add(const Address& at, Turn terms) { turns_.emplace(at, std::move(terms)); }
  [[nodiscard]] const std::map<Address, Turn>& turns() const { return turns_; }
  [[nodiscard]] ScopeStatistics statistics() const {
    ScopeStatistics scope;
    for (const auto& [at, terms] : turns_) {
      ++scope.turns;
      scope.terms += terms.size();
    }
    return scope;
  }
  [[nodiscard]] std::vector<TermPostings> postings(const std::vector<std::size_t>& query, std::size_t per_block) {
    std::vector<TermPostings> all;
    for (const std::size_t term : query) {
      std::vector<Posting> postings;
      for (const auto& [at, terms] : turns_) {
        const auto said = std::ranges::count(terms, term);
        if (said == 0) continue;
        postings.push_back({at, {static_cast<std::uint8_t>(said), false, false}, LengthCode::of(terms.size())});
      }
      auto& list = all.emplace_back().lists.emplace_back();
      for (std::size_t from = 0; from < postings.size(); from += per_block) {
        const std::size_t count = std::min(per_block, postings.size() - from);
        blocks_.push_back(packed(std::span(postings).subspan(from, count)));
        PostingGroups groups({reinterpret_cast<const std::uint8_t*>(blocks_.back().data()), blocks_.back().size()});
        while (const auto group = groups.next()) list.push_back(*group);
      }
    }
    return all;
  }

 private:
  std::map<Address, Turn> turns_;
  std::deque<std::string> blocks_;
};

/// The formula, written down turn by turn.
class Formula {
 public:
  Formula(const Collection& all, std::vector<std::size_t> query, const RankingWeights& weights)
      : all_(all), query_(std::move(query)), weights_(weights) {
    const ScopeStatistics scope = all.statistics();
    const double turns = static_cast<double>(scope.turns);
    average_ = static_cast<double>(scope.terms) / turns;
    for (const std::size_t term : query_) {
      std::set<Address> around;
      for (const auto& [at, terms] : all.turns()) {
        if (std::ranges::count(terms, term) == 0) continue;
        const std::uint32_t first = at.place > weights.around ? at.place - weights.around : 0;
        for (std::uint32_t place = first; place <= at.place + weights.around; ++place) {
          around.insert({at.owner, at.thread, place});
        }
      }
      const double with = std::min(static_cast<double>(around.size()), turns * weights.most_common);
      rarity_.push_back(std::log1p((turns - with + 0.5) / (with + 0.5)));
    }
  }

  [[nodiscard]] double operator()(const Address& turn) const {
    double score = 0;
    for (std::size_t i = 0; i < query_.size(); ++i) {
      double x = frequency(turn, 0, query_[i]);
      for (std::size_t k = 0; k < RankingWeights::kReach; ++k) {
        const auto distance = static_cast<std::int64_t>(k + 1);
        x += weights_.before[k] * frequency(turn, -distance, query_[i]);
        x += weights_.after[k] * frequency(turn, distance, query_[i]);
      }
      score += rarity_[i] * (weights_.saturation + 1) * x / (x + weights_.saturation);
    }
    return score;
  }

 private:
  [[nodiscard]] double frequency(const Address& turn, std::int64_t distance, std::size_t term) const {
    const std::int64_t place = turn.place + distance;
    if (place < 0) return 0;
    const auto found = all_.turns().find({turn.owner, turn.thread, static_cast<std::uint32_t>(place)});
    if (found == all_.turns().end()) return 0;
    const double length = static_cast<double>(found->second.size());
    return static_cast<double>(std::ranges::count(found->second, term)) /
           (1 - weights_.length + weights_.length * length / average_);
  }

  const Collection& all_;
  std::vector<std::size_t> query_;
  RankingWeights weights_;
  double average_ = 1;
  std::vector<double> rarity_;
};

Collection random_collection(std::mt19937& random, std::uint32_t threads, std::uint32_t longest) {
  const auto below = [&random](std::uint32_t end) {
    return std::uniform_int_distribution<std::uint32_t>(0, end - 1)(random);
  };
  Collection all;
  for (std::uint32_t thread = 1; thread <= threads; ++thread) {
    std::uint32_t place = 0;
    for (std::uint32_t i = 1 + below(longest); i > 0; --i) {
      Collection::Turn terms(1 + below(12));
      for (std::size_t& term : terms) term = std::min({below(40), below(40), below(40)});  // low ones are common
      all.add({1 + thread % 3, thread, place}, std::move(terms));
      place += below(9) == 0 ? 4 : 1;
    }
  }
  return all;
}

TEST_CASE("the best turns are those that the formula puts first, whether threads are passed over or not") {
  std::mt19937 random(3);
  std::size_t passed_over = 0;
  for (int round = 0; round < 150; ++round) {
    Collection all = random_collection(random, 1 + static_cast<std::uint32_t>(round) % 40, 30);
    std::vector<std::size_t> query;
    for (std::size_t term = 0; term < 40; ++term) {
      if (random() % 8 == 0) query.push_back(term);
    }
    const RankingWeights weights;
    const auto postings = all.postings(query, 1 + random() % 50);
    Ranking ranking(weights, all.statistics(), postings);
    const std::size_t most = 1 + random() % 10;
    const auto everything = ranking.best(most, {}, Ranking::Pruning::off);
    const std::size_t threads = ranking.unpacked_threads();
    CHECK(ranking.best(most) == everything);
    passed_over += threads - ranking.unpacked_threads();

    const Formula score_of(all, query, weights);
    std::vector<double> expected;
    for (const auto& [at, terms] : all.turns()) expected.push_back(score_of(at));
    std::ranges::sort(expected, std::greater());
    for (std::size_t i = 0; i < everything.size(); ++i) {
      if (!all.turns().contains(everything[i].at)) continue;  // a place that no turn has
      CHECK(everything[i].score == doctest::Approx(score_of(everything[i].at)).epsilon(1e-4));
      CHECK(everything[i].score >= doctest::Approx(expected[std::min(i, expected.size() - 1)]).epsilon(1e-4));
      double sum = 0;
      const auto matches = ranking.matches(std::span(&everything[i].at, 1));
      for (const TermMatch& match : matches.front()) sum += match.score;
      CHECK(sum == doctest::Approx(everything[i].score).epsilon(1e-4));
      CHECK(everything[i].score < ranking.highest());
    }
  }
  CHECK(passed_over > 100);
}

TEST_CASE("a long thread is scored window by window as if it were one") {
  std::mt19937 random(5);
  Collection all;
  for (std::uint32_t place = 0; place < 20000; ++place) {
    if (random() % 3 != 0) all.add({1, 1, place}, {random() % 50, random() % 50, random() % 50});
  }
  // At the edge of a window.
  all.add({1, 1, 8191}, {60});
  all.add({1, 1, 8192}, {61});
  all.add({1, 1, 8194}, {60, 61});
  const std::vector<std::size_t> query{60, 61};
  const auto postings = all.postings(query, 100);
  Ranking ranking({}, all.statistics(), postings);
  const auto best = ranking.best(4);
  REQUIRE(best.size() == 4);
  const Formula score_of(all, query, {});
  for (const RankedTurn& turn : best) {
    CHECK(turn.score == doctest::Approx(score_of(turn.at)).epsilon(1e-4));
  }
  CHECK(best.front().at.place == 8194);
}

TEST_CASE("of equal turns the newer one comes first") {
  Collection all;
  for (std::uint32_t place = 0; place < 40; place += 10) all.add({1, 1, place}, {1, 2});
  const auto postings = all.postings({1}, 10);
  const auto best = Ranking({}, all.statistics(), postings).best(2);
  REQUIRE(best.size() == 2);
  CHECK(best[0].at.place == 30);
  CHECK(best[1].at.place == 20);
}

TEST_CASE("places that are not allowed are not found") {
  Collection all;
  for (std::uint32_t place = 0; place < 40; place += 10) all.add({1, 1, place}, {1, 2});
  const auto postings = all.postings({1}, 10);
  Ranking ranking({}, all.statistics(), postings);
  const auto best = ranking.best(10, [](std::int64_t) { return std::vector<std::uint32_t>{0, 20}; });
  REQUIRE(best.size() == 2);
  CHECK(best[0].at.place == 20);
  CHECK(best[1].at.place == 0);
}

TEST_CASE("an hour without a word keeps turns from being neighbours") {
  CHECK(place_after(7, 1000, 1000) == 8);
  CHECK(place_after(7, 1000, 4600) == 8);
  CHECK(place_after(7, 1000, 4601) == 8 + RankingWeights::kReach);
  CHECK(place_after(7, 10000, 1000) == 8 + RankingWeights::kReach);
}

/// What SQLite's FTS5 says about the same turns.
class Fts5 {
 public:
  explicit Fts5(const Collection& all) {
    REQUIRE(sqlite3_open(":memory:", &database_) == SQLITE_OK);
    execute("CREATE VIRTUAL TABLE turns USING fts5(content)");
    for (const auto& [at, terms] : all.turns()) {
      std::string content;
      for (const std::size_t term : terms) content += "t" + std::to_string(term) + " ";
      execute("INSERT INTO turns(rowid, content) VALUES(" + std::to_string(at.place + 1) + ", '" + content + "')");
    }
  }
  ~Fts5() { sqlite3_close(database_); }
  Fts5(const Fts5&) = delete;
  Fts5& operator=(const Fts5&) = delete;

  std::map<std::uint32_t, double> scores(const std::vector<std::size_t>& query) {
    std::string match;
    for (const std::size_t term : query) match += (match.empty() ? "t" : " OR t") + std::to_string(term);
    const std::string sql = "SELECT rowid, -bm25(turns) FROM turns WHERE turns MATCH '" + match + "'";
    sqlite3_stmt* statement = nullptr;
    REQUIRE(sqlite3_prepare_v2(database_, sql.c_str(), -1, &statement, nullptr) == SQLITE_OK);
    std::map<std::uint32_t, double> found;
    while (sqlite3_step(statement) == SQLITE_ROW) {
      found[static_cast<std::uint32_t>(sqlite3_column_int64(statement, 0) - 1)] = sqlite3_column_double(statement, 1);
    }
    sqlite3_finalize(statement);
    return found;
  }

 private:
  void execute(const std::string& sql) {
    REQUIRE(sqlite3_exec(database_, sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK);
  }
  sqlite3* database_ = nullptr;
};

TEST_CASE("without neighbours a score is the BM25 of FTS5, but for how rarity is counted") {
  RankingWeights plain;
  plain.saturation = 1.2F;
  plain.length = 0.75F;
  plain.before = plain.after = {};
  plain.around = 0;
  plain.most_common = 1;
  std::mt19937 random(9);
  for (int round = 0; round < 20; ++round) {
    Collection all;
    for (std::uint32_t place = 0; place < 60; ++place) {
      Collection::Turn terms(1 + random() % 14);
      for (std::size_t& term : terms) term = std::min({random() % 30, random() % 30});
      all.add({1, 1, place}, std::move(terms));
    }
    const std::vector<std::size_t> query{random() % 10, 10 + random() % 10, 20 + random() % 10};
    const auto postings = all.postings(query, 20);
    Ranking ranking(plain, all.statistics(), postings);
    const auto best = ranking.best(60);
    const auto oracle = Fts5(all).scores(query);
    REQUIRE(best.size() == oracle.size());
    for (const RankedTurn& turn : best) {
      double theirs = 0;
      const auto matches = ranking.matches(std::span(&turn.at, 1)).front();
      for (std::size_t i = 0; i < query.size(); ++i) {
        double with = 0;
        for (const auto& [at, terms] : all.turns()) with += std::ranges::count(terms, query[i]) > 0 ? 1 : 0;
        const double rarity = std::max(1e-6, std::log((60 - with + 0.5) / (with + 0.5)));
        theirs += matches[i].score / ranking.rarity(i) * rarity;
      }
      CHECK(theirs == doctest::Approx(oracle.at(turn.at.place)).epsilon(1e-4));
    }
  }
}

}  // namespace
}  // namespace persona
