#include "persona/store/page_cleaner.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>

namespace persona {
namespace {

using Page = std::array<unsigned char, 4096>;

Page page(std::size_t header, unsigned char kind, unsigned cells, unsigned content) {
  Page made;
  made.fill(0xAB);
  made[header] = kind;
  made[header + 3] = static_cast<unsigned char>(cells >> 8);
  made[header + 4] = static_cast<unsigned char>(cells);
  made[header + 5] = static_cast<unsigned char>(content >> 8);
  made[header + 6] = static_cast<unsigned char>(content);
  return made;
}

bool zero(const Page& made, std::size_t from, std::size_t to) {
  return std::all_of(made.begin() + static_cast<std::ptrdiff_t>(from), made.begin() + static_cast<std::ptrdiff_t>(to),
                     [](unsigned char byte) { return byte == 0; });
}

TEST_CASE("exactly the unused middle of a page of rows is zeroed") {
  Page leaf = page(0, 13, 3, 4000);
  clean_page(leaf, 5);
  CHECK(zero(leaf, 8 + 6, 4000));
  CHECK(leaf[8 + 5] == 0xAB);
  CHECK(leaf[4000] == 0xAB);
  Page inner = page(0, 5, 2, 100);
  clean_page(inner, 6);
  CHECK(zero(inner, 12 + 4, 100));
  CHECK(inner[12 + 3] == 0xAB);
  Page first = page(100, 13, 1, 3000);
  clean_page(first, 1);
  CHECK(zero(first, 100 + 8 + 2, 3000));
  CHECK(first[100 + 8 + 1] == 0xAB);
}

TEST_CASE("pages of other kinds, pointer maps, and pages that look damaged stay as they are") {
  const auto unchanged = [](Page made, std::uint64_t number) {
    const Page before = made;
    clean_page(made, number);
    return made == before;
  };
  CHECK(unchanged(page(0, 0, 3, 4000), 5));
  CHECK(unchanged(page(0, 7, 3, 4000), 5));
  CHECK(unchanged(page(0, 5, 3, 4000), 2));
  CHECK(unchanged(page(0, 5, 3, 4000), 2 + 820));
  CHECK_FALSE(unchanged(page(0, 5, 3, 4000), 3 + 820));
  CHECK(unchanged(page(0, 13, 3000, 4000), 5));
  CHECK(unchanged(page(0, 13, 3, 5000), 5));
  Page leaf = page(0, 13, 3, 4000);
  clean_page(std::span(leaf).first(512), 5);
  CHECK(leaf == page(0, 13, 3, 4000));
}

}  // namespace
}  // namespace persona
