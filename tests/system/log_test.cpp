#include <doctest/doctest.h>

#include <csignal>

#include "tests/system/assistant.hpp"

// The log: what does not get into it, and what becomes of personad when nobody takes it.

using namespace system_tests;
using nlohmann::json;

namespace {

void check_it_serves(DaemonProcess& personad) {
  Assistant bus(personad.url());
  bus.exchange({"hall"}, "hello", {"hi"});
  CHECK(bus.history({"hall"}) == Lines{"user: hello", "assistant: hi"});
  CHECK(personad.terminate() == 0);
}

}  // namespace

TEST_CASE("a frame whose topic is none writes no line of its own into the log") {
  DaemonProcess personad;
  Assistant bus(personad.url());
  SUBCASE("as an escape") {
    bus.send(R"({"type": "x\nforged \u001b[31m.converse.get_response"})");
  }
  SUBCASE("as it is, where JSON has none") {
    bus.send("{\"type\": \"x\nforged \x1b[31m:y\", \"context\": {\"skill_id\": \"x\nforged \x1b[31m\"}}");
  }
  CHECK(personad.await_log("dropped a frame"));
  CHECK(personad.log().find("forged") == std::string::npos);
  CHECK(personad.log().find('\x1b') == std::string::npos);
}

TEST_CASE("whoever reads the log may go away") {
  DaemonSettings settings;
  settings.wrapper = {"/bin/bash", "-c", R"(exec "$@" 2> >(read -r line))", "bash"};
  DaemonProcess personad(settings);
  personad.reload();  // it says so, to nobody
  personad.reload();
  check_it_serves(personad);
}

TEST_CASE("without standard streams nothing else takes their place") {
  DaemonSettings settings;
  settings.wrapper = {"/bin/sh", "-c", R"(exec "$@" 0<&- 1>&- 2>&-)", "sh"};
  DaemonProcess personad(settings);
  const auto streams = std::filesystem::path("/proc") / std::to_string(personad.pid()) / "fd";
  for (const char* stream : {"0", "1", "2"}) CHECK(std::filesystem::read_symlink(streams / stream) == "/dev/null");
  check_it_serves(personad);
}
