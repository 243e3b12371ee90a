#include <doctest/doctest.h>

#include "tests/system/assistant.hpp"

// The main job: what is said and answered on the bus becomes the context of the next answer.

using namespace system_tests;
using nlohmann::json;

namespace {

constexpr const char* kShortTerm = "ovos-agents-short-term-memory-plugin";

DaemonSettings with_persona(const std::string& name, json memory) {
  DaemonSettings settings;
  settings.personas[name] = {{"name", name}, {kShortTerm, std::move(memory)}};
  return settings;
}

}  // namespace

TEST_CASE("a context holds what was said and answered, and ends with the utterance") {
  DaemonProcess personad;
  Assistant bus(personad.url());
  const Where kitchen{"kitchen"};
  CHECK(bus.context(kitchen, "hello") == Lines{"user: hello"});

  bus.exchange(kitchen, "my name is Ada", {"Nice to meet you, Ada."});
  CHECK(bus.context(kitchen, "  what is my name?\n") ==
        Lines{"user: my name is Ada", "assistant: Nice to meet you, Ada.", "user: what is my name?"});
}

TEST_CASE("max_history counts messages, and an answer whose question it cut off is left out") {
  DaemonProcess personad(with_persona("brief", {{"max_history", 3}}));
  Assistant bus(personad.url());
  const Where kitchen{"kitchen"};
  bus.exchange(kitchen, "one", {"1"});
  bus.exchange(kitchen, "two", {"2"});
  // The newest three are "1", "two", "2": the first of them lost its question.
  CHECK(bus.context(kitchen, "three") == Lines{"user: two", "assistant: 2", "user: three"});
}

TEST_CASE("the default window is five messages") {
  DaemonProcess personad;
  Assistant bus(personad.url());
  const Where kitchen{"kitchen"};
  for (const char* word : {"a", "b", "c", "d"}) bus.exchange(kitchen, word, {std::string("re ") + word});
  CHECK(bus.context(kitchen, "e") == Lines{"user: c", "assistant: re c", "user: d", "assistant: re d", "user: e"});
}

TEST_CASE("the system prompt comes first") {
  DaemonProcess personad(with_persona("butler", {{"system_prompt", "You are a butler."}}));
  Assistant bus(personad.url());
  bus.exchange({"hall"}, "good evening", {"Good evening, sir."});
  CHECK(bus.context({"hall"}, "the news?") ==
        Lines{"system: You are a butler.", "user: good evening", "assistant: Good evening, sir.", "user: the news?"});
}

TEST_CASE("the sentences of a streamed answer are one message, joined by newlines") {
  DaemonProcess personad;
  Assistant bus(personad.url());
  bus.exchange({"study"}, "tell me a story", {"Once upon a time.", "There was a frog.", "The end."});
  CHECK(bus.context({"study"}, "another") ==
        Lines{"user: tell me a story", "assistant: Once upon a time.\nThere was a frog.\nThe end.", "user: another"});
  CHECK(bus.history({"study"}).size() == 4);  // verbatim: a row for each
}

TEST_CASE("a question that got no answer is not in the context, and the next one takes its place") {
  DaemonProcess personad;
  Assistant bus(personad.url());
  const Where attic{"attic"};
  bus.exchange(attic, "first", {"1st"});
  bus.exchange(attic, "nobody answers this", {});
  CHECK(bus.context(attic, "second") == Lines{"user: first", "assistant: 1st", "user: second"});
  bus.exchange(attic, "second", {"2nd"});
  CHECK(bus.context(attic, "third") ==
        Lines{"user: first", "assistant: 1st", "user: second", "assistant: 2nd", "user: third"});
}

TEST_CASE("a question that is being answered is shown once, at the end, without what is spoken of its answer") {
  DaemonProcess personad;
  Assistant bus(personad.url());
  const Where porch{"porch"};
  bus.exchange(porch, "again", {"a first time"});
  bus.say(porch, "again");
  bus.speak(porch, "a second");
  CHECK(bus.context(porch, "again") == Lines{"user: again", "assistant: a first time", "user: again"});
}

TEST_CASE("answers that cross each other join their own questions by their ids") {
  DaemonProcess personad;
  Assistant bus(personad.url());
  Where one{"cellar"};
  Where two{"cellar"};
  one.utterance_id = "u-1";
  two.utterance_id = "u-2";
  bus.say(one, "how warm is it");
  bus.emit("ovos.intent.matched", {{"skill_id", "weather"}, {"utterance", "how warm is it"}}, one.as_context());
  bus.say(two, "what time is it");
  bus.emit("ovos.intent.matched", {{"skill_id", "clock"}, {"utterance", "what time is it"}}, two.as_context());
  bus.speak(two, "ten o'clock");
  bus.handled(two);
  bus.speak(one, "21 degrees");
  bus.handled(one);
  CHECK(bus.history({"cellar"}) ==
        Lines{"user: how warm is it", "assistant: 21 degrees", "user: what time is it", "assistant: ten o'clock"});
}

TEST_CASE("unsolicited speech is remembered, and starts no context") {
  DaemonProcess personad;
  Assistant bus(personad.url());
  const Where room{"bedroom"};
  bus.speak(room, "Your alarm is ringing.");
  CHECK(bus.history(room) == Lines{"assistant: Your alarm is ringing."});
  CHECK(bus.context(room, "stop it") == Lines{"user: stop it"});
}

TEST_CASE("a history page says where the next one begins, back to the first turn") {
  DaemonProcess personad;
  Assistant bus(personad.url());
  const Where log{"log"};
  for (int i = 0; i < 6; ++i) bus.exchange(log, "q" + std::to_string(i), {"a" + std::to_string(i)});
  Lines all;
  json ask{{"limit", 5}};
  for (int pages = 0; pages < 4; ++pages) {
    const json page = bus.result("ovos.memory.history", ask, log);
    const Lines older = lines_of(page["messages"]);
    all.insert(all.begin(), older.begin(), older.end());
    if (!page.contains("next")) break;
    ask["before"] = page["next"];
  }
  CHECK(all == bus.history(log));
  CHECK(all.size() == 12);
}

TEST_CASE("an update is part of history and context, tool calls included") {
  DaemonProcess personad;
  Assistant bus(personad.url());
  const json call{{"id", "c1"}, {"name", "weather"}, {"arguments", {{"city", "Paris"}}}};
  const json messages = {{{"role", "user"}, {"content", "is it raining?"}, {"meta", {{"mood", "worried"}}}},
                         {{"role", "assistant"}, {"content", nullptr}, {"tool_calls", {call}}},
                         {{"role", "tool"}, {"tool_call_id", "c1"}, {"content", "no"}},
                         {{"role", "assistant"}, {"content", "No, it is dry."}}};
  const json stored = bus.result("ovos.memory.update", {{"messages", messages}}, {"chat"});
  CHECK(stored["stored"] == 4);
  REQUIRE(stored["ids"].size() == 4);
  const json rows = bus.result("ovos.memory.history", {{"limit", 10}}, {"chat"})["messages"];
  REQUIRE(rows.size() == 4);
  CHECK(rows[0]["id"] == stored["ids"][0]);
  CHECK(rows[0]["meta"] == messages[0]["meta"]);
  CHECK(rows[1]["tool_calls"] == messages[1]["tool_calls"]);
  const json context = bus.result("ovos.memory.context", {{"utterance", "thanks"}}, {"chat"})["messages"];
  REQUIRE(context.size() == 5);
  CHECK(context[1]["content"].is_null());
  CHECK(context[1]["tool_calls"][0]["arguments"]["city"] == "Paris");
  CHECK(context[2]["tool_call_id"] == "c1");
  CHECK_FALSE(context[0].contains("meta"));
}
