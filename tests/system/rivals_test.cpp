#include <doctest/doctest.h>

#include "tests/system/admin_client.hpp"
#include "tests/system/assistant.hpp"

// Two daemons on one bus would answer everything twice.

using namespace system_tests;
using nlohmann::json;

namespace {

DaemonSettings on(const tests::FakeBusServer& server, bool clustered) {
  DaemonSettings settings;
  settings.bus_url = "ws://127.0.0.1:" + std::to_string(server.port()) + "/core";
  if (clustered) settings.configuration = {{"bus", {{"clustered", true}}}};
  return settings;
}

bool ready(const DaemonProcess& personad) {
  AdminClient admin(personad.admin_socket());
  return admin.ask("ovos.memory.status")["result"]["ready"].get<bool>();
}

}  // namespace

TEST_CASE("a daemon that sees another one answer says so, stops answering, and is not ready") {
  tests::FakeBusServer server(on_free_port());
  server.start();
  DaemonProcess first(on(server, false));
  DaemonProcess second(on(server, false));
  REQUIRE(server.wait_for_open(2, kPatience));
  Assistant bus(first.url());
  bus.exchange({"hall"}, "hello", {"hi"});
  (void)bus.context({"hall"}, "x");
  CHECK(eventually([&] { return !ready(first) || !ready(second); }));
  const bool first_silent = !ready(first);
  DaemonProcess& silent = first_silent ? first : second;
  CHECK(silent.await_log("another personad"));
  bus.emit("mycroft.personad.is_ready", json::object());
  CHECK(bus.peer()
            .wait_for(
                "mycroft.personad.is_ready.response",
                [](const bus::Message& answer) {
                  return answer.data == json{{"status", false}};
                },
                kPatience)
            .has_value());

  // The operator stops one of the two and reloads the other: all is well again.
  (first_silent ? second : first).kill9();
  silent.reload();
  CHECK(ready(silent));
  CHECK(bus.context({"hall"}, "x") == Lines{"user: hello", "assistant: hi", "user: x"});
  CHECK(ready(silent));
}

TEST_CASE("daemons that are meant to share a bus keep answering") {
  tests::FakeBusServer server(on_free_port());
  server.start();
  DaemonProcess first(on(server, true));
  DaemonProcess second(on(server, true));
  REQUIRE(server.wait_for_open(2, kPatience));
  Assistant bus(first.url());
  for (int i = 0; i < 5; ++i) (void)bus.context({"hall"}, "x");
  CHECK(ready(first));
  CHECK(ready(second));
}

TEST_CASE("a daemon's own answers that come back from the bus silence nobody") {
  tests::FakeBusServer server(on_free_port());
  server.start();
  DaemonProcess personad(on(server, false));
  REQUIRE(server.wait_for_open(1, kPatience));
  Assistant bus(personad.url());
  for (int i = 0; i < 20; ++i) {
    (void)bus.context({"hall"}, "x");
    (void)bus.result("ovos.persona.activate", {{"persona_id", "default"}}, {"hall"});
    (void)bus.result("ovos.persona.dismiss", json::object(), {"hall"});
  }
  CHECK(bus.result("ovos.persona.active", json::object(), {"hall"})["persona_id"].is_null());
  CHECK(ready(personad));
}

TEST_CASE("daemons that both refuse a request that does not exist are no rivals for it, and refuse no refusal") {
  tests::FakeBusServer server(on_free_port());
  server.start();
  DaemonProcess first(on(server, false));
  DaemonProcess second(on(server, false));
  REQUIRE(server.wait_for_open(2, kPatience));
  Assistant bus(first.url());
  for (int i = 0; i < 5; ++i) CHECK(bus.error("ovos.memory.eat", json::object()).starts_with("bad_request: "));
  bus.emit("mycroft.personad.is_alive", json::object());
  for (int i = 0; i < 2; ++i) {
    for (const std::string& topic : bus.topics_until("mycroft.personad.is_alive.response")) {
      CHECK(topic != "ovos.memory.eat.response.response");
    }
  }
  CHECK(ready(first));
  CHECK(ready(second));
}
