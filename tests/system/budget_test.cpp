#include <doctest/doctest.h>

#include "tests/system/assistant.hpp"

// A context fits the budget it is asked for, in whole parts, and says what became of them.

using namespace system_tests;
using nlohmann::json;

namespace {

DaemonSettings with_everything() {
  DaemonSettings settings;
  settings.personas["ada"] = {{"name", "Ada"},
                              {"memory_module", "personad-memory-plugin"},
                              {"personad-memory-plugin",
                               {{"system_prompt", "You are Ada."},
                                {"memory", {{"module", "ovos-memory-plugin-lexical"}, {"max_history", 4}}}}}};
  return settings;
}

json context(Assistant& bus, json more) {
  more["utterance"] = "which tea did I like best?";
  return bus.result("ovos.memory.context", std::move(more), {"kitchen"});
}

void talk(Assistant& bus) {
  const Where kitchen{"kitchen"};
  bus.exchange(kitchen, "my favourite tea is oolong", {"Oolong, noted."});
  bus.exchange(kitchen, "turn on the lamp", {"Done."});
  bus.exchange(kitchen, "what time is it", {"It is noon."});
  bus.exchange(kitchen, "thank you", {"You are welcome."});
}

}  // namespace

TEST_CASE("an explanation names each part, what it costs, and what was recalled from where") {
  DaemonProcess personad(with_everything());
  Assistant bus(personad.url());
  talk(bus);
  const json whole = context(bus, {{"explain", true}});
  json names = json::array();
  std::size_t tokens = 0;
  for (const json& part : whole.at("parts")) {
    names.push_back(part.at("part"));
    tokens += part.at("tokens").get<std::size_t>();
    CHECK(part.at("count").get<int>() > 0);
    CHECK_FALSE(part.contains("dropped"));
  }
  CHECK(names == json{"system_prompt", "recalled", "history", "utterance"});
  CHECK(tokens <= whole.at("tokens").get<std::size_t>());
  REQUIRE(whole.at("recalled").size() == 1);
  const json& hit = whole.at("recalled")[0];
  CHECK(hit.at("content") == "my favourite tea is oolong");
  CHECK(hit.at("session_id") == "kitchen");
  CHECK(hit.at("persona_id") == "Ada");
  CHECK(hit.at("source") == "lexical");
  CHECK(hit.at("score").get<double>() > 0);
  CHECK(hit.at("score").get<double>() <= 1);
  CHECK_FALSE(context(bus, json::object()).contains("parts"));
}

TEST_CASE("a budget drops what was recalled, then old exchanges, and never the prompt or the utterance") {
  DaemonProcess personad(with_everything());
  Assistant bus(personad.url());
  talk(bus);
  const std::size_t whole = context(bus, json::object()).at("tokens");
  const json smaller = context(bus, {{"max_tokens", whole - 1}, {"explain", true}});
  CHECK(smaller.at("tokens").get<std::size_t>() < whole);
  CHECK_FALSE(smaller.contains("over_budget"));
  CHECK(smaller.at("recalled").empty());
  CHECK(lines_of(smaller.at("messages")) == Lines{"system: You are Ada.", "user: what time is it",
                                                  "assistant: It is noon.", "user: thank you",
                                                  "assistant: You are welcome.", "user: which tea did I like best?"});
  const json least = context(bus, {{"max_tokens", 1}});
  CHECK(least.at("over_budget") == true);
  CHECK(lines_of(least.at("messages")) == Lines{"system: You are Ada.", "user: which tea did I like best?"});
}

TEST_CASE("tokens can be counted as bytes, which no tokeniser exceeds") {
  DaemonSettings settings = with_everything();
  settings.configuration = {{"contexts", {{"tokens", "bytes"}}}};
  DaemonProcess personad(std::move(settings));
  Assistant bus(personad.url());
  const std::string text(1000, 'a');
  const json answer = bus.result("ovos.memory.context", {{"utterance", text}}, {"hall"});
  CHECK(answer.at("tokens").get<std::size_t>() > text.size());
}

TEST_CASE("wrong budgets and explanations are refused with the field's name") {
  DaemonProcess personad;
  Assistant bus(personad.url());
  for (const json& most : {json(0), json(-1), json(1.5), json("100"), json(nullptr), json(true), json::array()}) {
    CAPTURE(most.dump());
    CHECK(bus.error("ovos.memory.context", {{"utterance", "x"}, {"max_tokens", most}})
              .starts_with("bad_request: max_tokens"));
  }
  for (const json& explain : {json("yes"), json(1), json(nullptr), json::object()}) {
    CHECK(bus.error("ovos.memory.context", {{"utterance", "x"}, {"explain", explain}})
              .starts_with("bad_request: explain"));
  }
}

TEST_CASE("the same request on the same state gives the same bytes") {
  DaemonSettings settings = with_everything();
  settings.personas["ada"]["personad-memory-plugin"]["memory"]["inject_mode"] = "tool";
  DaemonProcess personad(std::move(settings));
  Assistant bus(personad.url());
  talk(bus);
  const json first = context(bus, {{"format", "openai"}, {"explain", true}});
  CHECK(first.at("messages").dump().find("search_memory") != std::string::npos);
  CHECK(context(bus, {{"format", "openai"}, {"explain", true}}).dump() == first.dump());
}
