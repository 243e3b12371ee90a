#include <doctest/doctest.h>

#include <fstream>

#include "tests/system/admin_client.hpp"
#include "tests/system/assistant.hpp"

// A store that cannot be written: said to whoever asked, kept for later where it was only heard.

using namespace system_tests;
using nlohmann::json;

namespace {

constexpr const char* kMount = "mount -t tmpfs -o size=2m,mode=0700 tmpfs \"$0\"";

/// A command that runs another one with a small file system of its own at `folder`; nothing when this user may not.
std::vector<std::string> with_small_disk(const std::filesystem::path& folder) {
  std::filesystem::create_directories(folder);
  for (const char* how : {"-m", "-rm"}) {
    if (run_to_end({"/usr/bin/unshare", how, "/bin/sh", "-c", kMount, folder.string()}).exit_code == 0) {
      return {"/usr/bin/unshare", how, "/bin/sh", "-c", std::string(kMount) + " && exec \"$@\"", folder.string()};
    }
  }
  return {};
}

json update(const std::string& text) {
  return {{"messages", {{{"role", "user"}, {"content", text}}}}};
}

}  // namespace

TEST_CASE("a full disk fails updates, loses nothing that was heard, and ends when there is room again") {
  const TemporaryFolder disk;
  DaemonSettings settings;
  settings.data_dir = disk.path() / "data";
  settings.wrapper = with_small_disk(settings.data_dir);
  if (settings.wrapper.empty()) {
    MESSAGE("skipped: this user may not mount a file system of a given size");
    return;
  }
  DaemonProcess personad(std::move(settings));
  Assistant bus(personad.url());
  const Where hall{"hall"};
  bus.exchange(hall, "before", {"Yes."});
  CHECK(bus.history(hall).size() == 2);

  // Its file system is seen through its own mount namespace.
  const std::filesystem::path data = "/proc/" + std::to_string(personad.pid()) + "/root" + personad.data_dir().string();
  {
    std::ofstream filler(data / "filler", std::ios::binary);
    const std::string block(4096, 'f');
    while (filler.write(block.data(), static_cast<std::streamsize>(block.size())).flush()) {
    }
  }
  std::string error;
  CHECK(eventually([&] {  // what is allocated already may still take a few
    const json answer = bus.ask("ovos.memory.update", update(std::string(20000, 'u')), {"other"});
    if (answer.contains("error")) error = answer["error"];
    return answer.contains("error");
  }));
  CHECK(error.starts_with("unavailable: "));
  Lines expected{"user: before", "assistant: Yes."};
  for (int i = 0; i < 20; ++i) {
    const std::string question = "heard " + std::to_string(i) + std::string(2000, 'h');
    bus.exchange(hall, question, {"Noted."});
    expected.push_back("user: " + question);
    expected.push_back("assistant: Noted.");
  }
  CHECK(bus.context(hall, "x").back() == "user: x");
  AdminClient admin(personad.admin_socket());
  CHECK(eventually([&] { return admin.ask("ovos.memory.status")["result"]["store"]["ok"] == false; }));

  std::filesystem::remove(data / "filler");
  CHECK(eventually([&] { return bus.ask("ovos.memory.update", update("after"), {"other"}).contains("result"); }));
  CHECK(eventually([&] { return bus.history(hall) == expected; }));
  CHECK(eventually([&] { return admin.ask("ovos.memory.status")["result"]["store"]["ok"] == true; }));
  CHECK(admin.ask("ovos.memory.status")["result"]["counts"]["rows_lost"] == 0);
  CHECK(personad.terminate() == 0);
}
