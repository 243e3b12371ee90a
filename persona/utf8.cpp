#include "persona/utf8.hpp"

#include <cstddef>
#include <cstdint>

namespace persona {
namespace {

struct Lead {
  std::size_t length;  // of the whole sequence; 0: no lead byte
  char32_t bits;
  char32_t least;  // what a sequence of this length is for
};

Lead lead_of(unsigned char byte) noexcept {
  if (byte < 0x80) return {1, byte, 0};
  if ((byte & 0xE0) == 0xC0) return {2, static_cast<char32_t>(byte & 0x1F), 0x80};
  if ((byte & 0xF0) == 0xE0) return {3, static_cast<char32_t>(byte & 0x0F), 0x800};
  if ((byte & 0xF8) == 0xF0) return {4, static_cast<char32_t>(byte & 0x07), 0x10000};
  return {0, 0, 0};
}

}  // namespace

std::optional<char32_t> take_code_point(std::string_view& text) noexcept {
  const std::string_view whole = text;
  text.remove_prefix(1);
  const Lead lead = lead_of(static_cast<unsigned char>(whole.front()));
  if (lead.length == 0 || lead.length > whole.size()) return std::nullopt;
  char32_t point = lead.bits;
  for (const char next : whole.substr(1, lead.length - 1)) {
    const auto byte = static_cast<unsigned char>(next);
    if ((byte & 0xC0) != 0x80) return std::nullopt;
    point = (point << 6) | (byte & 0x3F);
  }
  if (point < lead.least || point > 0x10FFFF || (point >= 0xD800 && point <= 0xDFFF)) return std::nullopt;
  text = whole.substr(lead.length);
  return point;
}

bool is_utf8(std::string_view text) noexcept {
  while (!text.empty()) {
    if (!take_code_point(text)) return false;
  }
  return true;
}

std::u32string code_points(std::string_view text) {
  std::u32string points;
  points.reserve(text.size());
  while (!text.empty()) points += take_code_point(text).value_or(kReplacement);
  return points;
}

void append_utf8(std::string& to, char32_t point) {
  const auto byte = [&to](char32_t value) { to += static_cast<char>(static_cast<std::uint8_t>(value)); };
  if (point < 0x80) {
    byte(point);
  } else if (point < 0x800) {
    byte(0xC0 | (point >> 6));
    byte(0x80 | (point & 0x3F));
  } else if (point < 0x10000) {
    byte(0xE0 | (point >> 12));
    byte(0x80 | ((point >> 6) & 0x3F));
    byte(0x80 | (point & 0x3F));
  } else {
    byte(0xF0 | (point >> 18));
    byte(0x80 | ((point >> 12) & 0x3F));
    byte(0x80 | ((point >> 6) & 0x3F));
    byte(0x80 | (point & 0x3F));
  }
}

}  // namespace persona
