#include <algorithm>
#include <random>

#include "persona/ids.hpp"
#include "tests/persona/store/store.hpp"

// Records from elsewhere: what is new is taken, what is there stays or is replaced, and rows find their exchanges.

using namespace persona;
using namespace persona::testing;

namespace {

constexpr double kNoon = 1700000000;

TurnRecord said(std::string content, double time, Role role = Role::user, const ThreadKey& thread = kThread) {
  TurnRecord record;
  record.thread = thread;
  record.turn.content = std::move(content);
  record.turn.timestamp = kNoon + time;
  record.turn.role = role;
  return record;
}

TurnRecord with_id(std::string id, TurnRecord record) {
  record.turn.id = std::move(id);
  return record;
}

TurnRecord in_exchange(std::string exchange, TurnRecord record) {
  record.turn.exchange_id = std::move(exchange);
  return record;
}

FactRecord fact(std::string text, std::string id = {}, std::vector<std::string> sources = {}) {
  return {kThread, {std::move(id), std::move(text), kNoon, {}, {}}, std::move(sources)};
}

/// A store that is given records as a daemon would give them.
struct World {
  TemporaryFolder folder;
  Store store{folder};
  IdSource ids{7};
  Number next = 1;

  Imported import(std::vector<AnyRecord> records, OnConflict on_conflict = OnConflict::skip) {
    Import import;
    import.on_conflict = on_conflict;
    import.first = next;
    next += records.size();
    for (std::size_t i = 0; i < records.size(); ++i) import.ids.push_back(ids.next({}));
    import.records = std::move(records);
    std::optional<StoreResult<Imported>> result;
    store.archive().import(std::move(import), [&](StoreResult<Imported> got) { result = std::move(got); });
    store.tasks().run_until([&] { return result.has_value(); });
    REQUIRE(result->has_value());
    return **result;
  }
  void live(const std::string& content, double time) {
    auto turn = std::make_shared<Turn>(said(content, time).turn);
    turn->number = turn->exchange = next++;
    turn->id = turn->exchange_id = "live-" + std::to_string(turn->number);
    REQUIRE(store.append({{kThread, turn, {}}}).has_value());
  }
  std::vector<TurnPtr> rows(const ThreadKey& thread = kThread) {
    const auto page = store.read(thread, 10000);
    REQUIRE(page.has_value());
    return page->turns;
  }
  /// "user a; assistant b | user c": exchanges are told apart.
  std::string window(const ThreadKey& thread = kThread) {
    std::string text;
    Number exchange = 0;
    for (const TurnPtr& turn : rows(thread)) {
      if (!text.empty()) text += turn->exchange == exchange ? "; " : " | ";
      exchange = turn->exchange;
      text.append(turn->content);
    }
    return text;
  }
  Recollection known(const ThreadKey& thread = kThread) {
    std::optional<StoreResult<Recollection>> result;
    store.archive().recollect(thread, {100, true, {}}, [&](StoreResult<Recollection> got) { result = std::move(got); });
    store.tasks().run_until([&] { return result.has_value(); });
    REQUIRE(result->has_value());
    return **result;
  }
  std::string facts() {
    std::string text;
    for (const Fact& one : known().facts) text += (text.empty() ? "" : "; ") + one.text + " (" + one.source + ")";
    return text;
  }
};

const ThreadKey kOther{{"local", "hall"}, "Ada"};

}  // namespace

TEST_CASE("records become rows in their order, each with its id, and questions begin exchanges") {
  World world;
  const Imported imported =
      world.import({said("Hi", 0), said("Hello", 1, Role::assistant), with_id("mine", said("How are you?", 2)),
                    said("Fine", 3, Role::assistant), said("Elsewhere", 4, Role::user, kOther)});
  CHECK(imported.imported == 5);
  CHECK(imported.skipped == 0);
  CHECK(world.window() == "Hi; Hello | How are you?; Fine");
  CHECK(world.window(kOther) == "Elsewhere");
  REQUIRE(imported.ids.size() == 5);
  CHECK(imported.ids[2] == "mine");
  const auto rows = world.rows();
  CHECK(rows[0]->id == imported.ids[0]);
  CHECK(rows[1]->exchange_id == imported.ids[0]);
  CHECK(rows[3]->exchange_id == "mine");
  CHECK(rows[3]->timestamp == kNoon + 3);
  CHECK(world.store.status().turns == 5);
  CHECK(world.store.status().threads == 2);
  CHECK(imported.changed.size() == 2);
}

TEST_CASE("what was imported once is skipped the second time, with and without ids, and the old ids are told") {
  World world;
  const std::vector<AnyRecord> records{said("Hi", 0), said("Hello", 1, Role::assistant), with_id("mine", said("Hi", 2)),
                                       fact("likes tea"),
                                       SummaryRecord{kThread, "They greeted.", kNoon + 3, {}, {}, {}}};
  const Imported first = world.import(records);
  const Imported second = world.import(records);
  CHECK(first.imported == 5);
  CHECK(second.imported == 0);
  CHECK(second.skipped == 5);
  CHECK(second.ids == first.ids);
  CHECK(second.changed.empty());
  CHECK(world.rows().size() == 3);
  CHECK(world.known().facts.size() == 1);
}

TEST_CASE("without an id, only the same words by the same role at the same time in the same thread are the same") {
  World world;
  TurnRecord call = said("", 0, Role::assistant);
  call.turn.null_content = true;
  call.turn.tool_calls = R"([{"id":"1","name":"a","arguments":{}}])";
  TurnRecord other_call = call;
  other_call.turn.tool_calls = R"([{"id":"2","name":"b","arguments":{}}])";
  const Imported imported = world.import({said("Hi", 0), said("Hi", 1), said("Hi", 0, Role::assistant), said("Ho", 0),
                                          said("Hi", 0, Role::user, kOther), call, other_call});
  CHECK(imported.imported == 7);
  CHECK(world.import({said("Hi", 0), call}).skipped == 2);
}

TEST_CASE("a duplicate inside one request counts as one that was there before") {
  World world;
  const Imported skipped = world.import({said("Hi", 0), said("Hi", 0), with_id("a", said("Ho", 1)),
                                         with_id("a", said("Hu", 2)), fact("likes tea"), fact("Likes tea.")});
  CHECK(skipped.imported == 3);
  CHECK(skipped.skipped == 3);
  CHECK(skipped.ids[1] == skipped.ids[0]);
  CHECK(skipped.ids[5] == skipped.ids[4]);
  CHECK(world.window() == "Hi | Ho");
  const Imported replaced =
      world.import({with_id("b", said("One", 3)), with_id("b", said("Two", 4))}, OnConflict::replace);
  CHECK(replaced.imported == 2);
  CHECK(world.window() == "Hi | Ho | Two");
}

TEST_CASE("replacing makes a row what the record says, in its place") {
  World world;
  world.import({with_id("a", said("One", 0)), said("Answer", 1, Role::assistant), with_id("b", said("Two", 2))});
  const Number number = world.rows()[0]->number;
  TurnRecord other = with_id("a", said("Eins", 5));
  other.turn.lang = "de";
  const Imported imported = world.import({other}, OnConflict::replace);
  CHECK(imported.imported == 1);
  CHECK(imported.ids == std::vector<std::string>{"a"});
  CHECK(world.window() == "Eins; Answer | Two");
  CHECK(world.rows()[0]->number == number);
  CHECK(world.rows()[0]->timestamp == kNoon + 5);
  CHECK(world.rows()[0]->lang == "de");
  CHECK(world.store.status().turns == 3);
}

TEST_CASE("a row without an id that is replaced keeps the id it has, and gets what else the record says") {
  World world;
  const Imported first = world.import({said("Hi", 0), said("Hello", 1, Role::assistant)});
  TurnRecord named = said("Hi", 0);
  named.turn.name = "Bob";
  const Imported second = world.import({named}, OnConflict::replace);
  CHECK(second.ids[0] == first.ids[0]);
  CHECK(world.rows()[0]->name == "Bob");
  CHECK(world.window() == "Hi; Hello");
}

TEST_CASE("an id that is in another thread: skipping leaves it there, replacing moves it") {
  World world;
  world.import({with_id("a", said("One", 0)), with_id("b", said("Two", 1))});
  const Imported skipped = world.import({with_id("a", said("Moved", 2, Role::user, kOther))});
  CHECK(skipped.skipped == 1);
  CHECK(world.window(kOther).empty());
  CHECK(world.store.status().threads == 1);

  const Imported moved =
      world.import({said("First", 2, Role::user, kOther), with_id("a", said("Moved", 3, Role::assistant, kOther)),
                    with_id("b", said("Also", 4, Role::user, kOther))},
                   OnConflict::replace);
  CHECK(moved.imported == 3);
  CHECK(world.window().empty());
  CHECK(world.window(kOther) == "First; Moved | Also");
  CHECK(world.store.status().threads == 1);
  CHECK(world.store.status().turns == 3);
  const auto touched = std::ranges::count_if(moved.changed, [](const auto& rows) { return rows.thread == kThread; });
  CHECK(touched == 1);
}

TEST_CASE("rows of one exchange share it, across requests and whatever came between") {
  World world;
  world.import({with_id("q1", in_exchange("q1", said("Q1", 0))), in_exchange("e2", said("Q2", 1)),
                with_id("q3", in_exchange("e3", said("Q3", 2)))});
  world.live("Live", 100);
  world.import({in_exchange("e2", said("A2", 3, Role::assistant)), in_exchange("e3", said("A3", 4, Role::assistant)),
                in_exchange("q1", said("A1", 5, Role::assistant)),
                in_exchange("e2", said("More 2", 6, Role::assistant))});
  CHECK(world.window() == "Q1; A1 | Q2; A2; More 2 | Q3; A3 | Live");
  const auto rows = world.rows();
  CHECK(rows[1]->exchange_id == "q1");
  CHECK(rows[3]->exchange_id == "e2");
  CHECK(rows[6]->exchange_id == "e3");
  // The same id in another thread is another exchange.
  world.import({in_exchange("e2", said("Alone", 7, Role::assistant, kOther))});
  CHECK(world.window(kOther) == "Alone");
}

TEST_CASE("an answer without an exchange belongs to what was said before it, not to what was said live meanwhile") {
  World world;
  world.import({said("Q1", 0), said("A1", 1, Role::assistant), said("Q2", 2)});
  world.live("Live", 100);
  world.import({said("A2", 3, Role::assistant), said("Q3", 4), said("A3", 5, Role::assistant)});
  CHECK(world.window() == "Q1; A1 | Q2; A2 | Live | Q3; A3");
}

TEST_CASE("an answer after a skipped question belongs to that question") {
  World world;
  world.import({said("Q1", 0), said("Q2", 50)});
  world.import({said("Q1", 0), said("A1", 60, Role::assistant)});
  CHECK(world.window() == "Q1; A1 | Q2");
}

TEST_CASE("a file imported in pieces of any size gives the rows that it gives in one") {
  std::vector<AnyRecord> records;
  std::mt19937 random(7);
  for (int i = 0; i < 200; ++i) {
    const ThreadKey& thread = random() % 2 == 0 ? kThread : kOther;
    const Role role = random() % 2 == 0 ? Role::user : random() % 4 == 0 ? Role::system : Role::assistant;
    records.emplace_back(said("row " + std::to_string(i), static_cast<double>(i / 3), role, thread));
  }
  World whole;
  whole.import(records);
  for (const std::size_t size : {1u, 2u, 7u, 64u}) {
    World pieces;
    for (std::size_t at = 0; at < records.size(); at += size) {
      const auto begin = records.begin() + static_cast<std::ptrdiff_t>(at);
      pieces.import({begin, begin + static_cast<std::ptrdiff_t>(std::min(size, records.size() - at))});
    }
    CHECK(pieces.window() == whole.window());
    CHECK(pieces.window(kOther) == whole.window(kOther));
  }
}

TEST_CASE("a fact stands for itself, or goes with the rows it was learnt from") {
  World world;
  world.import({with_id("a", said("I like tea", 0)), fact("likes tea", "f1", {"a", "gone"}),
                fact("is tall", "f2", {"gone"}), fact("is old", "f3")});
  CHECK(world.facts() == "likes tea (learnt); is tall (asked); is old (asked)");
  REQUIRE(world.store.erase(kThread, {world.rows()[0]->number}).has_value());
  CHECK(world.facts() == "is tall (asked); is old (asked)");
}

TEST_CASE("a fact is known by its id or by what it says; replacing keeps its place, and leaves no second one") {
  World world;
  const Imported first = world.import({fact("likes tea", "f1"), fact("is old", "f2"), fact("is tall", "f3")});
  CHECK(world.import({fact("Likes tea!", "f9"), fact("is young", "f2")}).ids == std::vector<std::string>{"f1", "f2"});
  CHECK(world.facts() == "likes tea (asked); is old (asked); is tall (asked)");
  CHECK(world.import({fact("Likes tea!", "f9"), fact("is young", "f2")}, OnConflict::replace).ids ==
        std::vector<std::string>{"f9", "f2"});
  CHECK(world.facts() == "Likes tea! (asked); is young (asked); is tall (asked)");
  world.import({fact("is tall", "f9")}, OnConflict::replace);
  CHECK(world.facts() == "is tall (asked); is young (asked)");
  CHECK(first.imported == 3);
}

TEST_CASE("a fact that moves takes the thread with it that held nothing else") {
  World world;
  world.import({fact("likes tea", "f1")});
  FactRecord moved = fact("likes tea", "f1");
  moved.thread = kOther;
  CHECK(world.import({moved}).skipped == 1);
  CHECK(world.import({moved}, OnConflict::replace).imported == 1);
  CHECK(world.known().facts.empty());
  CHECK(world.known(kOther).facts.size() == 1);
  CHECK(world.store.status().threads == 1);
}

TEST_CASE("a thread has one summary, which knows how far it goes") {
  World world;
  world.import({with_id("a", said("One", 0)), with_id("b", said("Two", 1)), with_id("c", said("Three", 2)),
                SummaryRecord{kThread, "First", kNoon + 5, "b", "c", {}}});
  const auto rows = world.rows();
  Summary summary = world.known().summary;
  CHECK(summary.text == "First");
  CHECK(summary.progress.upto == rows[1]->number);
  CHECK(summary.progress.looked == rows[2]->number);

  CHECK(world.import({SummaryRecord{kThread, "Second", kNoon, {}, {}, {}}}).skipped == 1);
  CHECK(world.import({SummaryRecord{kThread, "Second", kNoon + 1, {}, {}, {}}}, OnConflict::replace).imported == 1);
  summary = world.known().summary;
  CHECK(summary.text == "Second");
  CHECK(summary.progress.upto == rows[1]->number);  // what was said when it was made
  world.import({SummaryRecord{kThread, "Third", kNoon + 9, {}, {}, {"a", "gone"}}}, OnConflict::replace);
  CHECK(world.known().summary.progress.upto == rows[0]->number);

  // It goes with a row that is in it, as any summary.
  REQUIRE(world.store.erase(kThread, {rows[0]->number}).has_value());
  CHECK(world.known().summary.text.empty());
}

TEST_CASE("other words in a row take with them what was learnt from the old ones; the same words do not") {
  World world;
  world.import({with_id("a", said("I like tea", 0)), fact("likes tea", "f1", {"a"}),
                SummaryRecord{kThread, "Tea", kNoon + 5, {}, {}, {}}});
  TurnRecord named = with_id("a", said("I like tea", 0));
  named.turn.name = "Bob";
  world.import({named}, OnConflict::replace);
  CHECK(world.facts() == "likes tea (learnt)");
  CHECK(world.known().summary.text == "Tea");
  world.import({with_id("a", said("I like milk", 0))}, OnConflict::replace);
  CHECK(world.facts().empty());
  CHECK(world.known().summary.text.empty());
  CHECK(world.window() == "I like milk");
}

TEST_CASE("imported rows ask for nothing to be learnt, and facts are not looked for in them later") {
  World world;
  world.import({said("Q", 0), said("A", 1, Role::assistant)});
  auto jobs = std::optional<std::size_t>();
  world.store.archive().jobs(10, [&](StoreResult<std::vector<LearningJob>> found) { jobs = found->size(); });
  world.store.tasks().run_until([&] { return jobs.has_value(); });
  CHECK(jobs == 0);
  std::vector<std::size_t> unlearned;
  for (const LearningKind kind : {LearningKind::facts, LearningKind::summary}) {
    world.store.archive().unlearned(kThread, kind, 0, 10,
                                    [&](StoreResult<Unlearned> found) { unlearned.push_back(found->turns.size()); });
  }
  world.store.tasks().run_until([&] { return unlearned.size() == 2; });
  // A summary that is not there is still made once the conversation goes on: contexts show what is not in it.
  CHECK(unlearned == std::vector<std::size_t>{0, 2});
}

TEST_CASE("what waits to be learnt from before an import is still learnt from") {
  World world;
  auto asked = std::make_shared<Turn>(said("Q", 0, Role::assistant).turn);
  asked->number = asked->exchange = world.next++;
  asked->id = asked->exchange_id = "live";
  REQUIRE(world.store.append({{kThread, asked, {LearningKind::facts}}}).has_value());
  world.import({said("Imported", 0)});
  std::optional<std::size_t> unlearned;
  world.store.archive().unlearned(kThread, LearningKind::facts, 0, 10,
                                  [&](StoreResult<Unlearned> found) { unlearned = found->turns.size(); });
  world.store.tasks().run_until([&] { return unlearned.has_value(); });
  CHECK(unlearned == 2);
}

TEST_CASE("an import that the store fails in stores nothing, and the next one all") {
  World world;
  world.import({said("Before", 0)});
  {
    OtherConnection other(world.folder.file());
    other.execute("BEGIN IMMEDIATE");
    Import import;
    import.first = world.next;
    import.records = {said("One", 1), said("Two", 2)};
    import.ids = {"x", "y"};
    std::optional<boost::system::error_code> error;
    world.store.archive().import(std::move(import), [&](StoreResult<Imported> got) { error = got.error(); });
    world.store.tasks().run_until([&] { return error.has_value(); });
    CHECK(error == make_error_code(StoreError::unavailable));
    other.execute("ROLLBACK");
  }
  CHECK(world.window() == "Before");
  world.import({said("One", 1), said("Two", 2)});
  CHECK(world.window() == "Before | One | Two");
}

TEST_CASE("numbers of an import are never given out again") {
  TemporaryFolder folder;
  {
    Store store(folder);
    Import import;
    import.first = 5;
    import.records = {said("One", 1), said("Two", 2)};
    import.ids = {"x", "y"};
    bool done = false;
    store.archive().import(std::move(import), [&](StoreResult<Imported> got) { done = got.has_value(); });
    CHECK(store.archive().next_number() == 7);
    store.tasks().run_until([&] { return done; });
  }
  CHECK(Store(folder).archive().next_number() == 7);
}

TEST_CASE("a thousand rows of one time are told apart without comparing each with each") {
  World world;
  std::vector<AnyRecord> records;
  for (int i = 0; i < 1000; ++i) records.emplace_back(said("row " + std::to_string(i), 0));
  for (int round = 0; round < 5; ++round) {
    for (auto& record : records) std::get<TurnRecord>(record).turn.content += "x";
    CHECK(world.import(records).imported == 1000);
  }
  CHECK(world.import(records).skipped == 1000);
  CHECK(world.import(records, OnConflict::replace).imported == 1000);
  CHECK(world.rows().size() == 5000);
}
