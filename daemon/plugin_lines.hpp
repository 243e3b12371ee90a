#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace personad {

/// Cuts a stream of bytes into lines, and never holds more than the longest line.
///
/// Usage: `add` a piece, then `next` until it has none; views hold until the following call of `add`. Threading: none.
class PluginLines {
 public:
  explicit PluginLines(std::size_t most) : most_(most) {}

  void add(std::string_view piece);
  /// False: no whole line is here. Line ends are cut off, "\r\n" as well as "\n".
  [[nodiscard]] bool next(std::string_view& line);
  /// A line is longer than allowed; it is, from then on, for the caller to end this.
  [[nodiscard]] bool too_long() const { return too_long_; }
  /// What was begun and has no line end yet.
  [[nodiscard]] std::string_view rest() const { return std::string_view(held_).substr(at_); }

 private:
  std::size_t most_;
  std::string held_;
  std::size_t at_ = 0;        // where the next line begins
  std::size_t searched_ = 0;  // no line end between `at_` and here
  bool too_long_ = false;
};

}  // namespace personad
