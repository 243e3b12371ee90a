#include "persona/recall/charsmap.hpp"

#include <doctest/doctest.h>

#include "tests/persona/recall/small_model.hpp"

namespace persona {
namespace {

std::string base64(std::string_view bytes) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  unsigned bits = 0;
  unsigned held = 0;
  for (const char c : bytes) {
    bits = (bits << 8U) | static_cast<unsigned char>(c);
    for (held += 8; held >= 6; held -= 6) text += kDigits[(bits >> (held - 6)) & 63U];
  }
  if (held > 0) text += kDigits[(bits << (6 - held)) & 63U];
  while (text.size() % 4 != 0) text += '=';
  return text;
}

/// A double array that knows one byte: `A` becomes the second replacement.
std::vector<std::uint32_t> units() {
  constexpr std::uint32_t kLeaf = 0x100;
  std::vector<std::uint32_t> made(0x142);
  made[0] = 0x100U << 10U;                  // the root's children are at 0x100 ^ byte
  made[0x141] = (1U << 10U) | kLeaf | 'A';  // its leaf is at 0x141 ^ 1
  made[0x140] = 2;                          // where in the blob its replacement begins
  return made;
}

std::string compiled(const std::vector<std::uint32_t>& array, std::string_view replacements) {
  return base64(raw<std::uint32_t>({static_cast<std::uint32_t>(array.size() * 4)}) + raw(array) +
                std::string(replacements));
}

std::string applied(const std::string& text_of_map, std::string_view text) {
  const auto map = Charsmap::make(text_of_map);
  REQUIRE(map.has_value());
  return map->apply(text);
}

constexpr std::string_view kReplacements("x\0aa\0", 5);

TEST_CASE("characters become what the compiled map has for them, and others stay") {
  CHECK(applied(compiled(units(), kReplacements), "AbA茶") == "aabaa茶");
  CHECK(applied(compiled(units(), kReplacements), "") == "");
}

TEST_CASE("a letter and its mark are looked up together first") {
  CHECK(applied(compiled(units(), kReplacements), "A\u0301b") == "aab");
  CHECK(applied(compiled(units(), kReplacements), "A\u0301\u0301\u0301b") == "aa\u0301\u0301\u0301b");
}

TEST_CASE("a map that leads outside of itself replaces nothing") {
  auto array = units();
  array[0x140] = 6;
  CHECK(applied(compiled(array, kReplacements), "A") == "A");
  array = units();
  array[0x141] |= 0x7FFFFFU << 10U;
  CHECK(applied(compiled(array, kReplacements), "A") == "A");
  CHECK(applied(compiled({0xFFFFFFFF}, ""), "A") == "A");
  CHECK(applied(compiled({}, ""), "A") == "A");
  CHECK(applied(compiled(units(), std::string(1000, 'a')), "A") == "A");  // no map of characters is like that
  CHECK(applied(compiled(units(), "x\xff\xff"), "A") == "A");
}

TEST_CASE("a map that was cut off is refused") {
  CHECK(Charsmap::make("A!").error() == "has a map of characters that is not base64");
  CHECK(Charsmap::make("").error() == "has a map of characters that was cut off");
  CHECK(Charsmap::make(base64(raw<std::uint32_t>({8, 0}))).error() == "has a map of characters that was cut off");
}

}  // namespace
}  // namespace persona
