#include "persona/recall/time_words.hpp"

#include <algorithm>

namespace persona {
namespace {

bool is_number(std::string_view word) noexcept {
  return !word.empty() && std::ranges::all_of(word, [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

bool says_a_time(std::string_view word, Language) noexcept {
  return word.size() == 4 && is_number(word) && (word.starts_with("19") || word.starts_with("20"));
}

bool says_a_number(std::string_view word, Language) noexcept {
  return is_number(word);
}

bool asks_for_a_time(std::span<const std::string> words, Language) {
  return std::ranges::find(words, "when") != words.end();
}

bool asks_for_a_number(std::span<const std::string>, Language) {
  return false;
}

std::vector<std::string> date_words(double, Language) {
  return {};
}

}  // namespace persona
