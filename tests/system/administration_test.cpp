#include <doctest/doctest.h>
#include <sys/stat.h>

#include "tests/system/admin_client.hpp"
#include "tests/system/assistant.hpp"

// The operator's side: the admin socket, and personactl in front of it.

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

Ran personactl(const DaemonProcess& personad, std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {PERSONACTL_BIN, "--admin-socket", personad.admin_socket().string()});
  return run_to_end(std::move(arguments));
}

json personactl_json(const DaemonProcess& personad, std::vector<std::string> arguments) {
  arguments.emplace_back("--json");
  const Ran ran = personactl(personad, std::move(arguments));
  INFO(ran.err);
  CHECK(ran.exit_code == 0);
  CHECK(ran.err.empty());
  json printed = json::parse(ran.out, nullptr, false);
  REQUIRE_FALSE(printed.is_discarded());
  return printed;
}

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("every request is answered on the admin socket, sessions only there") {
  DaemonProcess personad(butler_and_pirate());
  Assistant bus(personad.url());
  bus.exchange({"hall"}, "hello", {"Good evening."});
  (void)bus.history({"hall"});  // so that it was heard
  AdminClient admin(personad.admin_socket());
  const json named{{"session_id", "hall"}};
  const auto with = [&named](json more) {
    more.update(named);
    return more;
  };
  CHECK(lines_of(admin.ask("ovos.memory.context", with({{"utterance", "x"}}))["result"]["messages"]) ==
        Lines{"user: hello", "assistant: Good evening.", "user: x"});
  CHECK(admin.ask("ovos.memory.history", with({{"limit", 10}}))["result"]["messages"].size() == 2);
  CHECK(admin.ask("ovos.memory.update",
                  with({{"messages", {{{"role", "user"}, {"content", "x"}}}}}))["result"]["stored"] == 1);
  CHECK(admin.ask("ovos.persona.activate", with({{"persona_id", "pirate"}}))["result"]["persona_id"] == "pirate");
  CHECK(admin.ask("ovos.persona.active", named)["result"]["persona_id"] == "pirate");
  CHECK(admin.ask("ovos.persona.dismiss", named)["result"]["previous"] == "pirate");
  CHECK(admin.ask("ovos.memory.personas")["result"]["personas"].size() == 2);
  CHECK(admin.ask("ovos.memory.status")["result"]["ready"] == true);
  CHECK(admin.ask("ovos.memory.request", {{"op", "status"}})["result"]["ready"] == true);
  const json sessions = admin.ask("ovos.memory.sessions")["result"]["sessions"];
  REQUIRE(sessions.size() == 1);
  CHECK(sessions[0]["owner"] == "local");
  CHECK(sessions[0]["session_id"] == "hall");
  CHECK(sessions[0]["persona_id"] == "butler");
  CHECK(sessions[0]["turns"] == 3);
  CHECK(sessions[0]["first"] <= sessions[0]["last"]);
  CHECK(bus.error("ovos.memory.sessions", json::object()).starts_with("forbidden: "));
}

TEST_CASE("the list of sessions comes in pages that together are all of them, once each") {
  DaemonProcess personad;
  Assistant bus(personad.url());
  constexpr int kSessions = 25;
  for (int i = 0; i < kSessions; ++i) bus.exchange({"s" + std::to_string(i)}, "q", {"a"});
  for (int i = 0; i < kSessions; ++i) (void)bus.history({"s" + std::to_string(i)});  // so that all of it was heard
  AdminClient admin(personad.admin_socket());
  std::map<std::string, int> seen;
  json ask{{"limit", 10}};
  for (int pages = 1;; ++pages) {
    const json page = admin.ask("ovos.memory.sessions", ask)["result"];
    for (const json& session : page["sessions"]) ++seen[session["session_id"].get<std::string>()];
    if (!page.contains("cursor")) break;
    REQUIRE(pages < 10);
    ask["cursor"] = page["cursor"];
  }
  CHECK(seen.size() == kSessions);
  for (const auto& [session, times] : seen) CHECK(times == 1);
}

TEST_CASE("a junk line is answered, and the next one served") {
  DaemonProcess personad;
  AdminClient admin(personad.admin_socket());
  for (const char* line : {"junk\n", "[]\n", "{\"type\":5}\n", "{\"type\":\"ovos.memory.status\",\"data\":[]}\n",
                           "{\"type\":\"no.such.request\"}\n", "\x80\xff\n", "{\"type\":\"ovos.memory.status\"\n"}) {
    admin.write(line);
    const auto answer = admin.read_line();
    INFO(line);
    REQUIRE(answer.has_value());
    CHECK(holds(*answer, "bad_request: "));
  }
  admin.write("\n\n  \n");  // blank lines are no requests
  CHECK(admin.ask("ovos.memory.status")["result"]["ready"] == true);
}

TEST_CASE("requests that arrive in pieces, or several in one, are all answered") {
  DaemonProcess personad;
  AdminClient admin(personad.admin_socket());
  const std::string line = json{{"type", "mycroft"}, {"data", {{"request_id", "x"}}}}.dump() + "\n";
  const std::string status = json{{"type", "ovos.memory.personas"}}.dump() + "\n";
  for (const char c : status) admin.write(std::string(1, c));
  admin.write(status + status + status);
  for (int i = 0; i < 4; ++i) {
    const auto answer = admin.read_line();
    REQUIRE(answer.has_value());
    CHECK(holds(*answer, "ovos.memory.personas.response"));
  }
}

TEST_CASE("only the user of personad may open the admin socket, and it goes with the daemon") {
  DaemonProcess personad;
  struct stat about {};
  REQUIRE(lstat(personad.admin_socket().c_str(), &about) == 0);
  CHECK(S_ISSOCK(about.st_mode));
  CHECK((about.st_mode & 07777) == 0600);
  CHECK(personad.terminate() == 0);
  CHECK_FALSE(std::filesystem::exists(personad.admin_socket()));
  personad.start();
  personad.kill9();
  CHECK(std::filesystem::exists(personad.admin_socket()));
  personad.start();  // a stale one is no obstacle
  AdminClient admin(personad.admin_socket());
  CHECK(admin.ask("ovos.memory.status")["result"]["ready"] == true);
}

TEST_CASE("tail shows each turn as it is stored, of one session where that is asked for") {
  DaemonProcess personad;
  Assistant bus(personad.url());
  AdminClient all(personad.admin_socket());
  AdminClient one(personad.admin_socket());
  CHECK(all.ask("personad.tail")["result"]["tailing"] == true);
  CHECK(one.ask("personad.tail", {{"session_id", "hall"}})["result"]["tailing"] == true);
  bus.exchange({"porch"}, "knock", {"Who is there?"});
  bus.exchange({"hall"}, "hello", {"Good evening."});
  const auto turns = [](AdminClient& from, int count) {
    Lines lines;
    for (int i = 0; i < count; ++i) {
      const auto line = from.read_line();
      REQUIRE(line.has_value());
      const json turn = json::parse(*line)["data"];
      lines.push_back(turn["session_id"].get<std::string>() + " " + turn["role"].get<std::string>() + ": " +
                      turn["content"].get<std::string>());
    }
    return lines;
  };
  CHECK(turns(all, 4) == Lines{"porch user: knock", "porch assistant: Who is there?", "hall user: hello",
                               "hall assistant: Good evening."});
  CHECK(turns(one, 2) == Lines{"hall user: hello", "hall assistant: Good evening."});
}

TEST_CASE("personactl prints for people, and JSON for programs") {
  DaemonProcess personad(butler_and_pirate());
  Assistant bus(personad.url());
  bus.exchange({"hall"}, "hello", {"Good evening."});
  (void)bus.history({"hall"});

  CHECK(holds(personactl(personad, {"history", "hall"}).out, "user: hello"));
  CHECK(holds(personactl(personad, {"history", "hall"}).out, "assistant: Good evening."));
  CHECK(personactl_json(personad, {"history", "hall"})["messages"].size() == 2);
  CHECK(personactl_json(personad, {"history", "hall", "--limit", "1"})["messages"].size() == 1);

  CHECK(holds(personactl(personad, {"context", "and now?", "--session", "hall"}).out, "user: and now?"));
  CHECK(lines_of(personactl_json(personad, {"context", "and now?", "--session", "hall"})["messages"]) ==
        Lines{"user: hello", "assistant: Good evening.", "user: and now?"});

  CHECK(holds(personactl(personad, {"sessions"}).out, "hall"));
  CHECK(personactl_json(personad, {"sessions"})["sessions"].size() == 1);

  CHECK(holds(personactl(personad, {"personas"}).out, "pirate"));
  CHECK(personactl_json(personad, {"personas"})["personas"].size() == 2);

  CHECK(holds(personactl(personad, {"activate", "pirat", "--session", "hall"}).out, "pirate"));
  CHECK(bus.result("ovos.persona.active", json::object(), {"hall"})["persona_id"] == "pirate");
  CHECK(personactl_json(personad, {"dismiss", "--session", "hall"})["previous"] == "pirate");

  CHECK(holds(personactl(personad, {"status"}).out, "ready"));
  CHECK(personactl_json(personad, {"status"})["ready"] == true);
}

TEST_CASE("personactl over the bus does what the bus allows") {
  DaemonProcess personad(butler_and_pirate());
  Assistant bus(personad.url());
  bus.exchange({"hall"}, "hello", {"Good evening."});
  const auto over_bus = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {PERSONACTL_BIN, "--bus", personad.url()});
    return run_to_end(std::move(arguments));
  };
  CHECK(over_bus({"status"}).exit_code == 0);
  CHECK(holds(over_bus({"history", "hall"}).out, "assistant: Good evening."));
  const Ran refused = over_bus({"sessions"});
  CHECK(refused.exit_code == 1);
  CHECK(holds(refused.err, "forbidden"));
}

TEST_CASE("personactl leaves with a code that says what went wrong, and says it on stderr") {
  DaemonProcess personad(butler_and_pirate());
  const Ran refused = personactl(personad, {"activate", "astronaut"});
  CHECK(refused.exit_code == 1);
  CHECK(holds(refused.err, "unknown_persona"));
  CHECK(refused.out.empty());
  const Ran as_json = personactl(personad, {"activate", "astronaut", "--json"});
  CHECK(as_json.exit_code == 1);
  CHECK(json::parse(as_json.out, nullptr, false).contains("error"));
  CHECK(personactl(personad, {}).exit_code == 2);
  CHECK(personactl(personad, {"no-such-command"}).exit_code == 2);
  CHECK(personactl(personad, {"history", "--limit", "none"}).exit_code == 2);
  const Ran nobody = run_to_end({PERSONACTL_BIN, "--admin-socket", (personad.folder() / "no.sock").string(), "status"});
  CHECK(nobody.exit_code == 3);
  CHECK(holds(nobody.err, "no.sock"));
  CHECK(run_to_end({PERSONACTL_BIN, "--version"}).exit_code == 0);
}
