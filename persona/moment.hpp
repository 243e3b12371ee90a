#pragma once
#include <chrono>
#include <cstdint>

namespace persona {

/// Position of a frame, or of a row made from it, in the one order of arrival. Never zero for a real one.
using Number = std::uint64_t;

/// When something happened, on both clocks: `steady` decides time limits, `wall` is what is stored and shown.
struct Moment {
  std::chrono::steady_clock::time_point steady;
  std::chrono::system_clock::time_point wall;

  [[nodiscard]] static Moment now() { return {std::chrono::steady_clock::now(), std::chrono::system_clock::now()}; }
  /// Unix seconds, UTC.
  [[nodiscard]] double unix_seconds() const { return std::chrono::duration<double>(wall.time_since_epoch()).count(); }
};

}  // namespace persona
