#pragma once
#include <cstdint>
#include <span>
#include <vector>

namespace persona {

/// A text's place in a space of meanings, as its model gives it. All zero: a text without meaning.
using Embedding = std::vector<float>;

/// An embedding as it is stored: one byte a dimension.
/// Invariant: `scale` times the values has unit length; 0 where all values are zero.
struct PackedEmbedding {
  float scale = 0;
  std::vector<std::int8_t> values;
  friend bool operator==(const PackedEmbedding&, const PackedEmbedding&) = default;
};

/// The largest dimension becomes 127 or -127. What is not finite makes all of it zero: such a vector means nothing.
[[nodiscard]] PackedEmbedding packed(std::span<const float> embedding);

/// The scale that belongs to values, for those that were stored without it.
[[nodiscard]] float scale_of(std::span<const std::int8_t> values) noexcept;

/// Sum of products; the two are of one length. Times both scales it is their cosine: the quickest way through many.
[[nodiscard]] std::int64_t dot(std::span<const std::int8_t> a, std::span<const std::int8_t> b) noexcept;

/// Cosine of two packed vectors; 0 where either is all zero or their lengths differ.
[[nodiscard]] float cosine(std::span<const std::int8_t> a, std::span<const std::int8_t> b) noexcept;

}  // namespace persona
