#include <doctest/doctest.h>

#include <map>
#include <random>
#include <set>

#include "persona/recall/indexed_text.hpp"
#include "persona/store/schema.hpp"
#include "tests/persona/store/store.hpp"

namespace persona {
namespace {

using testing::kThread;
using testing::OtherConnection;
using testing::row;
using testing::Store;
using testing::TemporaryFolder;
using testing::turn;

const ThreadKey kElsewhere{{"local", "garden"}, "Ada"};
const ThreadKey kStranger{{"somebody", "kitchen"}, "Ada"};
const ThreadKey kOtherPersona{{"local", "kitchen"}, "Bob"};

std::vector<Hit> search(Store& store, std::string query, RecallScope scope = RecallScope::session,
                        const ThreadKey& from = kThread) {
  RecallAsk ask;
  ask.query = std::move(query);
  ask.most = 100;
  ask.scope = scope;
  std::optional<std::vector<Hit>> found;
  store.archive().search(from, std::move(ask), [&](StoreResult<std::vector<Hit>> hits) {
    REQUIRE(hits.has_value());
    found = std::move(*hits);
  });
  store.tasks().run_until([&] { return found.has_value(); });
  return std::move(*found);
}

std::string numbers(const std::vector<Hit>& hits) {
  std::string text;
  for (const Hit& hit : hits) {
    if (hit.in_own_words) text += (text.empty() ? "" : " ") + std::to_string(hit.turn->number);
  }
  return text;
}

/// What the index holds, as text: each posting, and the statistics. The same turns give the same text.
std::string index_of(const TemporaryFolder& folder) {
  OtherConnection other(folder.file());
  std::string all;
  sqlite3_stmt* statement = nullptr;
  REQUIRE(sqlite3_prepare_v2(other.handle(),
                             "SELECT terms.persona, terms.term, block FROM postings JOIN terms ON terms.id = postings.term"
                             " ORDER BY 1, 2, owner, thread, place",
                             -1, &statement, nullptr) == SQLITE_OK);
  while (sqlite3_step(statement) == SQLITE_ROW) {
    const auto* bytes = static_cast<const std::uint8_t*>(sqlite3_column_blob(statement, 2));
    const auto postings = unpacked({bytes, static_cast<std::size_t>(sqlite3_column_bytes(statement, 2))});
    REQUIRE(postings.has_value());
    for (const Posting& posting : *postings) {
      all += std::string(reinterpret_cast<const char*>(sqlite3_column_text(statement, 0))) + "/" +
             reinterpret_cast<const char*>(sqlite3_column_text(statement, 1)) + " " +
             std::to_string(posting.at.thread) + ":" + std::to_string(posting.at.place) + " " +
             std::to_string(posting.frequency.said) + "/" + std::to_string(posting.length.byte()) + "\n";
    }
  }
  sqlite3_finalize(statement);
  return all + other.text(
                   "SELECT group_concat(persona || owner || '.' || thread || ' ' || turns || ' ' || terms)"
                   " FROM (SELECT * FROM index_statistics ORDER BY persona, owner, thread)");
}

TEST_CASE("a word is found in the forms that its language gives it") {
  const TemporaryFolder folder;
  Store store(folder);
  REQUIRE(store.append({row(1, "The dentists were booked out"), row(2, "Nothing else")}));
  CHECK(numbers(search(store, "dentist")) == "1");
  CHECK(numbers(search(store, "booking")) == "1");
  CHECK(numbers(search(store, "doctor")).empty());
}

TEST_CASE("each scope finds what is in it and nothing else") {
  const TemporaryFolder folder;
  Store store(folder);
  REQUIRE(store.append({row(1, "apple pie"), row(2, "apple cake", kElsewhere), row(3, "apple juice", kStranger),
                        row(4, "apple tart", kOtherPersona)}));
  CHECK(numbers(search(store, "apple")) == "1");
  CHECK(numbers(search(store, "apple", RecallScope::owner)) == "2 1");
  CHECK(numbers(search(store, "apple", RecallScope::persona)) == "3 2 1");
  CHECK(numbers(search(store, "apple", RecallScope::session, kOtherPersona)) == "4");
  CHECK(search(store, "apple", RecallScope::session, {{"local", "attic"}, "Ada"}).empty());
  CHECK(search(store, "apple", RecallScope::owner, {{"nobody", "attic"}, "Ada"}).empty());
}

TEST_CASE("what others keep does not change a score by one bit") {
  const TemporaryFolder folder;
  Store store(folder);
  REQUIRE(store.append({row(1, "we planted apple trees"), row(2, "and a pear"), row(3, "apple juice tomorrow")}));
  const auto before = search(store, "apple trees");
  std::vector<Row> rows;
  for (Number number = 10; number < 1010; ++number) {
    rows.push_back(row(number, "apple trees and others " + std::to_string(number),
                       {{number % 2 == 0 ? "somebody" : "another", "room" + std::to_string(number % 20)}, "Ada"}));
  }
  REQUIRE(store.append(std::move(rows)));
  const auto after = search(store, "apple trees");
  REQUIRE(after.size() == before.size());
  for (std::size_t i = 0; i < after.size(); ++i) {
    CHECK(after[i].turn->number == before[i].turn->number);
    CHECK(after[i].raw_score == before[i].raw_score);
  }
}

TEST_CASE("a turn is found for its neighbours' words, but not across an hour of silence") {
  const TemporaryFolder folder;
  Store store(folder);
  auto later = std::make_shared<Turn>(*turn(3, "Good morning"));
  later->timestamp += 7200;
  REQUIRE(store.append({row(1, "When does the bakery open?"), row(2, "At seven, I think"), {kThread, later, {}}}));
  const auto hits = search(store, "bakery");
  REQUIRE(hits.size() == 2);
  CHECK(hits[0].turn->number == 1);
  CHECK(hits[1].turn->number == 2);
  CHECK_FALSE(hits[1].in_own_words);
}

TEST_CASE("a meaning is that of the question without the names of speakers of its scope") {
  const TemporaryFolder folder;
  Store store(folder);
  auto named = std::make_shared<Turn>(*turn(1, "I like the hills"));
  named->name = "Caroline Smith";
  REQUIRE(store.append({{kThread, named, {}}, row(2, "Melanie does too")}));
  const auto nameless = [&](std::string query) {
    RecallAsk ask;
    ask.query = std::move(query);
    std::optional<std::string> said;
    store.archive().without_names(kThread, {ask}, [&](StoreResult<std::vector<RecallAsk>> asks) {
      REQUIRE(asks.has_value());
      said = asks->front().nameless;
    });
    store.tasks().run_until([&] { return said.has_value(); });
    return *said;
  };
  CHECK(nameless("What does Caroline's family like?") == "What does  family like?");
  CHECK(nameless("What does Melanie like?") == "What does Melanie like?");
  CHECK(nameless("Caroline") == "Caroline");
}

TEST_CASE("a name that is written another way is found, unless it is there as it stands") {
  const TemporaryFolder folder;
  Store store(folder);
  REQUIRE(store.append({row(1, "Begona visits us"), row(2, "Stephan stays home"), row(3, "nobody else")}));
  CHECK(numbers(search(store, "Begonia")) == "1");
  CHECK(numbers(search(store, "Stefan")) == "2");
  REQUIRE(store.append({row(4, "the begonia flowers")}));
  CHECK(numbers(search(store, "Begonia")) == "4");
  REQUIRE(store.append({row(5, "Katrin sings", kElsewhere)}));
  CHECK(search(store, "Catrin").empty());
}

TEST_CASE("the index after adding, replacing and erasing in any order is that of the turns that are left") {
  std::mt19937 random(21);
  const auto words = [&random] {
    std::string text;
    for (std::size_t i = 1 + random() % 9; i > 0; --i) text += "w" + std::to_string(random() % 30) + " ";
    return text;
  };
  const std::vector<ThreadKey> threads{kThread, kElsewhere, kStranger, kOtherPersona};
  for (int round = 0; round < 6; ++round) {
    const TemporaryFolder folder;
    Store store(folder);
    std::map<Number, Row> rows;
    for (int step = 0; step < 120; ++step) {
      std::vector<Row> batch;
      for (std::size_t i = random() % 12; i > 0; --i) {
        const Number number = 1 + random() % 400;
        const ThreadKey thread = rows.contains(number) ? rows.at(number).thread : threads[random() % 4];
        batch.push_back(row(number, words(), thread));
        rows.insert_or_assign(number, batch.back());
      }
      REQUIRE(store.append(std::move(batch)));
      std::vector<Number> gone;
      const ThreadKey thread = threads[random() % 4];
      for (const auto& [number, kept] : rows) {
        if (kept.thread == thread && random() % 12 == 0) gone.push_back(number);
      }
      REQUIRE(store.erase(thread, gone));
      for (const Number number : gone) rows.erase(number);
    }
    Terms terms;
    std::map<std::string, std::map<Number, int>> said;  // term -> turn -> how often
    for (const auto& [number, kept] : rows) {
      for (const auto& [term, frequency] : indexed_text(terms, *kept.turn, 1000).terms) {
        said[kept.thread.persona + "/" + term][number] = frequency.said;
      }
    }
    // Found by searching, and by reading the tables.
    for (int word = 0; word < 30; ++word) {
      const std::string term = "w" + std::to_string(word);
      std::set<Number> expected;
      for (const auto& [number, often] : said["Ada/" + term]) expected.insert(number);
      std::set<Number> found;
      for (const Hit& hit : search(store, term, RecallScope::persona)) {
        if (hit.in_own_words) found.insert(hit.turn->number);
      }
      CHECK(found.size() == std::min<std::size_t>(expected.size(), 100));
      if (expected.size() < 60) CHECK(found == expected);
    }
    const std::string index = index_of(folder);
    std::size_t postings = 0;
    for (const auto& [term, turns] : said) postings += turns.size();
    CHECK(static_cast<std::size_t>(std::ranges::count(index, '\n')) == postings);
    // And nothing is left once all of it is erased.
    for (const ThreadKey& thread : threads) {
      std::vector<Number> all;
      for (const auto& [number, kept] : rows) {
        if (kept.thread == thread) all.push_back(number);
      }
      REQUIRE(store.erase(thread, all));
    }
    CHECK(index_of(folder).empty());
    OtherConnection other(folder.file());
    CHECK(other.text("SELECT count(*) FROM terms") == "0");
    CHECK(other.text("SELECT count(*) FROM owners") == "0");
  }
}

TEST_CASE("the words of an erased turn are in no file any more, also where nobody else said them") {
  const TemporaryFolder folder;
  Store store(folder);
  REQUIRE(store.append({row(1, "the xylophone is hidden"), row(2, "something else")}));
  CHECK(testing::bytes_in(folder.store()).find("xylophon") != std::string::npos);
  REQUIRE(store.erase(kThread, {1}));
  CHECK(testing::bytes_in(folder.store()).find("xylophon") == std::string::npos);
  CHECK(search(store, "xylophone").empty());
}

TEST_CASE("a store from before there was an index gets one, and threads that grow meanwhile keep their order") {
  const TemporaryFolder folder;
  std::string index;
  {
    Store store(folder);
    std::vector<Row> rows;
    for (Number number = 1; number <= 1200; ++number) {
      rows.push_back(row(number, "word" + std::to_string(number % 7) + " of turn" + std::to_string(number),
                         {{"local", "room" + std::to_string(number % 3)}, "Ada"}));
    }
    REQUIRE(store.append(std::move(rows)));
    index = index_of(folder);
    store.archive().close();
  }
  OtherConnection(folder.file())
      .execute(
          "DELETE FROM postings; DELETE FROM terms; DELETE FROM index_statistics; UPDATE turns SET place = NULL;"
          "UPDATE threads SET indexed = 0");
  Store store(folder);
  REQUIRE(store.append({row(2000, "word3 comes last", {{"local", "room1"}, "Ada"})}));
  store.tasks().run_until(
      [&] { return OtherConnection(folder.file()).text("SELECT min(indexed) FROM threads") == "1"; });
  REQUIRE(store.erase({{"local", "room1"}, "Ada"}, {2000}));
  CHECK(index_of(folder) == index);
}

TEST_CASE("an index made by other rules is made anew") {
  const TemporaryFolder folder;
  {
    Store store(folder);
    REQUIRE(store.append({row(1, "apple pie")}));
    store.archive().close();
  }
  OtherConnection(folder.file())
      .execute("UPDATE meta SET value = 999 WHERE key = 'index'; UPDATE terms SET term = 'x' || term");
  Store store(folder);
  store.tasks().run_until(
      [&] { return OtherConnection(folder.file()).text("SELECT min(indexed) FROM threads") == "1"; });
  CHECK(numbers(search(store, "apple")) == "1");
}

TEST_CASE("a question of a thousand words, of none, and of bytes that are no text is answered") {
  const TemporaryFolder folder;
  Store store(folder);
  REQUIRE(store.append({row(1, "apple pie")}));
  std::string words = "apple";
  for (int i = 0; i < 1000; ++i) words += " word" + std::to_string(i);
  CHECK(numbers(search(store, words)) == "1");
  CHECK(search(store, "").empty());
  CHECK(search(store, "... ?!").empty());
  CHECK(numbers(search(store, "\xff\xfe apple \xc3")) == "1");
}

}  // namespace
}  // namespace persona
