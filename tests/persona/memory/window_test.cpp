#include "persona/memory/window.hpp"

#include <doctest/doctest.h>

#include <array>
#include <random>

#include "tests/persona/memory/turns.hpp"

namespace persona {
namespace {

using testing::row;
using testing::rows;

std::string numbers(const Window& window) {
  std::string text;
  for (const TurnPtr& turn : window.turns()) text += (text.empty() ? "" : " ") + std::to_string(turn->number);
  return text;
}

std::size_t memory_by_hand(const Window& window) {
  std::size_t sum = 0;
  for (const TurnPtr& turn : window.turns()) sum += memory_of(*turn);
  return sum;
}

TEST_CASE("a late answer stands right after its question, however the frames interleaved") {
  Window window;
  window.insert(row(1, 1, Role::user, "a?"));
  window.insert(row(2, 2, Role::user, "b?"));
  window.insert(row(3, 2, Role::assistant, "b"));
  window.insert(row(4, 1, Role::assistant, "a"));
  CHECK(numbers(window) == "1 4 2 3");
}

TEST_CASE("a row with a number that is there replaces the old one, also in another exchange") {
  Window window;
  window.insert(row(1, 1, Role::user, "a?"));
  window.insert(row(2, 2, Role::user, "b?"));
  window.insert(row(3, 2, Role::assistant, "said"));
  window.insert(row(3, 2, Role::assistant, "said, corrected"));
  CHECK(numbers(window) == "1 2 3");
  CHECK(window.turns()[2]->content == "said, corrected");
  window.insert(row(3, 1, Role::assistant, "said elsewhere"));
  CHECK(numbers(window) == "1 3 2");
  CHECK(window.memory() == memory_by_hand(window));
}

TEST_CASE("erased rows are gone from the window and from its memory") {
  Window window = testing::window_of(rows({{Role::user, "a?"}, {Role::assistant, "a"}, {Role::user, "b?"}}));
  window.erase(std::array<Number, 3>{2, 99, 1});
  CHECK(numbers(window) == "3");
  CHECK(window.memory() == memory_by_hand(window));
  CHECK(window.from_the_start());
}

TEST_CASE("keeping the newest rows drops whole exchanges and no longer reaches the start") {
  Window window = testing::window_of(rows({{Role::user, "a?"},
                                           {Role::assistant, "a1"},
                                           {Role::assistant, "a2"},
                                           {Role::user, "b?"},
                                           {Role::assistant, "b"}}));
  window.keep_newest(5);
  CHECK(window.from_the_start());
  window.keep_newest(4);
  CHECK(numbers(window) == "4 5");
  CHECK_FALSE(window.from_the_start());
  CHECK(window.memory() == memory_by_hand(window));
}

TEST_CASE("the newest exchange stays whole even where it alone is larger than what is kept") {
  Window window = testing::window_of(rows({{Role::user, "a?"},
                                           {Role::assistant, "a"},
                                           {Role::user, "b?"},
                                           {Role::assistant, "b1"},
                                           {Role::assistant, "b2"}}));
  window.keep_newest(2);
  CHECK(numbers(window) == "3 4 5");
  window.keep_newest(2);
  CHECK(numbers(window) == "3 4 5");
  window.keep_newest(0);
  CHECK(window.turns().empty());
  CHECK(window.memory() == 0);
}

TEST_CASE("a window is sorted, unique and counted right whatever is done to it") {
  std::mt19937 random(7);
  const auto below = [&](std::uint64_t most) { return random() % most; };
  for (int round = 0; round < 200; ++round) {
    Window window;
    for (int step = 0; step < 60; ++step) {
      const Number number = 1 + below(40);
      if (below(10) == 0) {
        window.erase(std::array<Number, 2>{number, number + 1});
      } else if (below(20) == 0) {
        const std::size_t most = below(20);
        window.keep_newest(most);
      } else {
        const Number exchange = 1 + below(number);
        window.insert(row(number, exchange, Role::user, std::string(below(30), 'x')));
      }
      std::vector<Number> seen;
      for (std::size_t i = 0; i < window.turns().size(); ++i) {
        const Turn& turn = *window.turns()[i];
        seen.push_back(turn.number);
        if (i == 0) continue;
        const Turn& before = *window.turns()[i - 1];
        REQUIRE(std::pair(before.exchange, before.number) < std::pair(turn.exchange, turn.number));
      }
      std::sort(seen.begin(), seen.end());
      REQUIRE(std::adjacent_find(seen.begin(), seen.end()) == seen.end());
      REQUIRE(window.memory() == memory_by_hand(window));
    }
  }
}

}  // namespace
}  // namespace persona
