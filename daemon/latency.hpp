#pragma once
#include <array>
#include <chrono>
#include <cstdint>

namespace personad {

/// How long something takes, as a histogram: constant size, a few nanoseconds to add to.
///
/// Buckets grow by a sixteenth, so that a percentile is at most about 6 % above the true one. Threading: none.
class Latency {
 public:
  void add(std::chrono::nanoseconds took);
  [[nodiscard]] std::uint64_t count() const { return count_; }
  /// The upper edge of the bucket that holds this share (0 to 1) of what was added, in microseconds; 0 when empty.
  [[nodiscard]] double percentile_us(double share) const;
  [[nodiscard]] double max_us() const { return static_cast<double>(max_.count()) / 1000; }

 private:
  static constexpr unsigned kSteps = 16;  // of each power of two
  std::array<std::uint32_t, 64 * kSteps> buckets_{};
  std::uint64_t count_ = 0;
  std::chrono::nanoseconds max_{0};
};

}  // namespace personad
