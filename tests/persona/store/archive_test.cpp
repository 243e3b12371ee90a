#include <doctest/doctest.h>

#include <map>
#include <random>

#include "tests/persona/store/store.hpp"

namespace persona {
namespace {

using namespace std::string_literals;
using testing::kThread;
using testing::numbers;
using testing::row;
using testing::Store;
using testing::TemporaryFolder;
using testing::turn;

Turn full_turn() {
  Turn full;
  full.id = "01H";
  full.number = 7;
  full.exchange = 3;
  full.exchange_id = "01G";
  full.timestamp = 1700000000.25;
  full.role = Role::assistant;
  full.content = "a\0b \xF0\x9F\x98\x80 e\xCC\x81 \xD7\xA9"s;
  full.name = "Ada";
  full.type = "memory";
  full.lang = "en-GB";
  full.tool_calls = R"([{"id":"x"}])";
  full.tool_call_id = "x";
  full.meta = R"({"k":[1]})";
  return full;
}

void check_same(const Turn& a, const Turn& b) {
  CHECK(a.id == b.id);
  CHECK(a.number == b.number);
  CHECK(a.exchange == b.exchange);
  CHECK(a.exchange_id == b.exchange_id);
  CHECK(a.timestamp == b.timestamp);
  CHECK(a.role == b.role);
  CHECK(a.content == b.content);
  CHECK(a.name == b.name);
  CHECK(a.type == b.type);
  CHECK(a.lang == b.lang);
  CHECK(a.tool_calls == b.tool_calls);
  CHECK(a.tool_call_id == b.tool_call_id);
  CHECK(a.meta == b.meta);
  CHECK(a.null_content == b.null_content);
}

TEST_CASE("a turn comes back as it was stored, a NUL and an absent content too, also after a restart") {
  const TemporaryFolder folder;
  Turn null_content = full_turn();
  null_content.id = "01J";
  null_content.number = 8;
  null_content.content.clear();
  null_content.null_content = true;
  Turn empty = *turn(9, "");
  const auto check = [&](Store& store) {
    const auto page = store.read(kThread, 10);
    REQUIRE(page.has_value());
    REQUIRE(page->turns.size() == 3);
    check_same(*page->turns[0], full_turn());
    check_same(*page->turns[1], null_content);
    check_same(*page->turns[2], empty);
  };
  {
    Store store(folder);
    REQUIRE(store.append({{kThread, std::make_shared<const Turn>(full_turn())},
                          {kThread, std::make_shared<const Turn>(null_content)},
                          {kThread, std::make_shared<const Turn>(empty)}}));
    check(store);
  }
  Store store(folder);
  check(store);
}

TEST_CASE("threads whose keys hold a NUL or differ in one part never mix") {
  const TemporaryFolder folder;
  Store store(folder);
  const std::vector<ThreadKey> keys{{{"a", "b"}, "c"}, {{"a", "b"}, std::string("c\0d", 3)},
                                    {{"a", "b"}, ""},  {{"a", "B"}, "c"},
                                    {{"A", "b"}, "c"}, {{std::string("a\0", 2), "b"}, "c"}};
  for (std::size_t i = 0; i < keys.size(); ++i) store.archive().keep(row(i + 1, "x", keys[i]));
  for (std::size_t i = 0; i < keys.size(); ++i) CHECK(numbers(store.read(keys[i], 10)) == std::to_string(i + 1));
  const auto listed = store.threads();
  REQUIRE(listed.has_value());
  REQUIRE(listed->threads.size() == keys.size());
  for (std::size_t i = 0; i < keys.size(); ++i) CHECK(listed->threads[i].thread == keys[i]);
}

TEST_CASE("a read sees every write called before it, and answers come in call order") {
  const TemporaryFolder folder;
  Store store(folder);
  std::string order;
  store.archive().append({row(1, "a")}, [&](auto) { order += 'a'; });
  store.archive().keep(row(2, "b"));
  store.archive().read(kThread, 10, std::nullopt, [&](StoreResult<TurnPage> page) { order += numbers(page); });
  store.archive().erase(kThread, {1}, [&](auto) { order += 'e'; });
  store.archive().read(kThread, 10, std::nullopt, [&](StoreResult<TurnPage> page) { order += numbers(page); });
  bool flushed = false;
  store.archive().flush([&] { flushed = true; });
  store.tasks().run_until([&] { return flushed; });
  CHECK(order == "a1 2e2");
}

TEST_CASE("a page is the newest rows in window order, and what came before a row goes on from there") {
  const TemporaryFolder folder;
  Store store(folder);
  REQUIRE(store.append({{kThread, turn(1, "a?")},
                        {kThread, turn(2, "b?")},
                        {kThread, turn(3, "b", 2, Role::assistant)},
                        {kThread, turn(4, "a", 1, Role::assistant)},
                        {kThread, turn(5, "c?")}}));
  const auto all = store.read(kThread, 5);
  CHECK(numbers(all) == "1 4 2 3 5");
  CHECK(all->from_the_start);
  const auto newest = store.read(kThread, 2);
  CHECK(numbers(newest) == "3 5");
  CHECK_FALSE(newest->from_the_start);
  const auto older = store.read(kThread, 2, "turn-3");
  CHECK(numbers(older) == "4 2");
  CHECK_FALSE(older->from_the_start);
  const auto oldest = store.read(kThread, 2, "turn-4");
  CHECK(numbers(oldest) == "1");
  CHECK(oldest->from_the_start);
  CHECK(numbers(store.read(kThread, 0)).empty());
}

TEST_CASE("a row that is not of the thread is an unknown turn, an unknown thread is empty from the start") {
  const TemporaryFolder folder;
  Store store(folder);
  const ThreadKey other{{"local", "hall"}, "Ada"};
  REQUIRE(store.append({row(1, "a"), row(2, "b", other)}));
  CHECK(store.read(kThread, 5, "turn-2").error() == make_error_code(StoreError::unknown_turn));
  CHECK(store.read(kThread, 5, "nonsense").error() == make_error_code(StoreError::unknown_turn));
  const ThreadKey nobody{{"x", "y"}, "z"};
  CHECK(store.read(nobody, 5, "turn-1").error() == make_error_code(StoreError::unknown_turn));
  const auto empty = store.read(nobody, 5);
  CHECK(numbers(empty).empty());
  CHECK(empty->from_the_start);
  CHECK(store.threads()->threads.size() == 2);
}

TEST_CASE("a row with a number that is stored replaces it, and the counters follow") {
  const TemporaryFolder folder;
  Store store(folder);
  const ThreadKey other{{"local", "hall"}, "Ada"};
  REQUIRE(store.append({row(1, "first"), row(2, "second")}));
  store.archive().keep({kThread, turn(2, "second, corrected")});
  auto page = store.read(kThread, 5);
  CHECK(numbers(page) == "1 2");
  CHECK(page->turns[1]->content == "second, corrected");
  auto listed = store.threads();
  CHECK(listed->threads[0].turns == 2);
  CHECK(listed->threads[0].bytes == 5 + 17);
  REQUIRE(store.append({row(1, "moved", other)}));
  listed = store.threads();
  REQUIRE(listed->threads.size() == 2);
  CHECK(listed->threads[0].turns == 1);
  CHECK(listed->threads[0].first == 1700000002);
  CHECK(listed->threads[1].bytes == 5);
  CHECK(store.status().turns == 2);
}

TEST_CASE("rows are stored all or none, and an id that is taken refuses its call alone") {
  const TemporaryFolder folder;
  Store store(folder);
  REQUIRE(store.append({row(1, "a")}));
  Turn taken = *turn(3, "c");
  taken.id = "turn-1";
  StoreResult<void> refused, other = make_error_code(StoreError::closed);
  store.archive().append({row(2, "b"), {kThread, std::make_shared<const Turn>(taken)}},
                         [&](StoreResult<void> result) { refused = result; });
  store.archive().append({row(4, "d")}, [&](StoreResult<void> result) { other = result; });
  store.archive().keep({kThread, std::make_shared<const Turn>(taken)});
  store.archive().keep(row(5, "e"));
  store.flush();
  CHECK(refused.error() == make_error_code(StoreError::unavailable));
  CHECK(other.has_value());
  CHECK(numbers(store.read(kThread, 9)) == "1 4 5");
  const StoreStatus status = store.status();
  CHECK(status.turns == 3);
  CHECK(status.dropped == 1);
  CHECK(status.waiting == 0);
}

TEST_CASE("a thread whose last row is erased is gone, and erasing what is not there changes nothing") {
  const TemporaryFolder folder;
  Store store(folder);
  REQUIRE(store.append({row(1, "a"), row(2, "b"), row(3, "c")}));
  REQUIRE(store.erase(kThread, {1, 77}));
  auto listed = store.threads();
  REQUIRE(listed->threads.size() == 1);
  CHECK(listed->threads[0].turns == 2);
  CHECK(listed->threads[0].first == 1700000002);
  REQUIRE(store.erase({{"local", "hall"}, "Ada"}, {2}));
  CHECK(numbers(store.read(kThread, 5)) == "2 3");
  REQUIRE(store.erase(kThread, {3}));
  CHECK(store.threads()->threads[0].last == 1700000002);
  REQUIRE(store.erase(kThread, {2}));
  CHECK(store.threads()->threads.empty());
  CHECK(store.status().threads == 0);
  CHECK(store.status().turns == 0);
  REQUIRE(store.append({row(4, "d")}));
  CHECK(numbers(store.read(kThread, 5)) == "4");
}

TEST_CASE("threads are listed page by page, by owner and by when they were active") {
  const TemporaryFolder folder;
  Store store(folder);
  for (Number n = 1; n <= 25; ++n) {
    store.archive().keep(row(n, "x", {{n % 2 == 0 ? "even" : "odd", std::to_string(n)}, "Ada"}));
  }
  ThreadsQuery query;
  query.limit = 10;
  std::vector<std::string> seen;
  for (int page = 0; page < 3; ++page) {
    const auto listed = store.threads(query);
    REQUIRE(listed.has_value());
    for (const ThreadSummary& summary : listed->threads) seen.push_back(summary.thread.where.conversation);
    query.cursor = listed->cursor;
    CHECK(query.cursor.empty() == (page == 2));
  }
  REQUIRE(seen.size() == 25);
  CHECK(seen.front() == "1");
  CHECK(seen.back() == "25");
  query = {};
  query.owner = "even";
  CHECK(store.threads(query)->threads.size() == 12);
  query.active_since = 1700000020;
  CHECK(store.threads(query)->threads.size() == 3);
  for (const char* junk : {"x", "t", "t-1", "t0", "tzz", "t1 ", "12"}) {
    CAPTURE(junk);
    query.cursor = junk;
    CHECK(store.threads(query).error() == make_error_code(StoreError::bad_cursor));
  }
}

TEST_CASE("who is active in a conversation survives a restart, the newest state counts") {
  const TemporaryFolder folder;
  const ConversationKey where{"local", "kitchen"};
  const ActivePersona::State ada{"Ada", ActivePersona::Source::event, true, 1700000000.5};
  const ActivePersona::State none{"", ActivePersona::Source::field, true, 1700000001};
  {
    Store store(folder);
    CHECK(store.active(where).value() == std::nullopt);
    store.archive().keep_active(where, none);
    store.archive().keep_active(where, ada);
    CHECK(store.active(where).value() == ada);
    store.archive().close();
  }
  Store store(folder);
  CHECK(store.active(where).value() == ada);
  CHECK(store.active({"local", "hall"}).value() == std::nullopt);
}

TEST_CASE("the next number is above every row stored, before and after a restart") {
  const TemporaryFolder folder;
  {
    Store store(folder);
    CHECK(store.archive().next_number() == 1);
    store.archive().keep(row(41, "x"));
    CHECK(store.archive().next_number() == 42);
    REQUIRE(store.append({row(7, "y")}));
    CHECK(store.archive().next_number() == 42);
  }
  Store store(folder);
  CHECK(store.archive().next_number() == 42);
}

TEST_CASE("what waits when the store is closed is written first") {
  const TemporaryFolder folder;
  {
    Store store(folder);
    for (Number n = 1; n <= 500; ++n) store.archive().keep(row(n, "x"));
    store.archive().close();
  }
  Store store(folder);
  CHECK(store.read(kThread, 1000)->turns.size() == 500);
  CHECK(store.status().turns == 500);
}

// What the tables must say, kept by hand.
class Model {
 public:
  void put(const Row& row) {
    for (auto& [key, rows] : threads_) rows.erase(row.turn->number);
    threads_[key(row.thread)][row.turn->number] = row.turn;
  }
  void erase(const ThreadKey& thread, Number number) { threads_[key(thread)].erase(number); }
  void check(Store& store) const {
    std::size_t threads = 0, turns = 0;
    const auto listed = store.threads({1000, "", std::nullopt, std::nullopt});
    REQUIRE(listed.has_value());
    for (const auto& [name, rows] : threads_) {
      if (rows.empty()) continue;
      ++threads;
      turns += rows.size();
      std::uint64_t bytes = 0;
      double first = 1e18, last = 0;
      std::string order;
      std::vector<TurnPtr> sorted;
      for (const auto& [number, one] : rows) sorted.push_back(one);
      std::sort(sorted.begin(), sorted.end(), [](const TurnPtr& a, const TurnPtr& b) {
        return std::pair(a->exchange, a->number) < std::pair(b->exchange, b->number);
      });
      for (const TurnPtr& one : sorted) {
        bytes += one->content.size();
        first = std::min(first, one->timestamp);
        last = std::max(last, one->timestamp);
        order += (order.empty() ? "" : " ") + std::to_string(one->number);
      }
      const auto found = std::find_if(listed->threads.begin(), listed->threads.end(),
                                      [&](const ThreadSummary& summary) { return key(summary.thread) == name; });
      REQUIRE(found != listed->threads.end());
      REQUIRE(found->turns == rows.size());
      REQUIRE(found->bytes == bytes);
      REQUIRE(found->first == first);
      REQUIRE(found->last == last);
      REQUIRE(numbers(store.read(found->thread, 1000)) == order);
    }
    REQUIRE(listed->threads.size() == threads);
    const StoreStatus status = store.status();
    REQUIRE(status.threads == threads);
    REQUIRE(status.turns == turns);
  }

 private:
  static std::string key(const ThreadKey& thread) { return thread.where.conversation + "/" + thread.persona; }
  std::map<std::string, std::map<Number, TurnPtr>> threads_;
};

TEST_CASE("whatever is put, replaced and erased, rows, counters and totals say the same") {
  const TemporaryFolder folder;
  std::mt19937 random(11);
  const auto below = [&](std::uint32_t most) { return static_cast<std::uint32_t>(random() % most); };
  Model model;
  Number next = 1;
  for (int restart = 0; restart < 3; ++restart) {
    Store store(folder);
    for (int batch = 0; batch < 25; ++batch) {
      for (std::uint32_t step = below(25); step > 0; --step) {
        const ThreadKey thread{{"local", std::to_string(below(4))}, below(2) == 0 ? "Ada" : "Bob"};
        if (below(4) == 0) {
          const Number number = 1 + below(static_cast<std::uint32_t>(next));
          model.erase(thread, number);
          store.archive().erase(thread, {number}, [](const StoreResult<void>& result) { CHECK(result.has_value()); });
          continue;
        }
        const Number number = below(5) == 0 ? 1 + below(static_cast<std::uint32_t>(next)) : next++;
        Turn made = *turn(number, std::string(below(300), 'x'), 1 + below(static_cast<std::uint32_t>(number)));
        made.timestamp = 1700000000 + below(100);
        const Row made_row{thread, std::make_shared<const Turn>(made)};
        model.put(made_row);
        store.archive().keep(made_row);
      }
      model.check(store);
    }
  }
}

}  // namespace
}  // namespace persona
