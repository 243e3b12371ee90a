#pragma once
#include <chrono>
#include <cstdint>
#include <functional>

namespace bus {

/// How long to wait before the next attempt to connect: exponential, with full jitter.
///
/// The n-th wait is uniform in [0, min(first * 2^n, most)]; a connection that was healthy for `healthy` starts over.
/// Threading: none. Source: "Exponential Backoff And Jitter", AWS Architecture Blog, 2015.
class Backoff {
 public:
  using Duration = std::chrono::milliseconds;
  struct Settings {
    Duration first{500};
    Duration most{60000};
    Duration healthy{30000};
  };
  /// `uniform(n)` returns a number in [0, n].
  using Uniform = std::function<std::int64_t(std::int64_t)>;

  Backoff(Settings settings, Uniform uniform);

  /// A `Uniform` of its own, with a seed from the system.
  [[nodiscard]] static Uniform random();

  /// The connection ended after having been up for `up` (zero when it never came up): how long to wait now.
  [[nodiscard]] Duration after_failure(Duration up);

 private:
  Settings settings_;
  Uniform uniform_;
  Duration ceiling_;
};

}  // namespace bus
