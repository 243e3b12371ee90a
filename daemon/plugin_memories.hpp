#pragma once
#include <boost/asio/io_context.hpp>
#include <filesystem>
#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "daemon/plugin_limits.hpp"
#include "persona/memory/foreign_memory.hpp"

namespace personad {

class PluginMemory;
class PluginProcess;

/// Finds the programs of memories that are not built in, starts them, and knows those that run.
///
/// Each `open` is a child process of its own, also of the same module with the same settings. Threading: io thread.
/// Lifetime: `stop` before destruction, for a polite end; what runs at destruction is killed and reaped.
/// Source: docs/memory-plugins.md.
class PluginMemories final : public persona::ForeignMemories {
 public:
  /// `folders` are searched in their order.
  PluginMemories(boost::asio::io_context& io, std::vector<std::filesystem::path> folders, PluginLimits limits = {});
  ~PluginMemories() override;
  PluginMemories(const PluginMemories&) = delete;
  PluginMemories& operator=(const PluginMemories&) = delete;

  [[nodiscard]] std::shared_ptr<persona::ForeignMemory> open(const std::string& module, const nlohmann::json& settings,
                                                             std::string& warning) override;
  /// Each that is in use: name, state, pid, restarts, calls, timeouts, refused_calls, stray_lines, lost_updates,
  /// last_error.
  [[nodiscard]] nlohmann::json status() const;
  /// Tells all to close, ends those that do not, and then calls `done`, later. No more can be opened.
  void stop(std::function<void()> done);

 private:
  struct Running {
    std::weak_ptr<PluginMemory> memory;    // in use
    std::weak_ptr<PluginProcess> process;  // until it is reaped, also after its memory has gone
  };
  void drop_ended();

  boost::asio::io_context& io_;
  std::vector<std::filesystem::path> folders_;
  PluginLimits limits_;
  std::vector<Running> running_;
  bool stopped_ = false;
};

/// Where a module's program is. `warning` is not empty, and says why, when there is none that may be started.
struct FoundPlugin {
  std::filesystem::path program;
  std::string warning;
};
[[nodiscard]] FoundPlugin find_plugin(const std::string& module, const std::vector<std::filesystem::path>& folders);

}  // namespace personad
