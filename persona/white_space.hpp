#pragma once
#include <string_view>

// White space at the ends of what was said, which never counts. ASCII's only: the rest is text.
namespace persona {

/// Without white space at both ends.
[[nodiscard]] inline std::string_view trimmed(std::string_view text) noexcept {
  constexpr std::string_view kWhiteSpace = " \t\n\v\f\r";
  const auto first = text.find_first_not_of(kWhiteSpace);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kWhiteSpace) - first + 1);
}

/// True when there is nothing in it but white space.
[[nodiscard]] inline bool is_blank(std::string_view text) noexcept {
  return trimmed(text).empty();
}

}  // namespace persona
