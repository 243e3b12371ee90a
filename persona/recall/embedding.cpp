#include "persona/recall/embedding.hpp"

#include <algorithm>
#include <cmath>

namespace persona {
namespace {

constexpr float kLargest = 127;
// So many products of two bytes fit into 32 bits, which is what processors sum up side by side.
constexpr std::size_t kStretch = 65536;

std::int32_t dot_of_stretch(const std::int8_t* a, const std::int8_t* b, std::size_t length) noexcept {
  std::int32_t sum = 0;
  for (std::size_t i = 0; i < length; ++i) sum += std::int32_t{a[i]} * std::int32_t{b[i]};
  return sum;
}

}  // namespace

PackedEmbedding packed(std::span<const float> embedding) {
  PackedEmbedding made;
  made.values.resize(embedding.size());
  if (!std::ranges::all_of(embedding, [](float value) { return std::isfinite(value); })) return made;
  float largest = 0;
  for (const float value : embedding) largest = std::max(largest, std::abs(value));
  if (largest == 0) return made;
  // Divided before it is multiplied: neither the smallest nor the largest floats overflow on the way.
  for (std::size_t i = 0; i < embedding.size(); ++i) {
    made.values[i] = static_cast<std::int8_t>(std::lround(embedding[i] / largest * kLargest));
  }
  made.scale = scale_of(made.values);
  return made;
}

float scale_of(std::span<const std::int8_t> values) noexcept {
  const std::int64_t square = dot(values, values);
  return square == 0 ? 0 : static_cast<float>(1 / std::sqrt(static_cast<double>(square)));
}

std::int64_t dot(std::span<const std::int8_t> a, std::span<const std::int8_t> b) noexcept {
  const std::size_t length = std::min(a.size(), b.size());
  std::int64_t sum = 0;
  for (std::size_t done = 0; done < length; done += kStretch) {
    sum += dot_of_stretch(a.data() + done, b.data() + done, std::min(kStretch, length - done));
  }
  return sum;
}

float cosine(std::span<const std::int8_t> a, std::span<const std::int8_t> b) noexcept {
  if (a.size() != b.size()) return 0;
  return static_cast<float>(dot(a, b)) * scale_of(a) * scale_of(b);
}

}  // namespace persona
