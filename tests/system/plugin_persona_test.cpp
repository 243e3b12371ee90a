#include <doctest/doctest.h>

#include <csignal>
#include <filesystem>

#include "tests/system/assistant.hpp"

// A persona whose memory is a program of somebody else's.

using namespace system_tests;
using nlohmann::json;

namespace {

namespace fs = std::filesystem;

/// A folder of plugins: the example of the documentation, and the one that misbehaves.
class Plugins {
 public:
  Plugins() {
    add(PLUGIN_EXAMPLE, "note_keeper_memory");
    add(HOSTILE_PLUGIN, "hostile_memory");
  }
  [[nodiscard]] DaemonSettings with(const std::string& module, json settings) const {
    DaemonSettings daemon;
    daemon.configuration = {{"plugins_dir", folder_.path().string()}};
    daemon.personas["ada"] = {{"name", "Ada"}, {"memory_module", module}, {module, std::move(settings)}};
    return daemon;
  }

 private:
  void add(const char* from, const char* name) {
    const fs::path to = folder_.path() / name;
    fs::copy_file(from, to);
    fs::permissions(to, fs::perms::owner_all);
  }
  TemporaryFolder folder_;
};

json plugin(Assistant& bus) {
  const json plugins = bus.result("ovos.memory.status", json::object()).at("plugins");
  return plugins.empty() ? json(nullptr) : plugins[0];
}

void await_running(Assistant& bus) {
  REQUIRE(eventually([&] { return plugin(bus).is_object() && plugin(bus).at("state") == "running"; }));
}

}  // namespace

TEST_CASE("a program that is found makes the persona's contexts, of what was recorded") {
  const Plugins plugins;
  DaemonProcess personad(plugins.with("note_keeper_memory", {{"note", "You are Ada."}}));
  Assistant bus(personad.url());
  await_running(bus);
  bus.exchange({"kitchen"}, "hello", {"hi"});
  CHECK(eventually([&] {
    return bus.context({"kitchen"}, "now?") ==
           Lines{"system: You are Ada.", "user: hello", "assistant: hi", "user: now?"};
  }));
  CHECK(bus.context({"hall"}, "now?") == Lines{"system: You are Ada.", "user: now?"});
}

TEST_CASE("while a program is dead or talks nonsense, contexts are the plain window, and status says so") {
  const Plugins plugins;
  DaemonProcess personad(plugins.with("hostile_memory", {{"mode", "half_line"}}));
  Assistant bus(personad.url());
  bus.exchange({"kitchen"}, "hello", {"hi"});
  CHECK(bus.context({"kitchen"}, "now?") == Lines{"user: hello", "assistant: hi", "user: now?"});
  const json counts = bus.result("ovos.memory.status", json::object()).at("counts");
  CHECK(counts.at("contexts_degraded").at("without_program").get<int>() > 0);
}

TEST_CASE("a program that is not there disables the memory of its persona, with a warning that names it") {
  const Plugins plugins;
  DaemonProcess personad(plugins.with("no_such_memory", json::object()));
  Assistant bus(personad.url());
  bus.exchange({"kitchen"}, "hello", {"hi"});
  CHECK(bus.context({"kitchen"}, "now?") == Lines{"user: now?"});
  CHECK(personad.await_log("no_such_memory"));
}

TEST_CASE("a reload leaves the program of a persona whose file did not change running, and starts no other") {
  const Plugins plugins;
  DaemonProcess personad(plugins.with("note_keeper_memory", json::object()));
  Assistant bus(personad.url());
  await_running(bus);
  const json pid = plugin(bus).at("pid");
  personad.reload();
  const json all = bus.result("ovos.memory.status", json::object()).at("plugins");
  REQUIRE(all.size() == 1);
  CHECK(all[0].at("pid") == pid);
  CHECK(all[0].at("state") == "running");
}

TEST_CASE("the daemon ends in time, and its programs with it") {
  const Plugins plugins;
  DaemonProcess personad(plugins.with("note_keeper_memory", json::object()));
  pid_t child = 0;
  {
    Assistant bus(personad.url());
    await_running(bus);
    child = plugin(bus).at("pid").get<pid_t>();
  }
  CHECK(personad.terminate() == 0);
  CHECK(eventually([&] { return ::kill(child, 0) != 0; }));
}
