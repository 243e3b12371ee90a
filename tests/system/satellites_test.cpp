#include <doctest/doctest.h>

#include "tests/system/assistant.hpp"

// What a hub lets in: a satellite reaches its own conversation, and nobody else's.

using namespace system_tests;
using nlohmann::json;

namespace {

constexpr const char* kKitchen = "HiveMessageBusClientV0.0.1::7::kitchen::default";
constexpr const char* kBedroom = "HiveMessageBusClientV0.0.1::8::bedroom::default";

/// A message as a hub injects it for one of its peers.
Where of_peer(const std::string& peer, const std::string& session) {
  Where where{session};
  where.context = {{"peer", peer}, {"source", peer}, {"destination", "skills"}};
  if (session == "default") where.context["session"] = {{"session_id", "default"}};
  return where;
}

/// What the assistant says to a peer.
Where to_peer(const std::string& peer, const std::string& session) {
  Where where = of_peer(peer, session);
  where.context["source"] = "skills";
  where.context["destination"] = peer;
  return where;
}

void exchange_with(Assistant& bus, const std::string& peer, const std::string& session, const std::string& question,
                   const std::string& answer) {
  bus.say(of_peer(peer, session), question);
  bus.speak(to_peer(peer, session), answer);
  bus.handled(to_peer(peer, session));
}

}  // namespace

TEST_CASE("a satellite gets the context and the history of its own conversation") {
  DaemonProcess personad;
  Assistant bus(personad.url());
  exchange_with(bus, kKitchen, "default", "boil an egg", "Four minutes.");
  const Where kitchen = of_peer(kKitchen, "default");
  CHECK(bus.context(kitchen, "and a soft one") ==
        Lines{"user: boil an egg", "assistant: Four minutes.", "user: and a soft one"});
  CHECK(bus.history(kitchen).size() == 2);
  CHECK(lines_of(bus.result("ovos.memory.request", {{"op", "context"}, {"utterance", "x"}}, kitchen)["messages"])
            .size() == 3);
}

TEST_CASE("a satellite may ask for nothing but its own context and history") {
  DaemonSettings settings;
  settings.configuration = {{"bus_admin", true}};  // which is for local callers
  DaemonProcess personad(std::move(settings));
  Assistant bus(personad.url());
  const std::vector<std::string> operations{"update",   "sessions", "personas", "status",
                                            "activate", "dismiss",  "active"};
  const json data{{"messages", {{{"role", "user"}, {"content", "x"}}}}, {"persona_id", "default"}};
  for (const Where& who :
       {of_peer(kKitchen, "default"), of_peer("no such form", "default"), Where{"0123456789abcdef:default"}}) {
    for (const std::string& operation : operations) {
      const bool of_persona = operation == "activate" || operation == "dismiss" || operation == "active";
      json asked = data;
      asked["op"] = operation;
      INFO(operation);
      CHECK(
          bus.error((of_persona ? "ovos.persona." : "ovos.memory.") + operation, data, who).starts_with("forbidden: "));
      CHECK(bus.error("ovos.memory.request", asked, who).starts_with("forbidden: "));
    }
  }
  CHECK(bus.result("ovos.memory.sessions", json::object())["sessions"].empty());
}

TEST_CASE("what a satellite says of owner, session or on whose behalf is ignored") {
  DaemonProcess personad;
  Assistant bus(personad.url());
  bus.exchange({}, "the safe is behind the picture", {"Noted."});
  exchange_with(bus, kBedroom, "default", "wake me at six", "Good night.");
  const Where kitchen = of_peer(kKitchen, "default");
  const std::vector<json> tries{{{"owner", "local"}},
                                {{"owner", "local"}, {"session_id", "default"}},
                                {{"session_id", "default"}},
                                {{"owner", "hivemind:hub:8:bedroom"}},
                                {{"on_behalf_of", {{"session_id", "default"}}}},
                                {{"on_behalf_of", {{"session_id", "default"}, {"peer", kBedroom}}}}};
  for (const json& named : tries) {
    INFO(named.dump());
    CHECK(bus.history(kitchen, named).empty());
    CHECK(bus.context(kitchen, "x", named) == Lines{"user: x"});
  }
}

TEST_CASE("two satellites and the device itself do not share a session that all of them call default") {
  DaemonProcess personad;
  Assistant bus(personad.url());
  exchange_with(bus, kKitchen, "default", "in the kitchen", "Yes.");
  exchange_with(bus, kBedroom, "default", "in the bedroom", "Yes.");
  bus.exchange({}, "at home", {"Yes."});
  CHECK(bus.history(of_peer(kKitchen, "default")) == Lines{"user: in the kitchen", "assistant: Yes."});
  CHECK(bus.history(of_peer(kBedroom, "default")) == Lines{"user: in the bedroom", "assistant: Yes."});
  CHECK(bus.history({}) == Lines{"user: at home", "assistant: Yes."});
}

TEST_CASE("a satellite that comes back under another namespace has its memory still") {
  DaemonProcess personad;
  Assistant bus(personad.url());
  for (const char* session : {"default", "0123456789abcdef:default", "fedcba9876543210:default",
                              "0123456789abcdef0123456789abcdef:default"}) {
    exchange_with(bus, kKitchen, session, std::string("as ") + session, "Yes.");
  }
  CHECK(bus.history(of_peer(kKitchen, "00000000deadbeef:default")).size() == 8);
  // What it declares itself stays apart: one connection may bring many sessions.
  CHECK(bus.history(of_peer(kKitchen, "0123456789abcdef:chat-42")).empty());
  const json answer = bus.result("ovos.memory.history", json::object(), of_peer(kKitchen, "0123456789abcdef:default"));
  CHECK(answer["session_id"] == "default");
}

TEST_CASE("sessions in two namespaces without a peer do not share a memory") {
  DaemonProcess personad;
  Assistant bus(personad.url());
  const std::string sixteen = "0123456789abcdef:room";
  const std::string other = "0123456789abcde0:room";
  const std::string thirty_two = "0123456789abcdef0123456789abcdef:room";
  for (const std::string& session : {sixteen, other, thirty_two}) bus.exchange({session}, "I am " + session, {"Yes."});
  bus.exchange({"room"}, "I am here", {"Yes."});
  bus.exchange({"0123:room"}, "no namespace", {"Yes."});
  for (const std::string& session : {sixteen, other, thirty_two}) {
    CHECK(bus.history({session}) == Lines{"user: I am " + session, "assistant: Yes."});
  }
  CHECK(bus.history({"room"}) == Lines{"user: I am here", "assistant: Yes."});
  CHECK(bus.history({"0123:room"}).size() == 2);
}

TEST_CASE("an answer never says that it comes from the peer that asked") {
  DaemonProcess personad;
  Assistant bus(personad.url());
  Where where = of_peer(kKitchen, "default");
  where.context["destination"] = kKitchen;  // a hub that addresses both ways to its peer
  for (const json& data : {json{{"utterance", "x"}}, json::object()}) {
    const auto answer = bus.ask_whole("ovos.memory.context", data, where.as_context());
    CHECK(answer.context["source"] == "personad");
    CHECK(answer.context["destination"] == kKitchen);
    CHECK(answer.context["peer"] == kKitchen);
  }
}

TEST_CASE("a satellite's own speech is no answer to it") {
  DaemonProcess personad;
  Assistant bus(personad.url());
  bus.say(of_peer(kKitchen, "default"), "hello");
  bus.speak(of_peer(kKitchen, "default"), "the satellite talks to itself");
  bus.speak(to_peer(kKitchen, "default"), "Hello, kitchen.");
  CHECK(bus.history(of_peer(kKitchen, "default")) == Lines{"user: hello", "assistant: Hello, kitchen."});
}

TEST_CASE("a satellite does not see the system prompt unless the configuration says so") {
  DaemonSettings settings;
  settings.personas["butler"] = {{"ovos-agents-short-term-memory-plugin", {{"system_prompt", "Be polite."}}}};
  Lines expected{"user: x"};
  SUBCASE("by default") {}
  SUBCASE("with hivemind.expose_system_prompt") {
    settings.configuration = {{"hivemind", {{"expose_system_prompt", true}}}};
    expected.insert(expected.begin(), "system: Be polite.");
  }
  DaemonProcess personad(std::move(settings));
  Assistant bus(personad.url());
  CHECK(bus.context(of_peer(kKitchen, "default"), "x") == expected);
  CHECK(bus.context({}, "x") == Lines{"system: Be polite.", "user: x"});
}

TEST_CASE("a local component reaches a satellite's conversation on its behalf") {
  DaemonProcess personad;
  Assistant bus(personad.url());
  exchange_with(bus, kKitchen, "0123456789abcdef:default", "in the kitchen", "Yes.");
  const json wire{{"session_id", "0123456789abcdef:default"}};
  CHECK(bus.history({}, {{"on_behalf_of", wire}}) == Lines{"user: in the kitchen", "assistant: Yes."});
  CHECK(bus.error("ovos.memory.history", {{"on_behalf_of", {{"session_id", "fedcba9876543210:default"}}}})
            .starts_with("unknown_conversation: "));
  exchange_with(bus, kKitchen, "shared", "one", "Yes.");
  exchange_with(bus, kBedroom, "shared", "two", "Yes.");
  CHECK(bus.error("ovos.memory.history", {{"on_behalf_of", {{"session_id", "shared"}}}}).starts_with("ambiguous: "));
  CHECK(bus.history({}, {{"on_behalf_of", {{"session_id", "shared"}, {"peer", kBedroom}}}}) ==
        Lines{"user: two", "assistant: Yes."});
}

TEST_CASE("a HiveMind query is answered and never stored") {
  DaemonProcess personad;
  Assistant bus(personad.url());
  Where query = of_peer(kKitchen, "query-17");
  query.context["query_id"] = "query-17";
  bus.say(query, "a single question 8403917265");
  bus.speak(query, "A single answer.");
  CHECK(bus.context(query, "x") == Lines{"user: x"});
  CHECK(personad.terminate() == 0);
  CHECK_FALSE(any_file_holds(personad.data_dir(), "8403917265"));
}

TEST_CASE("sessions are listed to a local caller on the bus only where bus_admin is set") {
  DaemonSettings settings;
  SUBCASE("not set") {
    DaemonProcess personad(std::move(settings));
    Assistant bus(personad.url());
    CHECK(bus.error("ovos.memory.sessions", json::object()).starts_with("forbidden: "));
  }
  SUBCASE("set") {
    settings.configuration = {{"bus_admin", true}};
    DaemonProcess personad(std::move(settings));
    Assistant bus(personad.url());
    exchange_with(bus, kKitchen, "default", "x", "y");
    CHECK(bus.history(of_peer(kKitchen, "default")).size() == 2);
    const json listed = bus.result("ovos.memory.sessions", json::object())["sessions"];
    REQUIRE(listed.size() == 1);
    CHECK(listed[0]["owner"] == "hivemind:hub:7:kitchen");
    CHECK(listed[0]["session_id"] == "default");
    CHECK(listed[0]["turns"] == 2);
  }
}
