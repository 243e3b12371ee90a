#pragma once
#include <cstdio>
#include <random>
#include <string>
#include <string_view>

namespace tests {

/// Writes random frames: JSON objects with decoys, duplicate keys, escapes and odd white space.
class RandomJson {
 public:
  explicit RandomJson(std::mt19937& random) : random_(random) {}

  std::string frame() {
    object(0);
    return std::move(text_);
  }

 private:
  unsigned pick(unsigned many) { return static_cast<unsigned>(random_() % many); }

  void space() {
    for (unsigned i = pick(6) == 0 ? pick(4) : 0; i > 0; --i) text_.push_back(" \t\r\n"[pick(4)]);
  }

  void escape(char c) {
    char digits[8];
    std::snprintf(digits, sizeof digits, "\\u%04x", static_cast<unsigned>(c));
    text_ += digits;
  }

  void string(std::string_view content, unsigned escape_one_in) {
    text_ += '"';
    for (const char c : content) {
      if (static_cast<unsigned char>(c) < 0x80 && pick(escape_one_in) == 0) {
        escape(c);
      } else if (c == '"' || c == '\\') {
        text_ += '\\';
        text_ += c;
      } else {
        text_ += c;
      }
    }
    text_ += '"';
  }

  std::string_view word() {
    static constexpr std::string_view kKeys[] = {"type", "type", "data", "context", "context", "session"};
    static constexpr std::string_view kWords[] = {
        "x", "", "ty", "a\"type\":\"b", "back\\slash\\", "{[", "]}", "caf\xC3\xA9", "a longer text, as people say it"};
    if (pick(3) != 0) return kKeys[pick(std::size(kKeys))];
    return kWords[pick(std::size(kWords))];
  }

  void object(unsigned depth) {
    text_ += '{';
    space();
    for (unsigned i = 0, many = depth == 0 ? 1 + pick(7) : pick(5); i < many; ++i) {
      if (i > 0) text_ += ',';
      space();
      string(word(), pick(4) == 0 ? 3 : 1000);
      space();
      text_ += ':';
      space();
      value(depth + 1);
      space();
    }
    text_ += '}';
  }

  void array(unsigned depth) {
    text_ += '[';
    for (unsigned i = 0, many = pick(4); i < many; ++i) {
      if (i > 0) text_ += ',';
      space();
      value(depth + 1);
      space();
    }
    text_ += ']';
  }

  void value(unsigned depth) {
    static constexpr std::string_view kScalars[] = {"0", "-1.5e-3", "true", "false", "null", "123456789012"};
    const unsigned kind = pick(depth > 3 ? 6 : 10);
    if (kind < 4) {
      string(word(), pick(4) == 0 ? 3 : 1000);
    } else if (kind < 6) {
      text_ += kScalars[pick(std::size(kScalars))];
    } else if (kind < 9) {
      object(depth);
    } else {
      array(depth);
    }
  }

  std::mt19937& random_;
  std::string text_;
};

}  // namespace tests
