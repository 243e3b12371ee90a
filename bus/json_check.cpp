#include "bus/json_check.hpp"

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

namespace bus {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// How many bytes of UTF-8 a character takes whose first byte this is, and the bounds of its second byte.
struct Utf8Lead {
  std::size_t length = 0;  // 0: no first byte
  std::uint8_t least = 0x80, most = 0xBF;
};

Utf8Lead utf8_lead(std::uint8_t first) {
  if (first < 0xC2 || first > 0xF4) return {};
  if (first < 0xE0) return {2};
  if (first == 0xE0) return {3, 0xA0, 0xBF};
  if (first == 0xED) return {3, 0x80, 0x9F};
  if (first < 0xF0) return {3};
  if (first == 0xF0) return {4, 0x90, 0xBF};
  return first == 0xF4 ? Utf8Lead{4, 0x80, 0x8F} : Utf8Lead{4};
}

/// One pass over the text. The brackets that are open are a stack of its own, so that nesting costs no call stack.
class Checker {
 public:
  Checker(std::string_view text, std::size_t deepest) : text_(text), deepest_(deepest) {}

  bool whole() {
    do {
      space();
      if (!value()) return false;
    } while (!open_.empty());
    space();
    return at_ == text_.size();
  }

 private:
  [[nodiscard]] char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  bool take(char c) {
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  void space() {
    while (peek() == ' ' || peek() == '\n' || peek() == '\r' || peek() == '\t') ++at_;
  }
  bool word(std::string_view expected) {
    if (!text_.substr(at_).starts_with(expected)) return false;
    at_ += expected.size();
    return true;
  }

  // A value that opens a bracket ends at its first element; any other is followed by what comes after a value.
  bool value() {
    switch (peek()) {
      case '{':
      case '[':
        return opened();
      case '"':
        return string() && after_value();
      case 't':
        return word("true") && after_value();
      case 'f':
        return word("false") && after_value();
      case 'n':
        return word("null") && after_value();
      default:
        return number() && after_value();
    }
  }

  bool opened() {
    if (open_.size() >= deepest_) return false;
    const bool object = text_[at_++] == '{';
    space();
    if (take(object ? '}' : ']')) return after_value();
    open_.push_back(object);
    return !object || key();
  }

  bool key() {
    if (!string()) return false;
    space();
    return take(':');
  }

  /// Up to the next value to read, or to the end of the outermost one.
  bool after_value() {
    while (!open_.empty()) {
      space();
      if (take(',')) {
        space();
        return !open_.back() || key();
      }
      if (!take(open_.back() ? '}' : ']')) return false;
      open_.pop_back();
    }
    return true;
  }

  bool string() {
    if (!take('"')) return false;
    while (at_ < text_.size()) {
      const auto c = static_cast<std::uint8_t>(text_[at_]);
      if (c == '"') return take('"');
      if (c < 0x20) return false;
      if (c == '\\') {
        if (!escape()) return false;
      } else if (c < 0x80) {
        ++at_;
      } else if (!character(utf8_lead(c))) {
        return false;
      }
    }
    return false;
  }

  bool character(const Utf8Lead& lead) {
    if (lead.length == 0 || text_.size() - at_ < lead.length) return false;
    const auto second = static_cast<std::uint8_t>(text_[at_ + 1]);
    if (second < lead.least || second > lead.most) return false;
    for (std::size_t i = 2; i < lead.length; ++i) {
      if ((static_cast<std::uint8_t>(text_[at_ + i]) & 0xC0) != 0x80) return false;
    }
    at_ += lead.length;
    return true;
  }

  bool escape() {
    ++at_;
    const char c = peek();
    if (c == '\0' || std::string_view("\"\\/bfnrtu").find(c) == std::string_view::npos) return false;
    ++at_;
    if (c != 'u') return true;
    const int first = hex4();
    if (first < 0 || (first >= 0xDC00 && first < 0xE000)) return false;
    if (first < 0xD800 || first >= 0xE000) return true;
    if (!word("\\u")) return false;
    const int second = hex4();
    return second >= 0xDC00 && second < 0xE000;
  }

  /// -1 where there are no four hexadecimal digits.
  int hex4() {
    int value = 0;
    for (int i = 0; i < 4; ++i, ++at_) {
      const char c = peek();
      const char letter = static_cast<char>(c | 0x20);
      const bool is_letter = letter >= 'a' && letter <= 'f';
      if (!is_digit(c) && !is_letter) return -1;
      value = value * 16 + (is_letter ? letter - 'a' + 10 : c - '0');
    }
    return value;
  }

  bool digits() {
    const std::size_t start = at_;
    while (is_digit(peek())) ++at_;
    return at_ != start;
  }

  bool number() {
    constexpr std::size_t kSurelyFinite = 300;  // digits without an exponent
    const std::size_t start = at_;
    (void)take('-');
    if (!take('0') && !digits()) return false;
    if (take('.') && !digits()) return false;
    const bool exponent = take('e') || take('E');
    if (exponent) {
      if (!take('-')) (void)take('+');
      if (!digits()) return false;
    }
    if (!exponent && at_ - start < kSurelyFinite) return true;
    return std::isfinite(std::strtod(std::string(text_.substr(start, at_ - start)).c_str(), nullptr));
  }

  std::string_view text_;
  std::size_t deepest_;
  std::size_t at_ = 0;
  std::vector<bool> open_;  // of each open bracket, whether it is an object's
};

}  // namespace

bool is_json(std::string_view text, std::size_t deepest) {
  return Checker(text, deepest).whole();
}

}  // namespace bus
