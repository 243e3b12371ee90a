#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <iterator>
#include <span>
#include <string_view>

// Lists of words made by the compiler of a line of text.
namespace persona {

template <const auto& kLine>
constexpr auto kWordsOf = [] {
  std::array<std::string_view, static_cast<std::size_t>(std::ranges::count(std::string_view(kLine), ' ')) + 1> words{};
  std::string_view rest = kLine;
  for (std::string_view& word : words) {
    word = rest.substr(0, rest.find(' '));
    rest.remove_prefix(std::min(rest.size(), word.size() + 1));
  }
  return words;
}();

constexpr bool is_sorted_without_repeats(std::span<const std::string_view> words) {
  return std::ranges::adjacent_find(words, std::ranges::greater_equal{}) == words.end();
}

/// True for a word without capitals and diacritics of Latin letters; those that are letters of their own stay.
constexpr bool is_plain(std::string_view word) {
  constexpr std::string_view kOwn[] = {"ß", "æ", "ø", "ı"};
  for (std::size_t i = 0; i < word.size(); ++i) {
    if (word[i] >= 'A' && word[i] <= 'Z') return false;
    const auto byte = static_cast<unsigned char>(word[i]);
    if (byte < 0xc3 || byte > 0xc9) continue;  // what begins the letters from À to ɏ
    if (std::ranges::find(kOwn, word.substr(i, 2)) == std::end(kOwn)) return false;
  }
  return true;
}

}  // namespace persona
