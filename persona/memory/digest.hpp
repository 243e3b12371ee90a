#pragma once
#include <cstdint>
#include <string_view>

namespace persona {

inline constexpr std::uint64_t kDigestStart = 14695981039346656037u;

/// FNV-1a over one text more: the same on every machine, as ids of calls and seeds have to be. No secret.
[[nodiscard]] constexpr std::uint64_t digest(std::uint64_t before, std::string_view text) noexcept {
  constexpr std::uint64_t kPrime = 1099511628211u;
  for (const char c : text) before = (before ^ static_cast<unsigned char>(c)) * kPrime;
  return (before ^ 0xff) * kPrime;  // an end, so that two texts are not one
}

}  // namespace persona
