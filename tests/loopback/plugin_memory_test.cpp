#include <doctest/doctest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "daemon/plugin_launch.hpp"
#include "daemon/plugin_memories.hpp"
#include "daemon/plugin_memory.hpp"

namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using nlohmann::json;
using persona::ContextMessage;
using persona::Role;
using personad::PluginLimits;
using personad::PluginMemories;
using personad::PluginMemory;
using Messages = PluginMemory::Messages;

constexpr auto kPatience = 40s;

ContextMessage message(Role role, std::string content) {
  ContextMessage made;
  made.role = role;
  made.content = std::move(content);
  return made;
}

/// Patient with calls, quick with all else.
PluginLimits short_limits() {
  PluginLimits limits;
  limits.call_time = 10s;
  limits.start_time = 20s;
  limits.end_time = 300ms;
  limits.restart = {.first = 20ms, .most = 100ms, .healthy = 30s};
  return limits;
}

PluginLimits impatient_limits() {
  PluginLimits limits = short_limits();
  limits.call_time = 400ms;
  return limits;
}

bool exists(pid_t pid) {
  return kill(pid, 0) == 0 || errno != ESRCH;
}

std::string text_of(const fs::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

/// Of a process that is not our child: where nobody reaps orphans it stays as a zombie.
bool ended(pid_t pid) {
  const std::string status = text_of("/proc/" + std::to_string(pid) + "/status");
  return status.empty() || status.find("State:\tZ") != std::string::npos;
}

/// A plugin folder with the example, the hostile one, and what a test writes into it; all on one io context.
struct World {
  explicit World(const PluginLimits& with = short_limits()) : limits(with) {
    std::signal(SIGPIPE, SIG_IGN);  // as the daemon does
    auto pattern = (fs::temp_directory_path() / "personad-plugins-XXXXXX").string();
    REQUIRE(mkdtemp(pattern.data()) != nullptr);
    folder = pattern;
    fs::create_symlink(PLUGIN_EXAMPLE, folder / "note_keeper_memory");
    fs::create_symlink(HOSTILE_PLUGIN, folder / "hostile");
    plugins = std::make_unique<PluginMemories>(io, std::vector<fs::path>{folder / "none", folder}, limits);
  }
  ~World() {
    memory.reset();
    plugins.reset();
    io.poll();
    fs::remove_all(folder);
  }
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  fs::path script(const std::string& name, const std::string& text) const {
    std::ofstream(folder / name) << text;
    fs::permissions(folder / name, fs::perms::owner_all);
    return folder / name;
  }

  void open(const std::string& module, const json& settings) {
    std::string warning;
    memory = std::dynamic_pointer_cast<PluginMemory>(plugins->open(module, settings, warning));
    CHECK(warning == "");
    REQUIRE(memory);
  }
  /// The hostile plugin; with `once`, only its first run is hostile.
  void open_hostile(const std::string& mode, bool once) {
    json settings{{"mode", mode}, {"pidfile", (folder / "pid").string()}};
    if (once) settings["once"] = (folder / "once").string();
    open("hostile", settings);
  }
  std::string refusal(const std::string& module) {
    std::string warning;
    CHECK_FALSE(plugins->open(module, json::object(), warning));
    return warning;
  }

  bool until(const std::function<bool()>& holds) {
    const auto end = std::chrono::steady_clock::now() + kPatience;
    while (!holds() && std::chrono::steady_clock::now() < end) {
      if (io.stopped()) io.restart();
      io.run_one_for(20ms);
    }
    return holds();
  }
  json status() const {
    const json all = plugins->status();
    REQUIRE(all.size() == 1);
    return all[0];
  }
  bool until_state(const char* state) {
    return until([&] { return status()["state"] == state; });
  }
  Messages context(const std::string& utterance, const std::string& key = "k") {
    std::optional<Messages> made;
    memory->build_conversation_context(utterance, key, [&](Messages messages) { made = std::move(messages); });
    REQUIRE(until([&] { return made.has_value(); }));
    return *made;
  }
  Messages history(const std::string& key = "k") {
    std::optional<Messages> made;
    memory->get_history(key, [&](Messages messages) { made = std::move(messages); });
    REQUIRE(until([&] { return made.has_value(); }));
    return *made;
  }
  bool forget(const std::string& key) {
    std::optional<bool> forgot;
    memory->forget(key, [&](bool done) { forgot = done; });
    REQUIRE(until([&] { return forgot.has_value(); }));
    return *forgot;
  }
  /// Asks for contexts until there is one.
  bool recovers() {
    return until([&] {
      std::optional<Messages> made;
      memory->build_conversation_context("again", "k", [&](Messages messages) { made = std::move(messages); });
      REQUIRE(until([&] { return made.has_value(); }));
      return made->has_value();
    });
  }
  bool stop() {
    bool stopped = false;
    plugins->stop([&] { stopped = true; });
    CHECK_FALSE(stopped);
    return until([&] { return stopped; });
  }

  PluginLimits limits;
  fs::path folder;
  boost::asio::io_context io{1};
  std::unique_ptr<PluginMemories> plugins;
  std::shared_ptr<PluginMemory> memory;
};

}  // namespace

TEST_CASE("the example plugin keeps what it is told, per conversation, and says it") {
  World world;
  world.open("note_keeper_memory", {{"max_messages", 2}, {"note", "You are Ada."}});
  world.memory->update_history({message(Role::user, "old"), message(Role::assistant, "gone")}, "a");
  world.memory->update_history({message(Role::user, "hi"), message(Role::assistant, "hello w\xC3\xB6rld")}, "a");
  REQUIRE(world.until_state("running"));
  const auto made = world.context("and now?", "a");
  REQUIRE(made);
  CHECK(*made == std::vector<ContextMessage>{message(Role::system, "You are Ada."), message(Role::user, "hi"),
                                             message(Role::assistant, "hello w\xC3\xB6rld"),
                                             message(Role::user, "and now?")});
  CHECK(world.context("x", "b")->size() == 2);
  CHECK(world.history("a")->size() == 2);

  PluginMemory::Found found;
  world.memory->search("HELLO", "a", 3, [&](PluginMemory::Found list) { found = std::move(list); });
  REQUIRE(world.until([&] { return found.has_value(); }));
  CHECK((*found)[0]["content"] == "hello w\xC3\xB6rld");

  CHECK(world.forget("a"));
  CHECK(world.history("a")->empty());
  const json status = world.status();
  CHECK(status["name"] == "note_keeper_memory");
  CHECK(status["restarts"] == 0);
  CHECK(status["timeouts"] == 0);
  CHECK(status["stray_lines"] == 0);
  CHECK(status["lost_updates"] == 0);
  CHECK(status["last_error"] == "");
}

TEST_CASE("a plugin that is told to close ends by itself, and nothing of it is left") {
  World world;
  world.open("note_keeper_memory", json::object());
  REQUIRE(world.until_state("running"));
  const pid_t pid = world.status()["pid"].get<pid_t>();
  CHECK(exists(pid));
  REQUIRE(world.stop());
  CHECK_FALSE(exists(pid));
  CHECK(world.status()["state"] == "stopped");
  CHECK_FALSE(world.context("after the end"));
  CHECK(world.refusal("note_keeper_memory") == "memory plugins are stopped");
}

TEST_CASE("a plugin whose memory is let go is closed") {
  World world;
  world.open("note_keeper_memory", json::object());
  REQUIRE(world.until_state("running"));
  const pid_t pid = world.status()["pid"].get<pid_t>();
  world.memory.reset();
  CHECK(world.plugins->status().empty());
  CHECK(world.until([&] { return !exists(pid); }));
}

TEST_CASE("one module of two personas is two programs") {
  World world;
  world.open("note_keeper_memory", json::object());
  const auto first = world.memory;
  world.open("note_keeper_memory", json::object());
  const json all = world.plugins->status();
  REQUIRE(all.size() == 2);
  CHECK(all[0]["pid"] != all[1]["pid"]);
}

TEST_CASE("plugins that run when nobody stopped them are killed and reaped") {
  World world;
  world.open_hostile("ignore_sigterm", false);
  REQUIRE(world.until_state("running"));
  const pid_t pid = world.status()["pid"].get<pid_t>();
  world.plugins.reset();
  CHECK_FALSE(exists(pid));
  CHECK_FALSE(world.context("after the end"));
}

TEST_CASE("a plugin is found by a plain file name that is a program which not anybody may have written") {
  World world;
  world.script("open_to_all", "#!/bin/sh\ncat\n");
  fs::permissions(world.folder / "open_to_all", fs::perms::all);
  std::ofstream(world.folder / "text") << "no program";
  fs::create_directory(world.folder / "folder");
  world.script(".hidden", "#!/bin/sh\ncat\n");
  world.script("no_interpreter", "#!/no/such/interpreter\n");

  for (const char* name : {"../sh", "/bin/sh", "..", ".", "", ".hidden", "a/b", "a\nb"}) {
    CAPTURE(name);
    CHECK(world.refusal(name).find("plain file name") != std::string::npos);
  }
  CHECK(world.refusal("missing").find(world.folder.string()) != std::string::npos);
  CHECK(world.refusal("open_to_all").find("can be written by anybody") != std::string::npos);
  CHECK(world.refusal("text").find("not executable") != std::string::npos);
  CHECK(world.refusal("folder").find("no regular file") != std::string::npos);
  CHECK(world.refusal("no_interpreter").find("No such file") != std::string::npos);
  CHECK_MESSAGE(waitpid(-1, nullptr, WNOHANG) == -1, "nothing is left of what could not be started");

  fs::permissions(world.folder, fs::perms::others_write, fs::perm_options::add);
  CHECK(world.refusal("note_keeper_memory").find("can be written by anybody") != std::string::npos);
}

TEST_CASE("a plugin starts with a clean slate: streams, folder, group, signals, and no service manager") {
  World world;
  const fs::path facts = world.folder / "facts";
  world.script("curious",
               // what the shell has of its own: 3, and the script at 10 or 255
               "#!/bin/sh\nexec 3>" + facts.string() +
                   "\npwd >&3\n"
                   "for f in /proc/$$/fd/*; do n=${f##*/}; [ -e $f ] && [ $n -gt 3 ] && [ $n -ne 10 ] && [ $n -ne 255 "
                   "] && echo leak $n "
                   ">&3; done\n"
                   // no program for it: while one is started, the shell blocks signals
                   "while read -r key value; do case $key in Sig*) echo $key $value >&3;; esac; done </proc/$$/status\n"
                   "echo notify=${NOTIFY_SOCKET-none} path=${PATH:+some} >&3\n"
                   "read -r pid comm state ppid pgrp rest </proc/$$/stat\n"
                   "[ $pid = $pgrp ] && echo leads >&3\necho end >&3\nread -r line\nread -r line\n");
  setenv("NOTIFY_SOCKET", "/nowhere", 1);
  const int open_here = dup(STDERR_FILENO);
  world.open("curious", json::object());
  REQUIRE(world.until([&] { return text_of(facts).ends_with("end\n"); }));
  close(open_here);
  unsetenv("NOTIFY_SOCKET");
  const std::string text = text_of(facts);
  CAPTURE(text);
  CHECK(text.starts_with("/\n"));
  CHECK(text.find("leak") == std::string::npos);
  CHECK(text.find("SigBlk: 0000000000000000") != std::string::npos);
  CHECK(text.find("SigIgn: 0000000000000000") != std::string::npos);
  CHECK(text.find("notify=none path=some") != std::string::npos);
  CHECK(text.find("leads") != std::string::npos);
}

TEST_CASE("a plugin dies with the daemon, however that ends") {
  World world;
  const fs::path sleeper = world.script("sleeper", "#!/bin/sh\nexec sleep 3600\n");
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  const pid_t daemon = fork();
  if (daemon == 0) {
    boost::asio::io_context own{1};
    const auto launched = personad::launch_plugin(own, sleeper);
    const pid_t started = launched ? launched->pid : -1;
    _exit(write(ends[1], &started, sizeof started) == sizeof started ? 0 : 1);
  }
  pid_t plugin = -1;
  REQUIRE(read(ends[0], &plugin, sizeof plugin) == sizeof plugin);
  REQUIRE(plugin > 0);
  CHECK(waitpid(daemon, nullptr, 0) == daemon);
  CHECK(world.until([&] { return ended(plugin); }));
  close(ends[0]);
  close(ends[1]);
}

TEST_CASE("a plugin that misbehaves gives no context, is ended for it, and the next run of it is used") {
  struct Row {
    const char* mode;
    const char* why;
  };
  for (const Row& row : {Row{"hang", "hung"}, Row{"flood", "a line of more than"}, Row{"flood_lines", "babbles"},
                         Row{"half_line", "exited with status 5"}, Row{"huge", "a line of more than"},
                         Row{"close_output", "closed its output"}, Row{"ignore_sigterm", "ended by signal 9"},
                         Row{"endless_stderr", "hung"}, Row{"bad_utf8", "hung"}, Row{"deep", "hung"}}) {
    CAPTURE(std::string(row.mode));
    World world(impatient_limits());
    world.open_hostile(row.mode, true);
    REQUIRE(world.until_state("running"));
    const pid_t pid = world.status()["pid"].get<pid_t>();
    CHECK_FALSE(world.context("what?"));
    CHECK(world.recovers());
    const json status = world.status();
    CHECK(status["state"] == "running");
    CHECK(status["restarts"] == 1);
    CAPTURE(status["last_error"].get<std::string>());
    CHECK(status["last_error"].get<std::string>().find(row.why) != std::string::npos);
    CHECK_FALSE(exists(pid));
    CHECK(world.stop());
  }
}

TEST_CASE("a plugin that closes its input is ended, and the daemon lives") {
  World world(impatient_limits());
  world.open_hostile("close_input", true);
  REQUIRE(world.until_state("running"));
  CHECK_FALSE(world.context("what?"));
  CHECK(world.recovers());
  CHECK(world.status()["restarts"] == 1);
}

TEST_CASE("answers of a plugin that come in any order, and twice, go to whoever asked") {
  World world;
  world.open_hostile("backwards", false);
  REQUIRE(world.until_state("running"));
  std::vector<std::string> heard;
  for (const std::string utterance : {"one", "two", "three"}) {
    world.memory->build_conversation_context(utterance, "k", [&heard, utterance](Messages made) {
      REQUIRE(made);
      CHECK(made->back().content == utterance);
      heard.push_back(utterance);
    });
  }
  REQUIRE(world.until([&] { return heard.size() == 3; }));
  CHECK(heard == std::vector<std::string>{"three", "two", "one"});
  CHECK(world.until([&] { return world.status()["stray_lines"] == 1; }));
  CHECK(world.status()["restarts"] == 0);
}

TEST_CASE("a plugin that answers in the wrong shape gives nothing, and stays") {
  World world;
  world.open_hostile("wrong_shape", false);
  REQUIRE(world.until_state("running"));
  for (int i = 0; i < 5; ++i) CHECK_FALSE(world.context("what?"));
  CHECK(world.status()["restarts"] == 0);
}

TEST_CASE("a plugin that fails at each start is started again, with its reason in the status") {
  World world;
  world.open_hostile("exit_at_start", false);
  CHECK(world.until([&] { return world.status()["restarts"] >= 3; }));
  CHECK(world.status()["state"] == "restarting");
  CHECK(world.status()["last_error"].get<std::string>().find("it exited with status 3") != std::string::npos);
  CHECK_FALSE(world.context("what?"));
  CHECK(world.stop());
  CHECK(waitpid(-1, nullptr, WNOHANG) == -1);
}

TEST_CASE("a plugin that does not answer initialize is started again") {
  PluginLimits limits = short_limits();
  limits.start_time = 300ms;
  World world(limits);
  world.open_hostile("silent_at_start", false);
  CHECK(world.until([&] { return world.status()["restarts"] >= 1; }));
  CHECK(world.status()["last_error"].get<std::string>().find("did not answer initialize") != std::string::npos);
  CHECK(world.stop());
}

TEST_CASE("a plugin that refuses its settings is not asked again, and says why") {
  World world;
  world.open_hostile("refuse", false);
  REQUIRE(world.until_state("stopped"));
  CHECK(world.status()["last_error"] == "it refuses to start: no such model (code -32000)");
  CHECK(world.status()["pid"].is_null());
  CHECK_FALSE(world.context("what?"));
  world.memory->update_history({message(Role::user, "lost")}, "k");
  CHECK(world.until([&] { return world.status()["lost_updates"] == 1; }));
  CHECK(world.status()["restarts"] == 0);
}

TEST_CASE("a plugin that goes away takes along what it started") {
  World world;
  world.open_hostile("child_in_group", false);
  REQUIRE(world.until_state("running"));
  pid_t grandchild = -1;
  std::ifstream(world.folder / "pid") >> grandchild;
  REQUIRE(grandchild > 0);
  REQUIRE(kill(grandchild, 0) == 0);
  CHECK(world.stop());
  CHECK(world.until([&] { return ended(grandchild); }));
}

TEST_CASE("what is to be remembered while a plugin starts is held for it, up to a bound; the rest is counted") {
  PluginLimits limits = short_limits();
  limits.held_calls = 3;
  World world(limits);
  world.open_hostile("", false);
  REQUIRE(world.status()["state"] == "starting");
  for (const char* text : {"1", "2", "3", "4"}) world.memory->update_history({message(Role::user, text)}, "k");
  CHECK(world.status()["lost_updates"] == 1);
  CHECK_FALSE(world.context("it is not waited for"));
  REQUIRE(world.until_state("running"));
  const auto told = world.history();
  REQUIRE(told);
  CHECK(*told ==
        std::vector<ContextMessage>{message(Role::user, "1"), message(Role::user, "2"), message(Role::user, "3")});
}

TEST_CASE("what is forgotten while a plugin starts is never told, and it is told to forget") {
  World world;
  world.open("note_keeper_memory", json::object());
  world.memory->update_history({message(Role::user, "secret")}, "a");
  world.memory->update_history({message(Role::user, "kept")}, "b");
  CHECK_FALSE(world.forget("a"));
  REQUIRE(world.until_state("running"));
  CHECK(world.history("a")->empty());
  CHECK(world.history("b")->size() == 1);
  // two updates, of which one was dropped; a forget asked for and one told later; two histories
  CHECK(world.status()["calls"] == 5);
}

TEST_CASE("a plugin without an optional method is asked for it once") {
  World world;
  world.open_hostile("", false);
  REQUIRE(world.until_state("running"));
  for (int i = 0; i < 3; ++i) CHECK_FALSE(world.forget("k"));
  std::optional<PluginMemory::Found> found;
  world.memory->search("x", "k", 1, [&](PluginMemory::Found list) { found = std::move(list); });
  REQUIRE(world.until([&] { return found.has_value(); }));
  CHECK_FALSE(*found);
  CHECK(world.context("still here"));
  CHECK(world.status()["restarts"] == 0);
}

TEST_CASE("more calls than may be in flight, and more bytes than may wait, fail at once and are counted") {
  PluginLimits limits = short_limits();
  limits.calls = 4;
  limits.queue_bytes = 300u << 10;
  World world(limits);
  world.open_hostile("hang", false);
  REQUIRE(world.until_state("running"));
  world.memory->update_history({message(Role::user, std::string(400u << 10, 'x'))}, "k");
  CHECK(world.until([&] { return world.status()["lost_updates"] == 1; }));
  CHECK(world.status()["refused_calls"] == 1);

  int none = 0;
  for (int i = 0; i < 6; ++i) {
    world.memory->build_conversation_context("what?", "k", [&](const Messages& made) { none += made ? 0 : 1; });
  }
  CHECK(none == 0);
  CHECK(world.until([&] { return none == 2; }));
  CHECK(world.status()["refused_calls"] == 3);
  CHECK(world.stop());
  CHECK(world.until([&] { return none == 6; }));
}
