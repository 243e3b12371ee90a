#include <doctest/doctest.h>

#include <set>

#include "persona/store/schema.hpp"
#include "persona/store/store_file.hpp"
#include "persona/store/store_reader.hpp"
#include "tests/persona/store/store.hpp"

namespace persona {
namespace {

using testing::kThread;
using testing::OtherConnection;
using testing::row;
using testing::Store;
using testing::TemporaryFolder;
using testing::turn;

/// What a store knows of a thread beside its turns.
struct Notes {
  TemporaryFolder folder;
  std::unique_ptr<Store> store = std::make_unique<Store>(folder);

  void restart() {
    store->archive().close();
    store.reset();
    store = std::make_unique<Store>(folder);
  }
  template <class T>
  T wait(const std::function<void(Archive::Done<T>)>& call) {
    std::optional<StoreResult<T>> result;
    call([&](StoreResult<T> got) { result = std::move(got); });
    store->tasks().run_until([&] { return result.has_value(); });
    REQUIRE(result->has_value());
    return std::move(**result);
  }
  Remembered remember(const std::string& id, const std::string& text) {
    return wait<Remembered>([&](Archive::Done<Remembered> done) {
      store->archive().remember(kThread, {id, text, 1, "asked", {}}, std::move(done));
    });
  }
  bool learn(std::vector<std::string> facts, Number upto, std::vector<Number> turns, std::size_t most = 0) {
    Learnt learnt;
    learnt.kind = LearningKind::facts;
    learnt.facts = std::move(facts);
    learnt.most_facts = most;
    learnt.progress = {upto, upto};
    learnt.turns = std::move(turns);
    return wait<bool>([&](Archive::Done<bool> done) { store->archive().learnt(kThread, learnt, 1, std::move(done)); });
  }
  std::vector<Fact> known() {
    Wants wants;
    wants.facts = 100;
    return wait<Recollection>(
               [&](Archive::Done<Recollection> done) { store->archive().recollect(kThread, wants, std::move(done)); })
        .facts;
  }
  std::string facts() {
    std::string line;
    for (const Fact& fact : known()) line.append(line.empty() ? "" : "; ").append(fact.source + " " + fact.text);
    return line;
  }
  Unlearned unlearned(LearningKind kind) {
    return wait<Unlearned>(
        [&](Archive::Done<Unlearned> done) { store->archive().unlearned(kThread, kind, 0, 100, std::move(done)); });
  }
  std::size_t jobs() {
    return wait<std::vector<LearningJob>>(
               [&](Archive::Done<std::vector<LearningJob>> done) { store->archive().jobs(100, std::move(done)); })
        .size();
  }
};

Row lesson(Number number, std::string content) {
  return {kThread, turn(number, std::move(content)), {LearningKind::summary, LearningKind::facts}};
}

TEST_CASE("a row brings its jobs along, once a kind however often it is said") {
  Notes notes;
  REQUIRE(notes.store->append({row(1, "nothing to learn")}));
  CHECK(notes.jobs() == 0);
  REQUIRE(notes.store->append({{kThread, turn(2, "a fact"), {LearningKind::facts}}}));
  CHECK(notes.jobs() == 1);
  notes.store->archive().keep(lesson(3, "more"));
  notes.store->archive().keep(lesson(3, "more, corrected"));
  CHECK(notes.jobs() == 2);
  CHECK(notes.unlearned(LearningKind::facts).marks == 3);
  CHECK(notes.unlearned(LearningKind::summary).marks == 2);
  notes.restart();
  CHECK(notes.jobs() == 2);
}

TEST_CASE("what was heard while the store failed is to be learnt from once it is stored") {
  Notes notes;
  OtherConnection other(notes.folder.file());
  other.execute("BEGIN IMMEDIATE");
  notes.store->archive().keep(lesson(1, "heard"));
  notes.store->flush();
  CHECK(notes.store->append({lesson(2, "asked")}).has_error());
  CHECK(notes.jobs() == 0);
  other.execute("COMMIT");
  notes.store->flush();
  CHECK(notes.jobs() == 2);
  CHECK(notes.unlearned(LearningKind::facts).marks == 1);  // of the row that is there
}

TEST_CASE("a row that was erased while it waited leaves no job") {
  Notes notes;
  OtherConnection other(notes.folder.file());
  other.execute("BEGIN IMMEDIATE");
  notes.store->archive().keep(lesson(1, "a PIN"));
  notes.store->flush();
  CHECK(notes.store->erase(kThread, {1}).has_error());
  other.execute("COMMIT");
  notes.store->flush();
  CHECK(notes.jobs() == 0);
}

TEST_CASE("a fact that was learnt and then is asked to be remembered stays when its rows go, and beyond the limit") {
  Notes notes;
  for (Number n = 1; n <= 3; ++n) REQUIRE(notes.store->append({row(n, "said")}));
  REQUIRE(notes.learn({"Likes tea", "Has a cat"}, 1, {1}));
  const Remembered remembered = notes.remember("mine", "likes tea.");
  CHECK(remembered.duplicate);
  CHECK(remembered.fact == "Likes tea");
  CHECK(notes.facts() == "asked Likes tea; learnt Has a cat");
  REQUIRE(notes.store->erase(kThread, {1}));
  CHECK(notes.facts() == "asked Likes tea");
  REQUIRE(notes.learn({"Lives in Rome"}, 2, {2}, 1));
  CHECK(notes.facts() == "asked Likes tea; learnt Lives in Rome");
}

TEST_CASE("a fact that was asked to be remembered and is learnt later stays as it was asked") {
  Notes notes;
  REQUIRE(notes.store->append({row(1, "said")}));
  CHECK_FALSE(notes.remember("mine", "Likes tea").duplicate);
  REQUIRE(notes.learn({"likes tea"}, 1, {1}));
  CHECK(notes.facts() == "asked Likes tea");
  REQUIRE(notes.store->erase(kThread, {1}));
  CHECK(notes.facts() == "asked Likes tea");
}

TEST_CASE("ids of learnt facts are unique, also among stores that learnt the same") {
  std::set<std::string> ids;
  for (int store = 0; store < 2; ++store) {
    Notes notes;
    REQUIRE(notes.store->append({row(1, "said")}));
    REQUIRE(notes.learn({"Likes tea", "Has a cat"}, 1, {1}));
    for (const Fact& fact : notes.known()) {
      CHECK(fact.id.size() == 32);
      CHECK(fact.id.find_first_not_of("0123456789abcdef") == std::string::npos);
      ids.insert(fact.id);
    }
  }
  CHECK(ids.size() == 4);
}

TEST_CASE("numbers of erased rows are not given out again, so that nothing said later is skipped in learning") {
  Notes notes;
  for (Number n = 1; n <= 3; ++n) REQUIRE(notes.store->append({row(n, "said")}));
  REQUIRE(notes.learn({"Likes tea"}, 3, {1}));
  REQUIRE(notes.store->erase(kThread, {2, 3}));
  notes.restart();
  const Number next = notes.store->archive().next_number();
  CHECK(next == 4);
  REQUIRE(notes.store->append({row(next, "said later")}));
  const Unlearned left = notes.unlearned(LearningKind::facts);
  REQUIRE(left.turns.size() == 1);
  CHECK(left.turns[0]->content == "said later");
}

TEST_CASE("a row that could not be stored takes no number away for good") {
  Notes notes;
  REQUIRE(notes.store->append({row(1, "said")}));
  {
    OtherConnection other(notes.folder.file());
    other.execute("BEGIN IMMEDIATE");
    CHECK(notes.store->append({row(2, "lost")}).has_error());
    other.execute("COMMIT");
  }
  notes.restart();
  CHECK(notes.store->archive().next_number() == 2);
}

TEST_CASE("a store of the first version knows which numbers it gave out") {
  const TemporaryFolder folder;
  {
    REQUIRE(open_store_file(Store::settings_in(folder), migrations().first(1)).has_value());
    OtherConnection other(folder.file());
    other.execute("INSERT INTO threads VALUES(1, 'local', 'kitchen', 'Ada', 1, 4, 1, 1)");
    other.execute("INSERT INTO turns(number, id, thread, exchange, timestamp, role) VALUES(7, 'x', 1, 7, 1, 2)");
  }
  {
    Store store(folder);
    CHECK(store.archive().next_number() == 8);
    REQUIRE(store.erase(kThread, {7}));
  }
  Store store(folder);
  CHECK(store.archive().next_number() == 8);
}

TEST_CASE("a read that fails when it is done again is unavailable, whatever it was the first time") {
  const TemporaryFolder folder;
  auto file = open_store_file(Store::settings_in(folder));
  REQUIRE(file.has_value());
  StoreTables tables(*file->connection);
  OperationQueue queue(Load{10, 1000});
  StoreReader reader(tables, queue);
  bool works = true;
  TableWork work;
  work.run = [&](StoreTables&) { return works; };
  Operation operation = std::move(work);
  CHECK(reader.read(operation));
  CHECK(std::get<TableWork>(operation).result.has_value());
  works = false;
  CHECK_FALSE(reader.read(operation));
  CHECK(std::get<TableWork>(operation).result.error() == make_error_code(StoreError::unavailable));
}

}  // namespace
}  // namespace persona
