#pragma once
#include <chrono>
#include <cstdint>
#include <optional>

namespace personad {

/// Lets one log line through in `every`, and says how many were held back since the last one. Threading: none.
class LogLimiter {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;
  explicit LogLimiter(std::chrono::seconds every = std::chrono::seconds(10)) : every_(every) {}

  /// How many lines were held back, when this one may be written; nothing when it may not.
  std::optional<std::uint64_t> allow(TimePoint now) {
    if (last_ && now < *last_ + every_) {
      ++held_back_;
      return std::nullopt;
    }
    last_ = now;
    const std::uint64_t held = held_back_;
    held_back_ = 0;
    return held;
  }

 private:
  std::chrono::seconds every_;
  std::optional<TimePoint> last_;
  std::uint64_t held_back_ = 0;
};

}  // namespace personad
