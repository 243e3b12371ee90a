#include <doctest/doctest.h>

#include <sstream>

#include "tests/system/admin_client.hpp"
#include "tests/system/assistant.hpp"

// Configuration: checked before anything runs, read again on SIGHUP.

using namespace system_tests;
using nlohmann::json;

namespace {

Ran check(const std::filesystem::path& file) {
  return run_to_end({PERSONAD_BIN, "--check-config", "--config", file.string()});
}

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("--check-config prints a configuration that loads again and means the same") {
  const TemporaryFolder folder;
  const auto file = folder.path() / "personad.conf";
  write_file(file, R"({
    // which bus
    "bus": {"url": "ws://10.0.0.5:8181/core", "max_frame_bytes": 1048576},
    "record": {"prompt_answers": true}, /* and the rest */
    "store": {"durability": "full"},
    "hivemind": {"hub_name": "attic", "remote_sources": ["^bridge"]},
    "data_dir": "/tmp/somewhere", "personas_dir": "/tmp/personas", "admin_socket": "/tmp/a.sock",
    "log_level": "debug"
  })");
  const Ran first = check(file);
  REQUIRE(first.exit_code == 0);
  const json printed = json::parse(first.out, nullptr, false, true);
  REQUIRE(printed.is_object());
  CHECK(printed["bus"]["url"] == "ws://10.0.0.5:8181/core");
  CHECK(printed["bus"]["max_frame_bytes"] == 1048576);
  CHECK(printed["record"]["prompt_answers"] == true);
  CHECK(printed["store"]["durability"] == "full");
  CHECK(printed["hivemind"]["remote_sources"] == json{"^bridge"});
  CHECK(printed["limits"]["conversations"].is_number());  // defaults are printed too
  write_file(folder.path() / "again.conf", first.out);
  const Ran second = check(folder.path() / "again.conf");
  CHECK(second.exit_code == 0);
  CHECK(second.out == first.out);
}

TEST_CASE("a wrong configuration is refused with file, key and what was expected, all of it at once") {
  const TemporaryFolder folder;
  const auto file = folder.path() / "personad.conf";
  write_file(file, R"({"bus": {"url": 5, "max_frame_bytes": "big", "nonsense": 1}, "store": {"durability": "some"},
                       "log_levle": "info", "limits": 5})");
  for (const bool only_check : {true, false}) {
    const Ran ran = only_check ? check(file) : run_to_end({PERSONAD_BIN, "--config", file.string()});
    CHECK(ran.exit_code == 2);
    CHECK(holds(ran.err, file.string()));
    for (const char* key :
         {"bus.url", "bus.max_frame_bytes", "bus.nonsense", "store.durability", "log_levle", "limits"}) {
      INFO(ran.err);
      CHECK(holds(ran.err, key));
    }
    CHECK(holds(ran.err, "expected a whole number from 65536 to 1073741824"));
    CHECK(holds(ran.err, "\"normal\", \"full\""));
    CHECK(holds(ran.err, "log_level perhaps"));
  }
}

TEST_CASE("a configuration that is no JSON is refused with the place where it stops being it") {
  const TemporaryFolder folder;
  const auto file = folder.path() / "personad.conf";
  write_file(file, "{\n  \"bus\": {\n    \"url\" \"ws://x\"\n  }\n}\n");
  const Ran ran = check(file);
  CHECK(ran.exit_code == 2);
  CHECK(holds(ran.err, file.string() + ":3:"));
  CHECK(check(folder.path() / "missing.conf").exit_code == 2);
}

TEST_CASE("--version and --help go to stdout, wrong use to stderr") {
  const Ran version = run_to_end({PERSONAD_BIN, "--version"});
  CHECK(version.exit_code == 0);
  CHECK(version.out.starts_with("personad "));
  CHECK(holds(run_to_end({PERSONAD_BIN, "--help"}).out, "--embedded-bus"));
  const Ran wrong = run_to_end({PERSONAD_BIN, "--no-such-option"});
  CHECK(wrong.exit_code == 2);
  CHECK(wrong.out.empty());
  CHECK(holds(wrong.err, "--no-such-option"));
}

TEST_CASE("without --bus the bus is that of the user's mycroft.conf") {
  tests::FakeBusServer server(on_free_port());
  server.start();
  const TemporaryFolder folder;
  const auto mycroft = folder.path() / "mycroft.conf";
  write_file(mycroft, R"({"websocket": {"host": "127.0.0.1", "port": )" + std::to_string(server.port()) + "}}");
  DaemonSettings settings;
  settings.give_bus = false;
  settings.mycroft_conf = mycroft;
  DaemonProcess personad(std::move(settings));
  CHECK(server.wait_for_open(1, kPatience));
}

TEST_CASE("SIGHUP reads personas and configuration again") {
  DaemonSettings settings;
  settings.personas["butler"] = {{"name", "butler"}};
  DaemonProcess personad(std::move(settings));
  Assistant bus(personad.url());
  for (const char* word : {"a", "b", "c"}) bus.exchange({"hall"}, word, {std::string("re ") + word});
  CHECK(bus.context({"hall"}, "d").size() == 5);
  CHECK(bus.error("ovos.memory.sessions", json::object()).starts_with("forbidden: "));

  const char* module = "ovos-agents-short-term-memory-plugin";
  write_file(personad.personas_dir() / "butler.json",
             json{{"name", "butler"}, {module, {{"max_history", 2}, {"system_prompt", "Be brief."}}}}.dump());
  write_file(personad.personas_dir() / "pirate.json", json{{"name", "pirate"}}.dump());
  write_file(personad.configuration_file(), R"({"bus_admin": true, "default_persona": "butler"})");
  personad.reload();
  CHECK(bus.context({"hall"}, "d") == Lines{"system: Be brief.", "user: c", "assistant: re c", "user: d"});
  CHECK(bus.result("ovos.memory.personas", json::object())["personas"].size() == 2);
  CHECK(bus.result("ovos.memory.sessions", json::object())["sessions"].size() == 1);

  write_file(personad.personas_dir() / "butler.json", json{{"name", "butler"}, {module, {{"max_history", 10}}}}.dump());
  personad.reload();
  CHECK(bus.context({"hall"}, "d").size() == 7);  // a wider window finds what the narrow one had dropped
}

TEST_CASE("a file that is broken at SIGHUP leaves its last good version in force") {
  DaemonSettings settings;
  const char* module = "ovos-agents-short-term-memory-plugin";
  settings.personas["butler"] = {{"name", "butler"}, {module, {{"system_prompt", "Be polite."}}}};
  settings.configuration = {{"bus_admin", true}};
  DaemonProcess personad(std::move(settings));
  Assistant bus(personad.url());
  write_file(personad.personas_dir() / "butler.json", "{\"name\": \"butler\",");
  write_file(personad.configuration_file(), R"({"bus_admin": "no"})");
  personad.reload();
  CHECK(personad.await_log("butler.json"));
  CHECK(personad.await_log("bus_admin"));
  CHECK(bus.context({"hall"}, "x") == Lines{"system: Be polite.", "user: x"});
  CHECK(bus.result("ovos.memory.sessions", json::object())["sessions"].empty());
}

TEST_CASE("at start one line says what is kept, where and for how long") {
  DaemonProcess personad;
  const auto says_so = [&] {
    std::istringstream log(personad.log());
    for (std::string line; std::getline(log, line);) {
      if (holds(line, personad.data_dir().string()) && holds(line, "until it is erased")) return true;
    }
    return false;
  };
  CHECK(eventually(says_so));
}

TEST_CASE("what cannot be started says what and why, and leaves with an error") {
  DaemonProcess personad;
  const std::string address = personad.url().substr(5, personad.url().rfind('/') - 5);
  const TemporaryFolder folder;
  const auto start = [&](const std::string& bus, const std::filesystem::path& data,
                         const std::filesystem::path& socket) {
    return run_to_end(
        {PERSONAD_BIN, "--embedded-bus", bus, "--data-dir", data.string(), "--admin-socket", socket.string()});
  };
  const auto data = folder.path() / "data";
  const auto socket = folder.path() / "a.sock";
  const Ran address_taken = start(address, data, socket);
  CHECK(address_taken.exit_code == 1);
  CHECK(holds(address_taken.err, address));
  const Ran no_folder = start("127.0.0.1:0", "/proc/no/such", socket);
  CHECK(no_folder.exit_code == 1);
  CHECK(holds(no_folder.err, "/proc/no/such"));
  const Ran socket_taken = start("127.0.0.1:0", data, personad.admin_socket());
  CHECK(socket_taken.exit_code == 1);
  CHECK(holds(socket_taken.err, personad.admin_socket().string()));
}
