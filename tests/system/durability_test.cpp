#include <doctest/doctest.h>

#include <algorithm>
#include <csignal>
#include <set>

#include "tests/system/admin_client.hpp"
#include "tests/system/assistant.hpp"

// What survives: kill -9, a stop under load, a bus that goes away.

using namespace system_tests;
using nlohmann::json;

namespace {

std::string url_of(const tests::FakeBusServer& server) {
  return "ws://127.0.0.1:" + std::to_string(server.port()) + "/core";
}

json one_message(const std::string& role, const std::string& content) {
  return {{"messages", {{{"role", role}, {"content", content}}}}};
}

/// Sends updates until the daemon is gone; the ids in all the answers that came.
std::set<std::string> update_until_gone(Assistant& bus, const std::function<void()>& after_some) {
  constexpr int kUpdates = 2000;
  constexpr std::size_t kSome = 50;
  std::set<std::string> ids;
  const auto take = [&](std::chrono::milliseconds wait) {
    while (const auto frame = bus.peer().receive(wait)) {
      const json answer = json::parse(*frame, nullptr, false);
      if (answer["type"] != "ovos.memory.update.response" || !answer["data"].contains("result")) continue;
      for (const json& id : answer["data"]["result"]["ids"]) ids.insert(id.get<std::string>());
      if (ids.size() == kSome) after_some();
      if (wait.count() == 0 && ids.size() % 32 == 0) return;
    }
  };
  for (int i = 0; i < kUpdates; ++i) {
    const json frame{{"type", "ovos.memory.update"},
                     {"data", one_message("user", "update " + std::to_string(i))},
                     {"context", {{"session", {{"session_id", "load"}}}}}};
    if (!bus.peer().send(frame.dump())) break;
    if (i % 32 == 31) take(std::chrono::milliseconds(0));
  }
  take(std::chrono::milliseconds(500));
  return ids;
}

}  // namespace

TEST_CASE("what an answered update stored survives kill -9") {
  DaemonProcess personad;
  const Where where{"vault"};
  Lines context;
  json history;
  {
    Assistant bus(personad.url());
    bus.exchange(where, "hello", {"hi"});
    const json messages{{{"role", "user"}, {"content", "remember this"}},
                        {{"role", "assistant"}, {"content", "It is kept."}, {"meta", {{"by", "test"}}}}};
    context = bus.context(where, "what?");
    const json stored = bus.result("ovos.memory.update", {{"messages", messages}}, where);
    CHECK(stored["stored"] == 2);
    personad.kill9();
  }
  personad.start();
  Assistant bus(personad.url());
  CHECK(bus.context(where, "what?") ==
        Lines{"user: hello", "assistant: hi", "user: remember this", "assistant: It is kept.", "user: what?"});
  CHECK(bus.history(where).size() == 4);
  CHECK(bus.result("ovos.memory.history", {{"limit", 1}}, where)["messages"][0]["meta"]["by"] == "test");
}

TEST_CASE("each of a series of kills leaves what was answered before it") {
  DaemonProcess personad;
  Lines expected;
  for (int round = 0; round < 5; ++round) {
    {
      Assistant bus(personad.url());
      const std::string text = "round " + std::to_string(round);
      (void)bus.result("ovos.memory.update", one_message("assistant", text), {"vault"});
      expected.push_back("assistant: " + text);
    }
    personad.kill9();
    personad.start();
    Assistant bus(personad.url());
    REQUIRE(bus.history({"vault"}) == expected);
  }
}

TEST_CASE("the active persona survives kill -9 once a later write was answered") {
  DaemonSettings settings;
  settings.personas["butler"] = {{"name", "butler"}};
  settings.personas["pirate"] = {{"name", "pirate"}};
  DaemonProcess personad(std::move(settings));
  {
    Assistant bus(personad.url());
    (void)bus.result("ovos.persona.activate", {{"persona_id", "pirate"}}, {"ship"});
    (void)bus.result("ovos.memory.update", one_message("user", "ahoy"), {"ship"});
  }
  personad.kill9();
  personad.start();
  Assistant bus(personad.url());
  CHECK(bus.result("ovos.persona.active", json::object(), {"ship"})["persona_id"] == "pirate");
  CHECK(bus.result("ovos.memory.history", json::object(), {"ship"})["persona_id"] == "pirate");
}

TEST_CASE("an utterance that nobody reacts to is stored by itself, on a bus where nothing else is said") {
  DaemonProcess personad;
  Assistant bus(personad.url());
  bus.say({"quiet"}, "is this thing on?");
  AdminClient admin(personad.admin_socket());
  CHECK(eventually([&] {
    const json answer = admin.ask("ovos.memory.history", {{"session_id", "quiet"}});
    return answer["result"]["messages"].size() == 1;
  }));
}

TEST_CASE("SIGTERM right after an utterance stores it, though nobody has answered it yet") {
  DaemonProcess personad;
  {
    Assistant bus(personad.url());
    bus.say({"door"}, "is anybody there?");
    (void)bus.result("ovos.memory.status", json::object());  // so it was heard
    CHECK(personad.terminate() == 0);
  }
  personad.start();
  Assistant bus(personad.url());
  CHECK(bus.history({"door"}) == Lines{"user: is anybody there?"});
}

TEST_CASE("SIGTERM right after utterances in conversations that were never heard of stores all of them") {
  constexpr int kConversations = 100;
  DaemonProcess personad;
  {
    Assistant bus(personad.url());
    for (int i = 0; i < kConversations; ++i) bus.say({"new-" + std::to_string(i)}, "hello " + std::to_string(i));
    const std::string last = "hello " + std::to_string(kConversations - 1);
    CHECK(bus.peer().wait_for("ovos.utterance.handle", [&](const bus::Message& entry) {  // it came back: it was heard
      return entry.data["utterances"][0] == last;
    }));
    CHECK(personad.terminate() == 0);
  }
  personad.start();
  Assistant bus(personad.url());
  for (int i = 0; i < kConversations; ++i) {
    CHECK(bus.history({"new-" + std::to_string(i)}) == Lines{"user: hello " + std::to_string(i)});
  }
}

TEST_CASE("SIGTERM under load ends in time with exit code 0 and keeps all that was answered") {
  DaemonProcess personad;
  std::set<std::string> answered;
  {
    Assistant bus(personad.url());
    answered = update_until_gone(bus, [&] { kill(personad.pid(), SIGTERM); });
  }
  CHECK(personad.terminate() == 0);
  CHECK(answered.size() >= 50);
  personad.start();
  Assistant bus(personad.url());
  std::set<std::string> stored;
  const json history = bus.result("ovos.memory.history", {{"limit", 10000}}, {"load"});
  for (const json& row : history["messages"]) stored.insert(row["id"].get<std::string>());
  CHECK(std::ranges::includes(stored, answered));
}

TEST_CASE("SIGTERM under load keeps every turn that was heard") {
  constexpr int kExchanges = 3000;
  DaemonProcess personad;
  const Where where{"talk"};
  {
    Assistant bus(personad.url());
    for (int i = 0; i < kExchanges; ++i) bus.exchange(where, "q" + std::to_string(i), {"a" + std::to_string(i)});
    (void)bus.result("ovos.memory.status", json::object());  // so all of it was heard, if not yet stored
    CHECK(personad.terminate() == 0);
  }
  personad.start();
  Assistant bus(personad.url());
  const Lines history = bus.history(where);
  REQUIRE(history.size() == 2 * kExchanges);
  CHECK(history.front() == "user: q0");
  CHECK(history.back() == "assistant: a" + std::to_string(kExchanges - 1));
}

TEST_CASE("a bus that is started again in mid-conversation costs no turn, and personad comes back by itself") {
  tests::FakeBusServer server(on_free_port());
  server.start();
  DaemonSettings settings;
  settings.bus_url = url_of(server);
  DaemonProcess personad(std::move(settings));
  REQUIRE(server.wait_for_open(1, kPatience));
  const Where where{"car"};
  {
    Assistant bus(personad.url());
    bus.exchange(where, "how far is it", {"Ten miles."});
    bus.say(where, "and how long");
    (void)bus.result("ovos.memory.status", json::object());
  }
  server.stop();
  server.start();
  REQUIRE(server.wait_for_open(1, kPatience));
  Assistant bus(personad.url());
  bus.speak(where, "Half an hour.");
  bus.handled(where);
  CHECK(bus.history(where) ==
        Lines{"user: how far is it", "assistant: Ten miles.", "user: and how long", "assistant: Half an hour."});
  CHECK(bus.result("ovos.memory.status", json::object())["bus"]["connects"] == 2);
}

TEST_CASE("personad starts before its bus, is ready at once, and connects when the bus comes") {
  tests::FakeBusServer server(on_free_port());
  server.start();
  server.stop();  // keeps its port
  DaemonSettings settings;
  settings.bus_url = url_of(server);
  DaemonProcess personad(std::move(settings));
  {
    AdminClient admin(personad.admin_socket());
    const json status = admin.ask("ovos.memory.status")["result"];
    CHECK(status["bus"]["connected"] == false);
    CHECK(status["store"]["ok"] == true);
  }
  server.start();
  REQUIRE(server.wait_for_open(1, kPatience));
  Assistant bus(personad.url());
  bus.exchange({"late"}, "hello", {"hi"});
  CHECK(bus.context({"late"}, "you") == Lines{"user: hello", "assistant: hi", "user: you"});
}

TEST_CASE("an exchange that a restart of personad interrupts keeps its question, unanswered") {
  DaemonProcess personad;
  {
    Assistant bus(personad.url());
    bus.exchange({"hall"}, "one", {"1"});
    bus.say({"hall"}, "two");
    (void)bus.result("ovos.memory.status", json::object());
    CHECK(personad.terminate() == 0);
  }
  personad.start();
  Assistant bus(personad.url());
  CHECK(bus.history({"hall"}) == Lines{"user: one", "assistant: 1", "user: two"});
  CHECK(bus.context({"hall"}, "three") == Lines{"user: one", "assistant: 1", "user: three"});
}

TEST_CASE("two processes cannot share one store") {
  DaemonProcess personad;
  const Ran second = run_to_end({PERSONAD_BIN, "--data-dir", personad.data_dir().string(), "--admin-socket",
                                 (personad.folder() / "second.sock").string(), "--embedded-bus",
                                 "127.0.0.1:" + std::to_string(free_port())});
  CHECK(second.exit_code == 1);
  CHECK(second.err.find(personad.data_dir().string()) != std::string::npos);
}
