#include <doctest/doctest.h>

#include "tests/system/assistant.hpp"

// Which persona is active in a conversation, and whose memory that makes it.

using namespace system_tests;
using nlohmann::json;

namespace {

DaemonSettings butler_and_pirate() {
  DaemonSettings settings;
  settings.personas["butler"] = {{"name", "butler"}};
  settings.personas["pirate"] = {{"name", "pirate"}};
  settings.configuration = {{"default_persona", "butler"}};
  return settings;
}

Where with_persona(const std::string& session, const std::string& persona) {
  Where where{session};
  where.session_fields = {{"persona_id", persona}};
  return where;
}

json active(Assistant& bus, const Where& where) {
  return bus.result("ovos.persona.active", json::object(), where)["persona_id"];
}

}  // namespace

TEST_CASE("the persona in the session field decides whose memory a turn goes to") {
  DaemonProcess personad(butler_and_pirate());
  Assistant bus(personad.url());
  bus.exchange(with_persona("hall", "butler"), "tea, please", {"Certainly."});
  bus.exchange(with_persona("hall", "pirate"), "rum, please", {"Arr."});
  const Where hall{"hall"};
  CHECK(bus.history(hall, {{"persona_id", "butler"}}) == Lines{"user: tea, please", "assistant: Certainly."});
  CHECK(bus.history(hall, {{"persona_id", "pirate"}}) == Lines{"user: rum, please", "assistant: Arr."});
  CHECK(active(bus, hall) == "pirate");
  CHECK(bus.context(hall, "more") == Lines{"user: rum, please", "assistant: Arr.", "user: more"});
  bus.say({"hall"}, "who are you");  // a named session without the field has no persona
  CHECK(active(bus, hall).is_null());
}

TEST_CASE("activate and dismiss switch a conversation, tell it on the bus, and say what was there before") {
  DaemonProcess personad(butler_and_pirate());
  Assistant bus(personad.url());
  Assistant bystander(personad.url());
  Where where;
  SUBCASE("in the default session") {}
  SUBCASE("in a named session") {
    where.session = "ship";
  }
  const json switched = bus.result("ovos.persona.activate", {{"persona_id", "PIRATE"}}, where);
  CHECK(switched == json{{"persona_id", "pirate"},
                         {"previous", nullptr},
                         {"session_id", where.session},
                         {"session", {{"persona_id", "pirate"}}}});
  const auto event = bystander.peer().wait_for("ovos.persona.activated", {}, kPatience);
  REQUIRE(event.has_value());
  CHECK(event->data == json{{"persona_id", "pirate"}, {"session_id", where.session}});
  CHECK(active(bus, where) == "pirate");
  const json now = bus.result("ovos.persona.active", json::object(), where);
  CHECK(now["source"] == "event");
  CHECK(now["since"].is_number());

  bus.exchange(where, "set sail", {"Aye."});  // without the field: the switch is kept
  CHECK(bus.history(where) == Lines{"user: set sail", "assistant: Aye."});
  CHECK(bus.history(where, {{"persona_id", "butler"}}).empty());

  const json dismissed = bus.result("ovos.persona.dismiss", json::object(), where);
  CHECK(dismissed == json{{"previous", "pirate"}, {"session_id", where.session}, {"session", {{"persona_id", ""}}}});
  const auto gone = bystander.peer().wait_for("ovos.persona.dismissed", {}, kPatience);
  REQUIRE(gone.has_value());
  CHECK(gone->data == json{{"persona_id", "pirate"}, {"session_id", where.session}});
  CHECK(active(bus, where).is_null());
}

TEST_CASE("a persona is found by a name that is nearly right where the caller asks for that") {
  DaemonProcess personad(butler_and_pirate());
  Assistant bus(personad.url());
  const std::string refused = bus.error("ovos.persona.activate", {{"persona_id", "pirat"}});
  CHECK(refused.starts_with("unknown_persona: "));
  CHECK(refused.find("pirate") != std::string::npos);
  const json fuzzy = bus.result("ovos.persona.activate", {{"persona_id", "pirat"}, {"match", "fuzzy"}});
  CHECK(fuzzy["persona_id"] == "pirate");
  CHECK(bus.error("ovos.persona.activate", {{"persona_id", "astronaut"}, {"match", "fuzzy"}})
            .starts_with("unknown_persona: "));
  CHECK(active(bus, {}) == "pirate");
}

TEST_CASE("a summon activates a persona by the name people say, a release ends it") {
  DaemonProcess personad(butler_and_pirate());
  Assistant bus(personad.url());
  bus.emit("persona:summon", {{"persona", "pirate"}});
  CHECK(active(bus, {}) == "pirate");
  bus.emit("persona:release", json::object());
  CHECK(active(bus, {}).is_null());
  bus.emit("persona:summon", {{"persona", "Buttler"}});
  CHECK(active(bus, {}) == "butler");
}

TEST_CASE("a persona without a file is recorded under its id, and unknown where it is asked for by id") {
  DaemonProcess personad(butler_and_pirate());
  Assistant bus(personad.url());
  bus.exchange(with_persona("hall", "stranger"), "who are you", {"Nobody."});
  CHECK(active(bus, {"hall"}) == "stranger");
  CHECK(bus.context({"hall"}, "really") == Lines{"user: who are you", "assistant: Nobody.", "user: really"});
  CHECK(bus.error("ovos.memory.context", {{"utterance", "x"}, {"persona_id", "stranger"}}, {"hall"})
            .starts_with("unknown_persona: "));
}

TEST_CASE("the default session keeps its persona while the field is absent, and loses it by an empty one") {
  DaemonProcess personad(butler_and_pirate());
  Assistant bus(personad.url());
  bus.exchange(with_persona("default", "pirate"), "ahoy", {"Arr."});
  bus.say({}, "still there?");
  CHECK(active(bus, {}) == "pirate");
  bus.say(with_persona("default", ""), "leave me");
  CHECK(active(bus, {}).is_null());
}

TEST_CASE("the switch counts from the next entry on") {
  DaemonProcess personad(butler_and_pirate());
  Assistant bus(personad.url());
  const Where hall{"hall"};
  bus.say(hall, "call the pirate");
  bus.emit("persona:summon", {{"persona", "pirate"}}, hall.as_context());
  bus.speak(hall, "The pirate is here.");
  bus.handled(hall);
  CHECK(bus.history(hall, {{"persona_id", "butler"}}) ==
        Lines{"user: call the pirate", "assistant: The pirate is here."});
  CHECK(bus.history(hall, {{"persona_id", "pirate"}}).empty());
}

TEST_CASE("a session of another component is about the session that it names") {
  DaemonProcess personad(butler_and_pirate());
  Assistant bus(personad.url());
  bus.exchange({"hall"}, "hello", {"Good evening."});
  CHECK(bus.context({"elsewhere"}, "x", {{"session_id", "hall"}}) ==
        Lines{"user: hello", "assistant: Good evening.", "user: x"});
  const json answer = bus.result("ovos.memory.context", {{"utterance", "x"}, {"session_id", "hall"}}, {"elsewhere"});
  CHECK(answer["session_id"] == "hall");
}

TEST_CASE("personas are listed with their memory and with which one is the default") {
  auto settings = butler_and_pirate();
  settings.personas["goldfish"] = {{"memory_module", false}};
  settings.personas["poet"] = {{"memory_module", "no-such-plugin"}};
  DaemonProcess personad(std::move(settings));
  Assistant bus(personad.url());
  json by_name;
  const json listed = bus.result("ovos.memory.personas", json::object());
  for (const json& one : listed["personas"]) {
    by_name[one["persona_id"].get<std::string>()] = one;
  }
  REQUIRE(by_name.size() == 4);
  CHECK(by_name["butler"]["default"] == true);
  CHECK(by_name["pirate"]["default"] == false);
  CHECK(by_name["pirate"]["memory"] == "ovos-agents-short-term-memory-plugin");
  CHECK(by_name["goldfish"]["memory"].is_null());
  CHECK(by_name["poet"]["memory"].is_null());
  CHECK(by_name["poet"]["warning"].get<std::string>().find("no-such-plugin") != std::string::npos);
  CHECK(personad.log().find("no-such-plugin") != std::string::npos);
}

TEST_CASE("one broken persona file does not stop the others") {
  DaemonProcess personad(butler_and_pirate());
  write_file(personad.personas_dir() / "broken.json", "{\"name\": ");
  CHECK(personad.terminate() == 0);
  personad.start();
  Assistant bus(personad.url());
  CHECK(bus.result("ovos.memory.personas", json::object())["personas"].size() == 2);
  CHECK(personad.log().find("broken.json") != std::string::npos);
}
