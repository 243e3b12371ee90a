#pragma once
#include <chrono>
#include <cstdint>
#include <functional>
#include <random>
#include <string>

namespace persona {

/// Makes ids that are unique everywhere: 26 characters of a ULID, so that they also sort by time of creation.
///
/// Threading: none (one per thread). Source: the ULID specification, github.com/ulid/spec.
class IdSource {
 public:
  /// Seeded from the system's random device.
  IdSource();
  /// For tests: the same seed gives the same ids.
  explicit IdSource(std::uint64_t seed);

  [[nodiscard]] std::string next(std::chrono::system_clock::time_point when);

 private:
  std::mt19937_64 random_;
};

}  // namespace persona
