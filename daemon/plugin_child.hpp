#pragma once
#include <sys/types.h>

#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/system/result.hpp>
#include <deque>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "daemon/plugin_launch.hpp"
#include "daemon/plugin_limits.hpp"
#include "daemon/plugin_lines.hpp"
#include "daemon/plugin_log.hpp"

namespace personad {

/// One run of a plugin's program, from its start until it is reaped: lines in, lines out.
///
/// Ownership: whoever started it, and its own pending operations. Threading: io thread. Lifetime: when it is destroyed
/// while the program runs, the program is killed and reaped.
class PluginChild : public std::enable_shared_from_this<PluginChild> {
 public:
  struct Events {
    std::function<void(std::string_view line)> line;
    /// A pipe broke, or a line was too long; it still runs. At most once; the listener is to call `end`.
    std::function<void(std::string why)> broken;
    /// It has ended, and is reaped. `how` in words. The last event, exactly once.
    std::function<void(std::string how)> exited;
  };
  /// Errors: in words.
  [[nodiscard]] static boost::system::result<std::shared_ptr<PluginChild>, std::string> start(
      boost::asio::io_context& io, const std::filesystem::path& program, const PluginLimits& limits, Events events);
  PluginChild(LaunchedPlugin launched, const PluginLimits& limits, std::string name, Events events);
  ~PluginChild();
  PluginChild(const PluginChild&) = delete;
  PluginChild& operator=(const PluginChild&) = delete;

  /// False: too much waits to be read by it already, and nothing was taken.
  [[nodiscard]] bool write(std::string line);
  /// No more lines: its input ends once what was written is read.
  void close_input();
  /// Asks its process group to end, and kills it when it does not.
  void end();
  /// Kills and reaps it before this returns; there is no event any more.
  void kill_now();
  /// -1 once it is reaped.
  [[nodiscard]] pid_t pid() const { return pid_; }

 private:
  void run();
  void read();
  void on_read(std::size_t size);
  void write_next();
  void break_off(std::string why);
  void close_pipes();
  void reap();

  pid_t pid_;
  PluginLimits limits_;
  Events events_;
  boost::asio::posix::stream_descriptor input_;
  boost::asio::posix::stream_descriptor output_;
  boost::asio::posix::stream_descriptor exit_;
  boost::asio::steady_timer timer_;
  std::shared_ptr<PluginLog> log_;
  PluginLines lines_;
  std::array<char, 32768> piece_{};
  std::deque<std::string> queue_;
  std::size_t queued_ = 0;  // bytes
  bool input_ends_ = false;
  bool ending_ = false;
};

}  // namespace personad
