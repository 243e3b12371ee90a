#include "persona/recall/embedding.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <random>

namespace persona {
namespace {

Embedding random_embedding(std::mt19937& random, std::size_t dimensions) {
  std::normal_distribution<float> number;
  Embedding made(dimensions);
  for (float& each : made) each = number(random);
  return made;
}

double exact_cosine(const Embedding& a, const Embedding& b) {
  double product = 0;
  double a_square = 0;
  double b_square = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    product += static_cast<double>(a[i]) * static_cast<double>(b[i]);
    a_square += static_cast<double>(a[i]) * static_cast<double>(a[i]);
    b_square += static_cast<double>(b[i]) * static_cast<double>(b[i]);
  }
  return product / std::sqrt(a_square * b_square);
}

TEST_CASE("a packed vector's largest dimension fills its byte, and its scale makes it unit length") {
  const PackedEmbedding made = packed(Embedding{0.5F, -1.0F, 0.25F});
  CHECK(made.values == std::vector<std::int8_t>{64, -127, 32});
  double square = 0;
  for (const std::int8_t value : made.values) square += std::pow(static_cast<double>(made.scale) * value, 2);
  CHECK(square == doctest::Approx(1));
  CHECK(made.scale == scale_of(made.values));
}

TEST_CASE("the largest and the smallest of floats are packed like others") {
  constexpr float kLargest = std::numeric_limits<float>::max();
  constexpr float kSmallest = std::numeric_limits<float>::denorm_min();
  CHECK(packed(Embedding{kLargest, -kLargest, 0}).values == std::vector<std::int8_t>{127, -127, 0});
  CHECK(packed(Embedding{kSmallest, 0}).values == std::vector<std::int8_t>{127, 0});
}

TEST_CASE("a vector of nothing, or of what is no number, is packed as zero and near to none") {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  constexpr float kNone = std::numeric_limits<float>::quiet_NaN();
  const PackedEmbedding one = packed(Embedding{1, 2});
  for (const Embedding& odd : {Embedding{0, 0}, Embedding{1, kInfinity}, Embedding{kNone, 1}}) {
    const PackedEmbedding zero = packed(odd);
    CHECK(zero == PackedEmbedding{0, {0, 0}});
    CHECK(cosine(zero.values, one.values) == 0);
    CHECK(cosine(zero.values, zero.values) == 0);
  }
  CHECK(packed(Embedding{}).values.empty());
}

TEST_CASE("cosines of packed vectors are those of the vectors, but for the rounding") {
  std::mt19937 random(20240613);
  for (const std::size_t dimensions : {2U, 3U, 64U, 255U, 384U}) {
    const Embedding a = random_embedding(random, dimensions);
    const Embedding b = random_embedding(random, dimensions);
    const PackedEmbedding left = packed(a);
    const PackedEmbedding right = packed(b);
    CHECK(cosine(left.values, right.values) == doctest::Approx(exact_cosine(a, b)).epsilon(0.01));
    CHECK(cosine(left.values, left.values) == doctest::Approx(1));
    CHECK(static_cast<float>(dot(left.values, right.values)) * left.scale * right.scale ==
          doctest::Approx(static_cast<double>(cosine(left.values, right.values))));
  }
}

TEST_CASE("vectors of two lengths are never near") {
  const std::vector<std::int8_t> two{127, 127};
  const std::vector<std::int8_t> three{127, 127, 0};
  CHECK(cosine(two, three) == 0);
  CHECK(cosine({}, {}) == 0);
}

TEST_CASE("sums of very long vectors do not overflow") {
  const std::vector<std::int8_t> a(200'000, 127);
  const std::vector<std::int8_t> b(200'000, -128);
  CHECK(dot(a, b) == std::int64_t{200'000} * 127 * -128);
  CHECK(cosine(a, b) == doctest::Approx(-1));
}

}  // namespace
}  // namespace persona
