#pragma once
#include "persona/recall/postings.hpp"

// The part of the codec that is worth inlining: unpacking a group is the inner loop of a search.
namespace persona {

/// The number at the front, taken off; nothing where there is none. Seven bits a byte, the lowest first.
[[nodiscard]] inline std::optional<std::uint64_t> take_number(std::span<const std::uint8_t>& bytes) {
  std::uint64_t number = 0;
  unsigned shift = 0;
  for (std::size_t i = 0; i < bytes.size() && shift < 64; ++i, shift += 7) {
    number |= static_cast<std::uint64_t>(bytes[i] & 0x7f) << shift;
    if ((bytes[i] & 0x80) != 0) continue;
    bytes = bytes.subspan(i + 1);
    return number;
  }
  return std::nullopt;
}

[[nodiscard]] inline Frequency frequency_in(std::uint8_t byte) {
  return {static_cast<std::uint8_t>(byte >> 2), (byte & 2) != 0, (byte & 1) != 0};
}

template <class Take>
void each_posting(const PostingGroup& group, Take take) {
  std::span<const std::uint8_t> rest = group.body;
  std::uint64_t place = 0;
  for (std::uint32_t i = 0; i < group.count; ++i) {
    const auto step = take_number(rest);
    if (!step || rest.size() < 2) return;
    place += *step;
    take(static_cast<std::uint32_t>(place), frequency_in(rest[0]), LengthCode::stored(rest[1]));
    rest = rest.subspan(2);
  }
}

}  // namespace persona
