#include "persona/recall/postings.hpp"

#include <doctest/doctest.h>

#include <random>
#include <set>

namespace persona {
namespace {

std::span<const std::uint8_t> bytes_of(const std::string& block) {
  return {reinterpret_cast<const std::uint8_t*>(block.data()), block.size()};
}

std::vector<Posting> random_postings(std::mt19937& random) {
  const auto below = [&random](std::uint32_t end) {
    return std::uniform_int_distribution<std::uint32_t>(0, end - 1)(random);
  };
  std::set<Address> addresses;
  const std::uint32_t count = 1 + below(60);
  while (addresses.size() < count) {
    addresses.insert({1 + below(3), 1 + below(1u << below(20)), below(1u << below(31))});
  }
  std::vector<Posting> postings;
  for (const Address& at : addresses) {
    const Frequency frequency{static_cast<std::uint8_t>(below(64)), below(2) == 0, below(2) == 0};
    postings.push_back({at, frequency, LengthCode::of(below(1000))});
  }
  return postings;
}

TEST_CASE("postings come back from their block as they went in") {
  std::mt19937 random(7);
  for (int i = 0; i < 300; ++i) {
    const auto postings = random_postings(random);
    const auto read = unpacked(bytes_of(packed(postings)));
    REQUIRE(read);
    CHECK(*read == postings);
  }
  CHECK(packed({}).empty());
}

TEST_CASE("a group says how often, how named and how short its postings are at the most") {
  const std::vector<Posting> postings{{{1, 2, 3}, {2, false, true}, LengthCode::of(9)},
                                      {{1, 2, 4}, {5, true, false}, LengthCode::of(7)},
                                      {{1, 3, 0}, {1, false, false}, LengthCode::of(4)}};
  const std::string block = packed(postings);
  PostingGroups groups(bytes_of(block));
  const auto first = groups.next();
  REQUIRE(first);
  CHECK(first->thread == 2);
  CHECK(first->count == 2);
  CHECK(first->most_said == 5);
  CHECK(first->any_captioned);
  CHECK(first->any_named);
  CHECK(first->shortest == LengthCode::of(7));
  const auto second = groups.next();
  REQUIRE(second);
  CHECK(second->thread == 3);
  CHECK(second->most_said == 1);
  CHECK_FALSE(second->any_named);
  CHECK(second->shortest == LengthCode::of(4));
  CHECK_FALSE(groups.next());
}

TEST_CASE("bytes that are no block are refused, and never read past their end") {
  std::mt19937 random(11);
  int refused = 0;
  for (int i = 0; i < 3000; ++i) {
    std::string block = packed(random_postings(random));
    const std::size_t at = random() % block.size();
    if (i % 3 == 0) {
      block.resize(at);
    } else {
      block[at] = static_cast<char>(random());
    }
    const std::vector<std::uint8_t> exact(block.begin(), block.end());  // so that sanitizers see its end
    if (!unpacked(exact)) ++refused;
  }
  CHECK(refused > 500);
}

TEST_CASE("lengths are exact up to 127 terms and within five percent above") {
  for (std::size_t terms = 0; terms < 128; ++terms)
    CHECK(LengthCode::of(terms).terms() == doctest::Approx(static_cast<double>(terms)));
  for (std::size_t terms = 128; terms < 20000; terms += 37) {
    CHECK(LengthCode::of(terms).terms() == doctest::Approx(static_cast<double>(terms)).epsilon(0.05));
  }
  CHECK(LengthCode::of(1u << 30).byte() == 255);
}

}  // namespace
}  // namespace persona
