#include "daemon/plugin_memories.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/post.hpp>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <utility>

#include "daemon/plugin_memory.hpp"
#include "daemon/plugin_process.hpp"

namespace personad {

namespace fs = std::filesystem;
using nlohmann::json;

namespace {

constexpr std::size_t kMaxNameBytes = 128;

bool plain_file_name(const std::string& name) {
  if (name.empty() || name.size() > kMaxNameBytes || name.front() == '.') return false;
  return std::all_of(name.begin(), name.end(), [](unsigned char c) { return c > ' ' && c != '/' && c != 0x7f; });
}

std::string listed(const std::vector<fs::path>& folders) {
  std::string list;
  for (const fs::path& folder : folders) list += (list.empty() ? "" : ", ") + folder.string();
  return list.empty() ? "no folder" : list;
}

/// Why a file that is there may not be started; empty: it may.
std::string unfit(const fs::path& program, const struct stat& about) {
  if (!S_ISREG(about.st_mode)) return program.string() + " is no regular file";
  if ((about.st_mode & S_IWOTH) != 0) return program.string() + " can be written by anybody: it is not started";
  struct stat folder {};
  if (stat(program.parent_path().c_str(), &folder) != 0 || (folder.st_mode & S_IWOTH) != 0) {
    return program.parent_path().string() + " can be written by anybody: nothing in it is started";
  }
  if (access(program.c_str(), X_OK) != 0) return program.string() + " is not executable";
  return {};
}

json described(const PluginMemory& memory, const PluginProcess& process) {
  const auto& counts = process.counts();
  json entry{
      {"name", process.name()},       {"state", name(process.state())},        {"restarts", counts.restarts},
      {"calls", counts.calls},        {"timeouts", counts.timeouts},           {"refused_calls", counts.refused},
      {"stray_lines", counts.strays}, {"lost_updates", memory.lost_updates()}, {"last_error", process.last_error()}};
  entry["pid"] = process.pid() > 0 ? json(process.pid()) : json(nullptr);
  return entry;
}

}  // namespace

FoundPlugin find_plugin(const std::string& module, const std::vector<fs::path>& folders) {
  if (!plain_file_name(module)) return {{}, "a memory module is named by a plain file name"};
  for (const fs::path& folder : folders) {
    std::error_code error;
    const fs::path program = fs::absolute(folder, error) / module;  // it is started in another folder
    struct stat about {};
    if (error || stat(program.c_str(), &about) != 0) continue;
    std::string why = unfit(program, about);
    return {why.empty() ? program : fs::path(), std::move(why)};
  }
  return {{}, "there is no program of that name in " + listed(folders)};
}

PluginMemories::PluginMemories(boost::asio::io_context& io, std::vector<fs::path> folders, PluginLimits limits)
    : io_(io), folders_(std::move(folders)), limits_(limits) {}

PluginMemories::~PluginMemories() {
  for (const Running& one : running_) {
    if (const auto process = one.process.lock()) process->abandon();
  }
}

std::shared_ptr<persona::ForeignMemory> PluginMemories::open(const std::string& module, const json& settings,
                                                             std::string& warning) {
  drop_ended();
  if (stopped_) {
    warning = "memory plugins are stopped";
    return nullptr;
  }
  FoundPlugin found = find_plugin(module, folders_);
  warning = std::move(found.warning);
  if (!warning.empty()) return nullptr;
  PluginProcess::Start start{std::move(found.program), settings.is_object() ? settings : json::object(), limits_,
                             bus::Backoff::random()};
  const auto process = std::make_shared<PluginProcess>(io_, std::move(start));
  const auto memory = std::make_shared<PluginMemory>(process);
  memory->start_holding();
  if (const auto launched = process->launch(); !launched) {
    warning = launched.error();
    return nullptr;
  }
  running_.push_back({memory, process});
  return memory;
}

json PluginMemories::status() const {
  json list = json::array();
  for (const Running& one : running_) {
    const auto memory = one.memory.lock();
    const auto process = one.process.lock();
    if (memory && process) list.push_back(described(*memory, *process));
  }
  return list;
}

void PluginMemories::stop(std::function<void()> done) {
  stopped_ = true;
  drop_ended();
  const auto waiting = std::make_shared<std::size_t>(running_.size() + 1);
  const auto one_less = [waiting, done = std::move(done)] {
    if (--*waiting == 0 && done) done();
  };
  for (const Running& one : running_) {
    if (const auto process = one.process.lock()) {
      process->stop(one_less);
    } else {
      --*waiting;
    }
  }
  boost::asio::post(io_, one_less);
}

void PluginMemories::drop_ended() {
  std::erase_if(running_, [](const Running& one) { return one.process.expired(); });
}

}  // namespace personad
