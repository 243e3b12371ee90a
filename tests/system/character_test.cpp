#include <doctest/doctest.h>

#include "tests/fakes/model_server.hpp"
#include "tests/system/assistant.hpp"

// Characters of a game: what they think of at each step, and what they keep of a conversation that ended.

using namespace system_tests;
using nlohmann::json;
using tests::ModelReply;
using tests::ModelServer;

namespace {

const Where kGame{"pantella-skyrim-Prisoner-Lydia"};

DaemonSettings lydia(const char* module, json settings = json::object()) {
  DaemonSettings daemon;
  daemon.personas["Lydia"] = {{"name", "Lydia"},     {"race", "Nord"},          {"gender", "Female"},
                              {"base_id", "0A2C8E"}, {"ref_id", "0A2C94"},      {"memory_module", module},
                              {module, settings},    {"handlers", {"whatever"}}};
  return daemon;
}

json message(const char* role, const std::string& content) {
  return {{"role", role}, {"content", content}};
}

void say(Assistant& bus, const std::string& question, const std::string& answer, const Where& where = kGame) {
  bus.result("ovos.memory.update", {{"messages", {message("user", question), message("assistant", answer)}}}, where);
}

json before(Assistant& bus, json messages = nullptr, const Where& where = kGame) {
  json data = json::object();
  if (!messages.is_null()) data["messages"] = std::move(messages);
  return bus.result("ovos.memory.step.before", std::move(data), where);
}

void tell_a_story(Assistant& bus) {
  say(bus, "where is the inn?", "follow me");
  say(bus, "a dragon burnt Helgen", "gods help us");
  say(bus, "do you like mead?", "who does not");
  say(bus, "what is your duty?", "to carry your burdens");
}

}  // namespace

TEST_CASE("a chromadb_memory thinks of what was said about the same, with what was said around it") {
  DaemonProcess personad(lydia("chromadb_memory", {{"chromadb_memory_messages_before", 1},
                                                   {"chromadb_memory_messages_after", 1},
                                                   {"chromadb_memory_depth", 2},
                                                   {"chromadb_memory_direction", "bottomup"}}));
  Assistant bus(personad.url());
  const json nothing = before(bus, {message("user", "hello")});
  CHECK(nothing == json{{"memories", json::array()}, {"memory_offset", 2}, {"memory_offset_direction", "bottomup"}});
  tell_a_story(bus);
  const json step = before(bus, {message("system", "You are Lydia."), message("user", "any dragon?")});
  CHECK(lines_of(step["memories"]) == Lines{"system: Lydia remembers what was said earlier:", "assistant: follow me",
                                            "user: a dragon burnt Helgen", "assistant: gods help us",
                                            "user: do you like mead?"});
  CHECK(step["memory_offset"] == 2);
  for (std::size_t i = 1; i < step["memories"].size(); ++i) {
    CHECK(step["memories"][i]["type"] == "memory");
    CHECK(step["memories"][i]["timestamp"].is_number());
  }
  CHECK(bus.result("ovos.memory.step.after", json::object(), kGame) == json::object());
}

TEST_CASE("what the game gave with a message comes back with the memory, and is felt until it fades") {
  DaemonProcess personad(lydia("chromadb_memory", {{"emotional_decay_min", 0.5}, {"emotional_decay_max", 0.5}}));
  {
    Assistant bus(personad.url());
    json told = message("user", "a dragon burnt Helgen");
    told["name"] = "Ralof";
    told["timestamp"] = 1700000000.5;
    told["meta"] = {{"id", "m1"}, {"location", "Helgen"}, {"emotions", {{"afraid", 0.5}}}, {"conversation_id", 7}};
    bus.result("ovos.memory.update", {{"messages", {told, message("assistant", "gods help us")}}}, kGame);
    const json step = before(bus, {message("user", "what of the dragon?")});
    const json& memory = step["memories"][1];
    CHECK(memory["name"] == "Ralof");
    CHECK(memory["timestamp"] == 1700000000.5);
    CHECK(memory["meta"] == told["meta"]);
    CHECK(step["emotions"] == json{{"afraid", 0.5}});
    CHECK(before(bus)["emotions"] == json{{"afraid", 0.25}});
  }
  personad.kill9();
  personad.start();
  Assistant bus(personad.url());
  CHECK(before(bus)["emotions"] == json{{"afraid", 0.125}});
}

TEST_CASE("memories stay the same until it is time to look for others, also across a restart") {
  DaemonProcess personad(lydia(
      "chromadb_memory",
      {{"memory_update_interval", 3}, {"chromadb_memory_messages_before", 0}, {"chromadb_memory_messages_after", 0}}));
  const auto about = [](const json& step) { return step["memories"].back()["content"]; };
  {
    Assistant bus(personad.url());
    tell_a_story(bus);
    CHECK(about(before(bus, {message("user", "the dragon")})) == "gods help us");
    CHECK(about(before(bus, {message("user", "some mead")})) == "gods help us");
  }
  personad.kill9();
  personad.start();
  Assistant bus(personad.url());
  CHECK(about(before(bus, {message("user", "some mead")})) == "who does not");
}

TEST_CASE("characters that share a persona do not share memories") {
  DaemonProcess personad(lydia("chromadb_memory"));
  Assistant bus(personad.url());
  tell_a_story(bus);
  const Where other{"pantella-skyrim-Prisoner-Faendal"};
  say(bus, "good day", "well met", other);
  CHECK(before(bus, {message("user", "the dragon")}, other)["memories"].empty());
  CHECK(bus.result("ovos.memory.load", json::object(), other)["messages"].size() == 2);
}

TEST_CASE("the newest messages are loaded when a game begins, each as a memory") {
  DaemonProcess personad(lydia("chromadb_memory", {{"reload_buffer", 3}}));
  Assistant bus(personad.url());
  CHECK(bus.result("ovos.memory.load", json::object(), kGame) == json{{"messages", json::array()}});
  tell_a_story(bus);
  const json loaded = bus.result("ovos.memory.load", json::object(), kGame)["messages"];
  CHECK(lines_of(loaded) ==
        Lines{"assistant: who does not", "user: what is your duty?", "assistant: to carry your burdens"});
  for (const json& one : loaded) CHECK(one["type"] == "memory");
  CHECK(bus.result("ovos.memory.load", {{"limit", 100}}, kGame)["messages"].size() == 8);
  CHECK(bus.result("ovos.memory.request", {{"op", "load"}, {"limit", 1}}, kGame)["messages"].size() == 1);
  CHECK(bus.result("ovos.memory.limit", {{"reason", "ended"}}, kGame) == json{{"archived", 0}});
}

TEST_CASE("a summarizing_memory remembers a conversation that ended by its summary, which nobody waits for") {
  ModelServer model;
  model.next(ModelReply::after_release(ModelReply::chat("They spoke of a dragon.")));
  DaemonProcess personad(
      lydia("summarizing_memory", {{"api_url", model.url()}, {"model", "any"}, {"summarizing_memory_depth", 0}}));
  Assistant bus(personad.url());
  tell_a_story(bus);
  CHECK(before(bus) == json{{"memories", json::array()}, {"memory_offset", 0}, {"memory_offset_direction", "topdown"}});
  CHECK(model.requests().empty());
  CHECK(bus.result("ovos.memory.limit", {{"reason", "limit"}}, kGame) == json{{"archived", 0}});
  REQUIRE(model.wait_for_requests(1));
  CHECK(before(bus)["memories"].empty());  // at once, while the model thinks
  model.release();
  CHECK(eventually([&] { return !before(bus)["memories"].empty(); }));
  CHECK(lines_of(before(bus)["memories"]) ==
        Lines{"system: What Lydia remembers of earlier conversations, in summary:", "system: They spoke of a dragon."});
  CHECK(bus.result("ovos.memory.limit", json::object(), kGame) ==
        json{{"archived", 0}, {"summary", "They spoke of a dragon."}});
  const auto requests = model.requests();
  REQUIRE(requests.size() == 1);
  CHECK(requests[0].prompt().find("between Lydia and the player") != std::string::npos);
  CHECK(requests[0].prompt().ends_with("the player: what is your duty?\nLydia: to carry your burdens\n"));
}

TEST_CASE("a conversation that ended is summarised after kill -9, once") {
  ModelServer model;
  model.always(ModelReply::after_release(ModelReply::chat("never")));
  DaemonProcess personad(lydia("summarizing_memory", {{"api_url", model.url()}, {"model", "any"}}));
  {
    Assistant bus(personad.url());
    tell_a_story(bus);
    bus.result("ovos.memory.limit", {{"reason", "ended"}}, kGame);
    REQUIRE(model.wait_for_requests(1));
  }
  personad.kill9();
  model.always(std::nullopt);
  model.answer_chat([](const tests::ModelRequest&) { return std::string("They met."); });
  personad.start();
  Assistant bus(personad.url());
  CHECK(eventually([&] { return !before(bus)["memories"].empty(); }));
  bus.result("ovos.memory.limit", {{"reason", "ended"}}, kGame);
  say(bus, "hello again", "my thane");  // too short to be summarised
  bus.result("ovos.memory.limit", {{"reason", "ended"}}, kGame);
  CHECK(before(bus)["memories"][1]["content"] == "They met.");
  CHECK(model.requests().size() == 2);
}

TEST_CASE("a persona that is no character answers what a game asks, with nothing in mind") {
  DaemonSettings settings;
  settings.personas["Ada"] = {{"name", "Ada"}};
  settings.personas["Nobody"] = {{"name", "Nobody"}, {"memory_module", nullptr}};
  settings.configuration = {{"default_persona", "Ada"}};
  DaemonProcess personad(std::move(settings));
  Assistant bus(personad.url());
  tell_a_story(bus);
  for (const char* persona : {"Ada", "Nobody"}) {
    CAPTURE(persona);
    const json whose{{"persona_id", persona}};
    CHECK(bus.result("ovos.memory.step.before", whose, kGame) ==
          json{{"memories", json::array()}, {"memory_offset", 0}, {"memory_offset_direction", "topdown"}});
    CHECK(bus.result("ovos.memory.step.after", whose, kGame) == json::object());
    CHECK(bus.result("ovos.memory.limit", whose, kGame) == json{{"archived", 0}});
  }
  CHECK(bus.result("ovos.memory.load", {{"limit", 2}}, kGame)["messages"].size() == 2);
}

TEST_CASE("the list of personas says which of them are characters, and who they are") {
  DaemonSettings settings = lydia("summarizing_memory");
  settings.personas["Ada"] = {{"name", "Ada"}};
  settings.configuration = {{"default_persona", "Ada"}};
  DaemonProcess personad(std::move(settings));
  Assistant bus(personad.url());
  const json personas = bus.result("ovos.memory.personas", json::object())["personas"];
  REQUIRE(personas.size() == 2);
  CHECK_FALSE(personas[0].contains("character"));
  CHECK(personas[1]["character"] ==
        json{{"race", "Nord"}, {"gender", "Female"}, {"base_id", "0A2C8E"}, {"ref_id", "0A2C94"}});
}

TEST_CASE("what is wrong with a game's request is said, and names the field") {
  DaemonProcess personad(lydia("chromadb_memory"));
  Assistant bus(personad.url());
  const auto refused = [&](const char* topic, const json& data, const char* field) {
    CAPTURE(topic);
    CAPTURE(data.dump());
    const std::string error = bus.error(topic, data, kGame);
    CHECK(error.starts_with("bad_request: "));
    CHECK(error.find(field) != std::string::npos);
  };
  for (const json& wrong : {json(nullptr), json("hello"), json::object(), json(1)}) {
    refused("ovos.memory.step.before", {{"messages", wrong}}, "messages");
    refused("ovos.memory.load", {{"limit", wrong.is_number() ? json(0) : wrong}}, "limit");
    refused("ovos.memory.limit", {{"reason", wrong}}, "reason");
    if (wrong.is_string()) continue;
    for (const char* topic :
         {"ovos.memory.step.before", "ovos.memory.step.after", "ovos.memory.limit", "ovos.memory.load"}) {
      refused(topic, {{"persona_id", wrong}}, "persona_id");
    }
  }
  refused("ovos.memory.step.before", {{"messages", {message("user", "a"), {{"role", "user"}}}}}, "messages[1]");
  refused("ovos.memory.step.before", {{"messages", {{{"content", "a"}}}}}, "role");
  refused("ovos.memory.step.before", {{"messages", {message("king", "a")}}}, "role");
  refused("ovos.memory.limit", {{"reason", "bored"}}, "reason");
  for (const char* topic :
       {"ovos.memory.step.before", "ovos.memory.step.after", "ovos.memory.limit", "ovos.memory.load"}) {
    CHECK(bus.error(topic, {{"persona_id", "Ulfric"}}, kGame).starts_with("unknown_persona: "));
    CHECK(bus.error(topic, json::array(), kGame).starts_with("bad_request: "));
  }
  CHECK(before(bus, json::array())["memories"].empty());
}

TEST_CASE("a satellite's game reaches its own character alone") {
  DaemonProcess personad(lydia("chromadb_memory", {{"chromadb_query_size", 1}}));
  Assistant bus(personad.url());
  tell_a_story(bus);
  const char* const peer = "HiveMessageBusClientV0.0.1::7::game::default";
  Where satellite{"console"};
  satellite.context = {{"peer", peer}, {"source", peer}, {"destination", "skills"}};
  const json step = bus.result("ovos.memory.request",
                               {{"op", "step.before"},
                                {"session_id", kGame.session},
                                {"owner", "local"},
                                {"messages", {message("user", "the dragon")}}},
                               satellite);
  CHECK(step["memories"].empty());
  CHECK(bus.result("ovos.memory.request", {{"op", "load"}, {"session_id", kGame.session}}, satellite)["messages"]
            .empty());
  CHECK(bus.result("ovos.memory.request", {{"op", "step.after"}}, satellite) == json::object());
  CHECK(bus.result("ovos.memory.request", {{"op", "limit"}}, satellite) == json{{"archived", 0}});
}
