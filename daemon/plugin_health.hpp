#pragma once
#include <chrono>
#include <cstddef>
#include <optional>

#include "bus/backoff.hpp"
#include "daemon/plugin_limits.hpp"

namespace personad {

/// Whether a plugin's program is well, and how long to wait before it is started again. Fed with events and the time.
///
/// Threading: none.
class PluginHealth {
 public:
  using Time = std::chrono::steady_clock::time_point;
  PluginHealth(const PluginLimits& limits, bus::Backoff::Uniform uniform);

  void started(Time now);
  /// It answered `initialize`.
  void ready(Time now) { ready_ = now; }
  void answered() { timeouts_ = 0; }
  /// A call was not answered in time. True: too many in a row, it is hung.
  [[nodiscard]] bool timed_out() { return ++timeouts_ >= limits_.timeouts; }
  /// It wrote a line that answers no call. True: too many, it babbles.
  [[nodiscard]] bool stray(Time now);
  /// It is gone: how long to wait now.
  [[nodiscard]] bus::Backoff::Duration ended(Time now);

 private:
  PluginLimits limits_;
  bus::Backoff backoff_;
  std::optional<Time> ready_;
  std::size_t timeouts_ = 0;
  std::size_t strays_left_ = 0;
  Time granted_{};
};

}  // namespace personad
