#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <thread>

#include "tests/system/admin_client.hpp"
#include "tests/system/assistant.hpp"

// Whatever comes over the bus: personad keeps serving.

using namespace system_tests;
using nlohmann::json;

namespace {

constexpr std::size_t kMiB = 1024 * 1024;

}  // namespace

TEST_CASE("an utterance of five megabytes is not recorded, is counted, and disturbs nobody") {
  DaemonProcess personad;
  Assistant bus(personad.url());
  const std::string huge(5 * kMiB, 'x');
  bus.say({"hall"}, huge);
  bus.speak({"hall"}, huge);
  bus.handled({"hall"});
  CHECK(bus.error("ovos.memory.context", {{"utterance", huge}}).starts_with("too_large: "));
  CHECK(bus.error("ovos.memory.update", {{"messages", {{{"role", "user"}, {"content", huge}}}}})
            .starts_with("too_large: "));
  CHECK(bus.error("ovos.memory.update",
                  {{"messages", {{{"role", "user"}, {"content", "x"}, {"meta", {{"k", std::string(20000, 'm')}}}}}}})
            .starts_with("too_large: "));
  CHECK(bus.history({"hall"}).empty());
  CHECK(bus.result("ovos.memory.status", json::object())["counts"]["not_recorded"]["too_large"] == 2);
  bus.exchange({"hall"}, "hello", {"hi"});
  CHECK(bus.history({"hall"}).size() == 2);
}

TEST_CASE("text of any language survives the round trip, through the file too") {
  const Lines texts{"\xF0\x9F\x90\xB8 emoji \xF0\x9F\x91\xA9\xE2\x80\x8D\xF0\x9F\x9A\x80",
                    "\xD7\xA9\xD7\x9C\xD7\x95\xD7\x9D \xE2\x80\x8Fright to left",
                    "combining e\xCC\x81 a\xCC\x8A",
                    "\xE4\xBD\xA0\xE5\xA5\xBD",
                    "quotes \" ' \\ and ; DROP TABLE turns; --",
                    "tab\tand\nnewline\r\nand\x7f"};
  DaemonProcess personad;
  Lines expected;
  {
    Assistant bus(personad.url());
    for (const std::string& text : texts) {
      bus.exchange({"hall"}, text, {"re " + text});
      expected.push_back("user: " + text);
      expected.push_back("assistant: re " + text);
    }
    CHECK(bus.history({"hall"}) == expected);
    for (const std::string& name : texts) {
      bus.exchange({name}, "in " + name, {"yes"});
      CHECK(bus.history({name}) == Lines{"user: in " + name, "assistant: yes"});
    }
  }
  CHECK(personad.terminate() == 0);
  personad.start();
  Assistant bus(personad.url());
  CHECK(bus.history({"hall"}) == expected);
}

TEST_CASE("a NUL in a text survives the round trip, through the file too") {
  DaemonProcess personad;
  const std::string text("before\0after", 12);
  {
    Assistant bus(personad.url());
    bus.exchange({"hall"}, text, {text + "!"});
    CHECK(bus.history({"hall"}) == Lines{"user: " + text, "assistant: " + text + "!"});
  }
  CHECK(personad.terminate() == 0);
  personad.start();
  Assistant bus(personad.url());
  CHECK(bus.history({"hall"}) == Lines{"user: " + text, "assistant: " + text + "!"});
}

TEST_CASE("a lone surrogate is dropped or refused, and the next frame is served") {
  DaemonProcess personad;
  Assistant bus(personad.url());
  bus.send(R"({"type":"ovos.utterance.handle","data":{"utterances":["broken \ud800 text"]},"context":{}})");
  bus.send(R"({"type":"ovos.utterance.handle","data":{"utterances":["broken \udc00\ud800"]},"context":{}})");
  CHECK(bus.history({}).empty());
  bus.exchange({}, "whole \xF0\x9F\x98\x80", {"fine"});
  CHECK(bus.history({}).size() == 2);
  AdminClient admin(personad.admin_socket());
  admin.write("{\"type\":\"ovos.memory.context\",\"data\":{\"utterance\":\"\\ud800\"}}\n");
  const auto answer = admin.read_line();
  REQUIRE(answer.has_value());
  CHECK(answer->find("bad_request: ") != std::string::npos);
}

TEST_CASE("utterances that are no strings are passed over, and a list without one is no turn") {
  DaemonProcess personad;
  Assistant bus(personad.url());
  const std::vector<json> nothing{json::array(), {5},     {nullptr}, {json::object()}, {"", "  "},
                                  "text",        nullptr, 5,         json::object(),   {{"nested"}}};
  for (const json& utterances : nothing) bus.emit("ovos.utterance.handle", {{"utterances", utterances}});
  bus.emit("ovos.utterance.handle", json::object());
  for (const json& utterance : {json(5), json(nullptr), json::array(), json(""), json("  ")}) {
    bus.emit("ovos.utterance.speak", {{"utterance", utterance}});
  }
  CHECK(bus.history({}).empty());
  bus.emit("ovos.utterance.handle", {{"utterances", {5, "", "at last", "or this"}}});
  bus.speak({}, "yes");
  CHECK(bus.history({}) == Lines{"user: at last", "assistant: yes"});
}

TEST_CASE("deep nesting costs a frame, not the daemon") {
  DaemonProcess personad;
  Assistant bus(personad.url());
  constexpr std::size_t kDeep = 100000;
  const std::string open(kDeep, '[');
  const std::string close(kDeep, ']');
  std::string objects, ends;
  for (std::size_t i = 0; i < kDeep; ++i) objects += "{\"a\":", ends += "}";
  for (const std::string& nested : {open, open + close, objects + "1" + ends}) {
    bus.send(R"({"type":"ovos.utterance.handle","data":{"utterances":["x"],"more":)" + nested + "}}");
    bus.send(R"({"data":{"more":)" + nested + R"(},"type":"ovos.memory.context"})");
    bus.send(nested);
  }
  const std::string moderate(50, '[');
  bus.send(R"({"type":"ovos.utterance.handle","data":{"utterances":["kept"],"more":)" + moderate +
           std::string(50, ']') + "}}");
  bus.speak({}, "yes");
  CHECK(bus.history({}) == Lines{"user: kept", "assistant: yes"});
}

TEST_CASE("a session that is no object is not relayed by the embedded bus, and its sender is told") {
  DaemonProcess personad;
  Assistant bus(personad.url());
  bus.send(R"({"type":"ovos.utterance.handle","data":{"utterances":["x"]},"context":{"session":"default"}})");
  const auto told = bus.peer().wait_for("ovos.session.rejected", {}, kPatience);
  REQUIRE(told.has_value());
  CHECK(told->data == json{{"msg_type", "ovos.utterance.handle"}, {"reason", "malformed_carrier"}});
  CHECK(bus.history({}).empty());
}

TEST_CASE("a binary frame is no message, and closes nothing that was well") {
  tests::FakeBusServer server(on_free_port());
  server.start();
  DaemonSettings settings;
  settings.bus_url = "ws://127.0.0.1:" + std::to_string(server.port()) + "/core";
  DaemonProcess personad(std::move(settings));
  REQUIRE(server.wait_for_open(1, kPatience));
  server.broadcast_binary(std::string("\0\1\2\xff", 4));
  server.broadcast_binary(R"({"type":"ovos.utterance.handle","data":{"utterances":["in a binary frame"]}})");
  Assistant bus(personad.url());
  bus.exchange({"hall"}, "hello", {"hi"});
  CHECK(bus.history({"hall"}) == Lines{"user: hello", "assistant: hi"});
}

TEST_CASE("a flood of large frames that nobody reads does not delay an answer") {
  constexpr int kAsks = 50;
  constexpr std::chrono::milliseconds kPrompt{500};
  DaemonProcess personad;
  Assistant bus(personad.url());
  bus.exchange({"hall"}, "hello", {"hi"});
  (void)bus.history({"hall"});
  bus.peer().close();
  std::atomic<bool> stop{false};
  std::atomic<int> flooded{0};
  std::thread flood([&] {
    tests::BusPeer peer;
    const auto colon = personad.url().rfind(':');
    if (peer.connect("127.0.0.1", static_cast<std::uint16_t>(std::stoi(personad.url().substr(colon + 1)))) != 101)
      return;
    const std::string frame = json{{"type", "gui.value.set"}, {"data", {{"value", std::string(100000, 'x')}}}}.dump();
    constexpr int kOnTheirWay = 4;
    while (!stop && peer.send(frame)) {
      if (++flooded > kOnTheirWay) (void)peer.receive();  // one that came back
    }
  });
  std::chrono::milliseconds slowest{0};
  AdminClient admin(personad.admin_socket());
  for (int i = 0; i < kAsks; ++i) {
    const auto began = std::chrono::steady_clock::now();
    const json answer = admin.ask("ovos.memory.context", {{"utterance", "x"}, {"session_id", "hall"}});
    slowest = std::max(slowest,
                       std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - began));
    CHECK(answer["result"]["messages"].size() == 3);
    REQUIRE(eventually([&, seen = flooded.load()] { return flooded > seen + 2; }));
  }
  stop = true;
  flood.join();
  CHECK(flooded > kAsks);
  CHECK(slowest < kPrompt);
}
