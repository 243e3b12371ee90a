#include "persona/memory/short_term.hpp"

#include <doctest/doctest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <set>

#include "persona/memory/settings.hpp"
#include "tests/persona/memory/histories.hpp"
#include "tests/persona/memory/turns.hpp"

namespace persona {
namespace {

using nlohmann::json;
using testing::check_invariants;
using testing::context_of;
using testing::Histories;
using testing::row;
using testing::rows;
using testing::shown;
using testing::window_of;

ShortTermMemory memory(std::size_t max_history, std::string prompt = {}) {
  return ShortTermMemory({max_history, std::move(prompt)});
}

ContextQuery asking(std::string_view utterance) {
  ContextQuery query;
  query.utterance = utterance;
  return query;
}

TEST_CASE("a context is the prompt, the newest messages that make whole exchanges, and the utterance") {
  const Window window = window_of(rows({{Role::user, "1?"},
                                        {Role::assistant, "1"},
                                        {Role::user, "2?"},
                                        {Role::assistant, "2"},
                                        {Role::user, "3?"},
                                        {Role::assistant, "3"}}));
  CHECK(shown(context_of(memory(5, "Be Ada."), window, asking(" 4? "))) ==
        "system:Be Ada.|user:2?|assistant:2|user:3?|assistant:3|user:4?");
  CHECK(shown(context_of(memory(1), window, asking("4?"))) == "user:4?");
  CHECK(shown(context_of(memory(2), window, asking("4?"))) == "user:3?|assistant:3|user:4?");
}

TEST_CASE("one who may not see the system prompt gets the context without it") {
  ContextQuery query = asking("x");
  query.with_system_prompt = false;
  CHECK(shown(context_of(memory(5, "Be Ada."), {}, query)) == "user:x");
}

TEST_CASE("a limit of zero is no limit but the one of all contexts") {
  std::vector<TurnPtr> turns;
  for (Number number = 1; number <= 40; ++number) {
    turns.push_back(row(number, number - (number + 1) % 2, number % 2 == 1 ? Role::user : Role::assistant, "x"));
  }
  CHECK(context_of(memory(0), window_of(turns), asking("y")).size() == 41);
  CHECK(memory(0).wanted_messages() == 10002);
  CHECK(memory(50000).wanted_messages() == 10002);
}

TEST_CASE("settings are read as the plugin's own, what is wrong is named and the default holds") {
  std::string warning;
  const auto read = [&](const char* text) {
    warning.clear();
    const json config = json::parse(text);
    return ShortTermMemory::Settings::read(SettingsReader(config, std::string(kShortTermModule), warning));
  };
  CHECK(read("{}").max_history == 5);
  CHECK(read(R"({"max_history": "7"})").max_history == 7);  // as Python's int() reads it
  CHECK(read(R"({"max_history": 7.0})").max_history == 7);
  CHECK(read(R"({"max_history": 12, "system_prompt": "p", "other": [1]})").max_history == 12);
  CHECK(warning.empty());
  CHECK(read(R"({"system_prompt": "p"})").system_prompt == "p");
  CHECK(read(R"({"max_history": null, "system_prompt": null})").max_history == 5);
  CHECK(warning.empty());
  for (const char* wrong : {R"({"max_history": -1})", R"({"max_history": 2.5})", R"({"max_history": "seven"})",
                            R"({"max_history": true})"}) {
    CAPTURE(wrong);
    CHECK(read(wrong).max_history == 5);
    CHECK(warning.find("max_history") != std::string::npos);
  }
  CHECK(read(R"({"max_history": 18446744073709551615})").max_history == 10000);
  CHECK_FALSE(warning.empty());
  CHECK(read(R"({"max_history": 3, "system_prompt": 5})").max_history == 3);
  CHECK(warning.find("system_prompt") != std::string::npos);
}

// The rules as they are told: message by message, each time trimmed to the newest. Questions and answers only.
std::vector<ContextMessage> by_the_book(const std::vector<TurnPtr>& turns, std::size_t max_history) {
  std::vector<ContextMessage> stored;
  for (const TurnPtr& turn : turns) {
    if (!stored.empty() && stored.back().role == turn->role) {
      if (turn->role == Role::user) {
        stored.back().content = turn->content;
      } else if (stored.back().content.empty() || turn->content.empty()) {
        stored.back().content += turn->content;
      } else {
        stored.back().content += "\n" + turn->content;
      }
    } else {
      ContextMessage message;
      message.role = turn->role;
      message.content = turn->content;
      stored.push_back(message);
    }
    while (max_history > 0 && stored.size() > max_history) stored.erase(stored.begin());
  }
  while (!stored.empty() && stored.back().role == Role::user) stored.pop_back();
  while (!stored.empty() && stored.front().role == Role::assistant) stored.erase(stored.begin());
  return stored;
}

std::vector<ContextMessage> history_of(const ShortTermMemory& memory, const Window& window) {
  auto context = context_of(memory, window, asking("now"));
  REQUIRE(context.back().role == Role::user);
  REQUIRE(context.back().content == "now");
  context.pop_back();
  return context;
}

TEST_CASE("questions and answers give what the rules applied message by message give") {
  Histories histories(1);
  for (int round = 0; round < 4000; ++round) {
    const auto turns = histories.talk();
    const std::size_t max_history = histories.below(13);
    REQUIRE(history_of(memory(max_history), window_of(turns)) == by_the_book(turns, max_history));
  }
}

TEST_CASE("whatever was stored, a context keeps its invariants and is the same each time") {
  Histories histories(2);
  for (int round = 0; round < 4000; ++round) {
    const auto turns = histories.anything();
    const std::size_t max_history = histories.below(13);
    const Window window = window_of(turns);
    const auto history = history_of(memory(max_history), window);
    check_invariants(history, true);
    if (max_history > 0) REQUIRE(history.size() <= max_history);
    REQUIRE(history == history_of(memory(max_history), window));
    auto again = history;
    settle(again);
    REQUIRE(again == history);
    REQUIRE(folded_size(turns) == fold(turns, {}).size());
  }
}

TEST_CASE("a window that reaches back as far as is wanted gives the same context as the whole thread") {
  Histories histories(3);
  for (int round = 0; round < 2000; ++round) {
    const auto turns = round % 2 == 0 ? histories.talk() : histories.anything();
    const ShortTermMemory short_term = memory(1 + histories.below(6));
    const Window whole = window_of(turns);
    for (std::size_t most = 0; most <= turns.size(); ++most) {
      Window part = whole;
      part.keep_newest(most);
      if (folded_size(part.turns()) < short_term.wanted_messages()) continue;
      REQUIRE(history_of(short_term, part) == history_of(short_term, whole));
    }
  }
}

TEST_CASE("a persona that names no memory has the short-term one, and its own settings under its name") {
  const MadeMemory plain = make_memory(json::object());
  REQUIRE(plain.memory);
  CHECK(plain.module == kShortTermModule);
  CHECK(plain.memory->wanted_messages() == 7);
  const MadeMemory set =
      make_memory(json::parse(R"({"name":"Ada","memory_module":"ovos-agents-short-term-memory-plugin","solvers":["x"],
                      "ovos-agents-short-term-memory-plugin":{"max_history":8}})"));
  REQUIRE(set.memory);
  CHECK(set.memory->wanted_messages() == 10);
  CHECK(set.warning.empty());
}

TEST_CASE("null, an empty name and false mean no memory, and nobody is warned") {
  for (const char* none : {"null", "\"\"", "false"}) {
    CAPTURE(none);
    const MadeMemory made = make_memory(json::parse(std::string(R"({"memory_module":)") + none + "}"));
    CHECK(made.memory == nullptr);
    CHECK(made.module.empty());
    CHECK(made.warning.empty());
  }
}

TEST_CASE("a memory that does not exist is named in the warning, and so is a value that is no name") {
  const MadeMemory unknown = make_memory(json::parse(R"({"memory_module":"my-own-memory"})"));
  CHECK(unknown.memory == nullptr);
  CHECK(unknown.module == "my-own-memory");
  CHECK(unknown.warning.find("my-own-memory") != std::string::npos);
  for (const char* wrong : {"true", "5", "[\"x\"]", "{}"}) {
    CAPTURE(wrong);
    const MadeMemory made = make_memory(json::parse(std::string(R"({"memory_module":)") + wrong + "}"));
    CHECK(made.memory == nullptr);
    CHECK(made.warning.find("memory_module") != std::string::npos);
  }
}

TEST_CASE("settings that are no object are named, and the defaults hold") {
  const MadeMemory made = make_memory(json::parse(R"({"ovos-agents-short-term-memory-plugin":[8]})"));
  REQUIRE(made.memory);
  CHECK(made.memory->wanted_messages() == 7);
  CHECK(made.warning.find("ovos-agents-short-term-memory-plugin") != std::string::npos);
}

}  // namespace
}  // namespace persona
