#include "daemon/plugin_health.hpp"

#include <algorithm>
#include <utility>

namespace personad {

namespace {
constexpr std::chrono::milliseconds kGrantEvery{100};
}

PluginHealth::PluginHealth(const PluginLimits& limits, bus::Backoff::Uniform uniform)
    : limits_(limits), backoff_(limits.restart, std::move(uniform)) {}

void PluginHealth::started(Time now) {
  ready_.reset();
  timeouts_ = 0;
  strays_left_ = limits_.strays;
  granted_ = now;
}

bool PluginHealth::stray(Time now) {
  const auto grants = (now - granted_) / kGrantEvery;
  if (grants > 0) {
    granted_ += grants * kGrantEvery;
    const auto room = limits_.strays - strays_left_;
    strays_left_ += std::min(room, static_cast<std::size_t>(grants));
  }
  if (strays_left_ == 0) return true;
  --strays_left_;
  return false;
}

bus::Backoff::Duration PluginHealth::ended(Time now) {
  using Duration = bus::Backoff::Duration;
  const auto up = ready_ ? std::chrono::duration_cast<Duration>(now - *ready_) : Duration::zero();
  ready_.reset();
  return backoff_.after_failure(up);
}

}  // namespace personad
