#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "persona/recall/embedding.hpp"

// A vector as its table holds it.
namespace persona {

inline constexpr std::int64_t kMostVectorThread = (std::int64_t{1} << 31U) - 1;  ///< an address has room for no more
inline constexpr std::size_t kScaleBytes = 4;
/// In `meta` while vectors of another model are still there.
inline constexpr const char* kStaleKey = "embedding_stale";

/// Thread and place as one number.
[[nodiscard]] inline std::int64_t address_of(std::int64_t thread, std::uint32_t place) {
  return thread << 32U | std::int64_t{place};
}

/// As a vector is stored: the scale, then the values.
[[nodiscard]] inline std::string bytes_of(const PackedEmbedding& embedding) {
  std::string bytes;
  const auto scale = std::bit_cast<std::uint32_t>(embedding.scale);
  for (unsigned shift = 0; shift < 8 * kScaleBytes; shift += 8) bytes += static_cast<char>(scale >> shift & 0xFFU);
  bytes.append(reinterpret_cast<const char*>(embedding.values.data()), embedding.values.size());
  return bytes;
}

[[nodiscard]] inline float scale_in(std::span<const std::uint8_t> bytes) {
  std::uint32_t scale = 0;
  for (std::size_t i = 0; i < kScaleBytes; ++i) scale |= std::uint32_t{bytes[i]} << 8 * i;
  return std::bit_cast<float>(scale);
}

}  // namespace persona
