#include "bus/json_cursor.hpp"

#include <cstdint>
#include <cstring>

namespace bus {
namespace {

bool is_space(char c) {
  return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

/// The closing quote of a string whose text starts at `at`; `end` when there is none.
const char* find_closing_quote(const char* at, const char* end) {
  const char* const start = at;
  while (at != end) {
    const auto* quote = static_cast<const char*>(std::memchr(at, '"', static_cast<std::size_t>(end - at)));
    if (quote == nullptr) return end;
    // Every quote has a run of backslashes of its own, so that counting them backwards stays linear.
    const char* slash = quote;
    while (slash != start && slash[-1] == '\\') --slash;
    if ((quote - slash) % 2 == 0) return quote;
    at = quote + 1;
  }
  return end;
}

std::optional<std::uint32_t> hex4(std::string_view digits) {
  if (digits.size() < 4) return std::nullopt;
  std::uint32_t value = 0;
  for (const char c : digits.substr(0, 4)) {
    value <<= 4;
    if (c >= '0' && c <= '9') {
      value += static_cast<std::uint32_t>(c - '0');
    } else if ((c | 0x20) >= 'a' && (c | 0x20) <= 'f') {
      value += static_cast<std::uint32_t>((c | 0x20) - 'a' + 10);
    } else {
      return std::nullopt;
    }
  }
  return value;
}

void append_utf8(std::string& out, std::uint32_t code) {
  const auto byte = [&out](std::uint32_t value) { out.push_back(static_cast<char>(value)); };
  if (code < 0x80) {
    byte(code);
  } else if (code < 0x800) {
    byte(0xC0 | (code >> 6));
    byte(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    byte(0xE0 | (code >> 12));
    byte(0x80 | ((code >> 6) & 0x3F));
    byte(0x80 | (code & 0x3F));
  } else {
    byte(0xF0 | (code >> 18));
    byte(0x80 | ((code >> 12) & 0x3F));
    byte(0x80 | ((code >> 6) & 0x3F));
    byte(0x80 | (code & 0x3F));
  }
}

/// `rest` starts after `\u`. Returns how many of its bytes were used, 0 when it is no character.
std::size_t append_unicode_escape(std::string& out, std::string_view rest) {
  const auto first = hex4(rest);
  if (!first || (*first >= 0xDC00 && *first < 0xE000)) return 0;
  if (*first < 0xD800 || *first >= 0xE000) {
    append_utf8(out, *first);
    return 4;
  }
  if (rest.size() < 10 || rest[4] != '\\' || rest[5] != 'u') return 0;
  const auto second = hex4(rest.substr(6));
  if (!second || *second < 0xDC00 || *second >= 0xE000) return 0;
  append_utf8(out, 0x10000 + ((*first - 0xD800) << 10) + (*second - 0xDC00));
  return 10;
}

}  // namespace

void JsonCursor::skip_space() {
  while (at_ != end_ && is_space(*at_)) ++at_;
}

bool JsonCursor::take(char c) {
  if (at_ == end_ || *at_ != c) return false;
  ++at_;
  return true;
}

std::optional<std::string_view> JsonCursor::take_string() {
  if (at_ == end_ || *at_ != '"') return std::nullopt;
  const char* const start = at_ + 1;
  const char* const quote = find_closing_quote(start, end_);
  if (quote == end_) return std::nullopt;
  at_ = quote + 1;
  return std::string_view(start, static_cast<std::size_t>(quote - start));
}

bool JsonCursor::skip_value() {
  const char first = peek();
  if (first == '"') return take_string().has_value();
  if (first == '{' || first == '[') return skip_nested();
  const char* const start = at_;
  while (at_ != end_ && !is_space(*at_) && *at_ != ',' && *at_ != '}' && *at_ != ']') ++at_;
  return at_ != start;
}

bool JsonCursor::skip_nested() {
  std::size_t depth = 0;
  while (at_ != end_) {
    switch (*at_) {
      case '"':
        if (!take_string()) return false;
        continue;
      case '{':
      case '[':
        ++depth;
        break;
      case '}':
      case ']':
        if (--depth == 0) {
          ++at_;
          return true;
        }
        break;
      default:
        break;
    }
    ++at_;
  }
  return false;
}

std::optional<std::string> unescape(std::string_view raw) {
  std::string out;
  out.reserve(raw.size());
  for (std::size_t i = 0; i < raw.size(); ++i) {
    if (raw[i] != '\\') {
      out.push_back(raw[i]);
      continue;
    }
    if (++i == raw.size()) return std::nullopt;
    static constexpr std::string_view kLetters = "\"\\/bfnrt";
    static constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t";
    if (raw[i] == 'u') {
      const std::size_t used = append_unicode_escape(out, raw.substr(i + 1));
      if (used == 0) return std::nullopt;
      i += used;
    } else if (const auto which = kLetters.find(raw[i]); which != std::string_view::npos) {
      out.push_back(kMeanings[which]);
    } else {
      return std::nullopt;
    }
  }
  return out;
}

bool spells(std::string_view raw_key, std::string_view name) {
  if (raw_key == name) return true;
  // An escaped spelling is longer than the name, and six bytes a character at most.
  if (raw_key.size() <= name.size() || raw_key.size() > 6 * name.size()) return false;
  if (raw_key.find('\\') == std::string_view::npos) return false;
  return unescape(raw_key) == name;
}

bool nests_deeper_than(std::string_view text, std::size_t limit) {
  std::size_t depth = 0;
  const char* at = text.data();
  const char* const end = at + text.size();
  for (; at != end; ++at) {
    if (*at == '"') {
      at = find_closing_quote(at + 1, end);
      if (at == end) return false;
    } else if (*at == '{' || *at == '[') {
      if (++depth > limit) return true;
    } else if ((*at == '}' || *at == ']') && depth > 0) {
      --depth;
    }
  }
  return false;
}

}  // namespace bus
