#pragma once
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <random>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "tests/persona/memory/turns.hpp"

// Random threads, and what must hold for whatever is made of them.
namespace persona::testing {

/// Threads of up to 30 rows: conversations, or anything that can be stored.
class Histories {
 public:
  explicit Histories(unsigned seed) : random_(seed) {}

  std::size_t below(std::size_t most) { return random_() % most; }

  std::vector<TurnPtr> talk() {
    std::vector<TurnPtr> turns;
    Number exchange = 1;
    const std::size_t size = below(30);
    for (Number number = 1; number <= size; ++number) {
      const bool user = below(2) == 0;
      if (user || below(6) == 0) exchange = number;
      turns.push_back(row(number, exchange, user ? Role::user : Role::assistant, text()));
    }
    return turns;
  }

  std::vector<TurnPtr> anything() {
    std::vector<TurnPtr> turns;
    const std::size_t size = below(30);
    for (Number number = 1; number <= size; ++number) {
      Turn turn = *row(number, number, static_cast<Role>(below(5)), text());
      if (turn.role == Role::assistant && below(2) == 0) turn.tool_calls = calls();
      if (turn.role == Role::tool) turn.tool_call_id = std::string(1, static_cast<char>('a' + below(3)));
      turns.push_back(std::make_shared<const Turn>(std::move(turn)));
    }
    return turns;
  }

 private:
  std::string text() {
    switch (below(12)) {
      case 0:
        return "";
      case 1:
        return std::string(70000, 'x');
      default:
        return std::to_string(below(1000));
    }
  }
  std::string calls() {
    static constexpr const char* kCalls[] = {R"([{"id":"a","name":"f","arguments":{}}])", R"([{"id":"a"},{"id":"b"}])",
                                             "[]", "broken"};
    return kCalls[below(4)];
  }

  std::mt19937 random_;
};

/// What no history part may have, whatever the memory. `no_neighbours`: nor two questions next to each other.
inline void check_invariants(std::span<const ContextMessage> history, bool no_neighbours) {
  bool asked = false;
  for (std::size_t i = 0; i < history.size(); ++i) {
    const ContextMessage& message = history[i];
    if (message.role == Role::user) asked = true;
    if (message.role == Role::assistant || message.role == Role::tool) REQUIRE(asked);
    const ContextMessage* next = i + 1 < history.size() ? &history[i + 1] : nullptr;
    if (no_neighbours && next != nullptr && message.role == Role::user) REQUIRE(next->role != Role::user);
    const bool answer = message.role == Role::assistant && message.tool_calls.empty();
    if (answer && next != nullptr && next->role == Role::assistant) REQUIRE_FALSE(next->tool_calls.empty());
    if (message.role == Role::tool) REQUIRE((history[i - 1].role == Role::tool || !history[i - 1].tool_calls.empty()));
    if (message.tool_calls.empty()) continue;
    std::multiset<std::string> open;
    for (const nlohmann::json& one : nlohmann::json::parse(message.tool_calls))
      open.insert(one.at("id").get<std::string>());
    std::multiset<std::string> results;
    for (std::size_t j = i + 1; j < history.size() && history[j].role == Role::tool; ++j) {
      results.insert(history[j].tool_call_id);
    }
    REQUIRE(open == results);
  }
  for (auto last = history.rbegin(); last != history.rend(); ++last) {
    if (last->role == Role::system || last->role == Role::developer) continue;
    REQUIRE(last->role != Role::user);
    break;
  }
}

}  // namespace persona::testing
