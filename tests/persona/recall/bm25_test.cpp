#include "persona/recall/bm25.hpp"

#include <doctest/doctest.h>
#include <sqlite3.h>

#include <random>
#include <string>

namespace persona {
namespace {

std::string best(const std::vector<std::string>& documents, std::string_view query, std::size_t most = 10) {
  Bm25 ranking(query);
  for (const std::string& document : documents) ranking.add(document);
  std::string line;
  for (const auto& one : ranking.best(most)) line.append(line.empty() ? "" : " ").append(std::to_string(one.document));
  return line;
}

TEST_CASE("what shares rare words with the query comes first, what shares none is not there") {
  CHECK(best({"the cat sleeps", "the dog barks", "a bird"}, "the dog") == "1 0");
  CHECK(best({"a bird"}, "the dog") == "");
  CHECK(best({}, "dog") == "");
  CHECK(best({"dog"}, "?!") == "");
}

TEST_CASE("no more are given than are wanted, and the earlier of two equals is first") {
  CHECK(best({"dog", "cat", "dog", "dog", "cat", "cat", "cat"}, "dog", 2) == "0 2");
}

class Fts {
 public:
  Fts() {
    REQUIRE(sqlite3_open(":memory:", &handle_) == SQLITE_OK);
    REQUIRE(sqlite3_exec(handle_, "CREATE VIRTUAL TABLE t USING fts5(c)", nullptr, nullptr, nullptr) == SQLITE_OK);
  }
  ~Fts() { sqlite3_close(handle_); }
  Fts(const Fts&) = delete;
  Fts& operator=(const Fts&) = delete;
  void add(const std::string& text) {
    const std::string sql = "INSERT INTO t VALUES('" + text + "')";
    REQUIRE(sqlite3_exec(handle_, sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK);
  }
  [[nodiscard]] std::vector<Bm25::Scored> find(const std::string& match) {
    std::vector<Bm25::Scored> found;
    sqlite3_stmt* statement = nullptr;
    const std::string sql = "SELECT rowid - 1, -bm25(t) FROM t WHERE t MATCH '" + match + "' ORDER BY bm25(t), rowid";
    REQUIRE(sqlite3_prepare_v2(handle_, sql.c_str(), -1, &statement, nullptr) == SQLITE_OK);
    while (sqlite3_step(statement) == SQLITE_ROW) {
      found.push_back(
          {static_cast<std::size_t>(sqlite3_column_int64(statement, 0)), sqlite3_column_double(statement, 1)});
    }
    sqlite3_finalize(statement);
    return found;
  }

 private:
  sqlite3* handle_ = nullptr;
};

TEST_CASE("scores are those of FTS5 over random documents") {
  std::mt19937 random(7);
  const auto word = [&random] { return std::string(1, static_cast<char>('a' + random() % 12)) + "x"; };
  for (int round = 0; round < 200; ++round) {
    Fts oracle;
    std::vector<std::string> query;
    for (std::size_t i = 0; i < 1 + random() % 4; ++i) query.push_back(word());
    std::string text, match;
    for (const std::string& one : query) {
      text.append(one).append(" ");
      match.append(match.empty() ? "\"" : " OR \"").append(one).append("\"");
    }
    Bm25 ranking(text);
    const std::size_t documents = 1 + random() % 20;
    for (std::size_t i = 0; i < documents; ++i) {
      std::string document;
      for (std::size_t j = 0; j < 1 + random() % 15; ++j) document.append(word()).append(" ");
      oracle.add(document);
      ranking.add(document);
    }
    const auto expected = oracle.find(match);
    const auto found = ranking.best(documents);
    REQUIRE(found.size() == expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
      REQUIRE(found[i].score == doctest::Approx(expected[i].score).epsilon(1e-9));
    }
  }
}

}  // namespace
}  // namespace persona
