#pragma once
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/system/result.hpp>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/log_limiter.hpp"
#include "daemon/plugin_calls.hpp"
#include "daemon/plugin_child.hpp"
#include "daemon/plugin_health.hpp"
#include "daemon/plugin_limits.hpp"

namespace personad {

/// A memory plugin's program, kept running: started, initialized, watched, and started again when it fails.
///
/// Invariant: at most one child at a time. Ownership: whoever uses it, and its pending operations; it stays until its
/// child is reaped. Threading: io thread. Errors: a call that cannot be made ends as `lost`.
class PluginProcess : public std::enable_shared_from_this<PluginProcess> {
 public:
  enum class State : std::uint8_t {
    starting,  ///< its first `initialize` is not answered yet
    running,
    restarting,  ///< it failed: ending, waiting, or starting again
    stopping,
    stopped,  ///< for good: asked to, or it refused its settings
  };
  struct Start {
    std::filesystem::path program;
    nlohmann::json settings;
    PluginLimits limits;
    bus::Backoff::Uniform uniform;
  };
  struct Counts {
    std::uint64_t restarts = 0;
    std::uint64_t calls = 0;
    std::uint64_t timeouts = 0;
    std::uint64_t refused = 0;  ///< over the bounds of calls in flight or bytes
    std::uint64_t strays = 0;   ///< lines that answered no call
  };

  PluginProcess(boost::asio::io_context& io, Start start);

  /// The first start. Errors: in words; it is stopped then.
  [[nodiscard]] boost::system::result<void, std::string> launch();
  /// `done` is called later, exactly once. A method that the program said it does not have is not asked for again in
  /// this run of it.
  void call(std::string_view method, nlohmann::json params, PluginCalls::Done done);
  /// Called each time that it becomes able to take calls.
  void on_ready(std::function<void()> ready) { on_ready_ = std::move(ready); }
  /// Tells it to close, and makes it end. `done` is called later, once it is gone. May be called again.
  void stop(std::function<void()> done);
  /// Ends it without asking; its child is reaped before this returns.
  void abandon();

  [[nodiscard]] State state() const { return state_; }
  [[nodiscard]] const Counts& counts() const { return counts_; }
  [[nodiscard]] const std::string& last_error() const { return last_error_; }
  [[nodiscard]] const PluginLimits& limits() const { return limits_; }
  [[nodiscard]] std::string name() const { return program_.filename().string(); }
  [[nodiscard]] pid_t pid() const { return child_ ? child_->pid() : -1; }

 private:
  using Time = PluginCalls::Time;
  [[nodiscard]] boost::system::result<void, std::string> start_child();
  void initialize();
  void initialized(const PluginAnswer& answer);
  void start_again();
  bool send(std::string_view method, nlohmann::json params, Time deadline, PluginCalls::Done done);
  void take(std::string_view line);
  void watch_time();
  void expire();
  void fail(std::string why);
  void exited(const std::string& how);
  void wait_and_restart();
  void lose_calls();
  void gone();
  void later(std::function<void()> what);

  boost::asio::io_context& io_;
  std::filesystem::path program_;
  nlohmann::json settings_;
  PluginLimits limits_;
  PluginCalls calls_;
  PluginHealth health_;
  boost::asio::steady_timer time_;     // of the calls
  boost::asio::steady_timer restart_;  // the wait before a start, or after `close`
  LogLimiter log_limit_;
  std::shared_ptr<PluginChild> child_;
  std::function<void()> on_ready_;
  std::vector<std::function<void()>> stopped_;
  State state_ = State::starting;
  Counts counts_;
  std::string last_error_;
  std::string why_;  // the present child is being ended; empty: it is not, or ended by itself
  std::set<std::string, std::less<>> missing_;  // methods
  std::optional<Time> watched_;                 // when `time_` looks for calls that are late
};

[[nodiscard]] std::string_view name(PluginProcess::State state) noexcept;

}  // namespace personad
