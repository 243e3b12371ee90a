#include "persona/recall/spelling.hpp"

#include <algorithm>
#include <array>
#include <vector>

namespace persona {
namespace {

constexpr double kSoundsAlike = 0.3;
constexpr std::size_t kShortest = 4;

// Letters that take each other's place; the first of a class stands for all of it in what a word sounds like.
constexpr std::array<std::string_view, 7> kClasses{"aeiouyh", "kcqg", "jg", "sz", "td", "vwf", "fp"};

std::vector<std::string_view> pairs_of(std::string_view framed) {
  std::vector<std::string_view> pairs;
  for (std::size_t i = 0; i + 1 < framed.size(); ++i) pairs.push_back(framed.substr(i, 2));
  std::ranges::sort(pairs);
  const auto [first, last] = std::ranges::unique(pairs);
  pairs.erase(first, last);
  return pairs;
}

double dice(std::string_view a, std::string_view b) {
  const std::string framed_a = "$" + std::string(a) + "$";
  const std::string framed_b = "$" + std::string(b) + "$";
  const auto pairs_a = pairs_of(framed_a);
  const auto pairs_b = pairs_of(framed_b);
  std::vector<std::string_view> common;
  std::ranges::set_intersection(pairs_a, pairs_b, std::back_inserter(common));
  return 2.0 * static_cast<double>(common.size()) / static_cast<double>(pairs_a.size() + pairs_b.size());
}

bool is_vowel(char c) {
  return std::string_view("aeiouyh").find(c) != std::string_view::npos;
}

char sound_of(char c) {
  switch (c) {
    case 'c':
    case 'q':
      return 'k';
    case 'g':
      return 'j';
    case 'z':
      return 's';
    case 'd':
      return 't';
    case 'w':
      return 'v';
    default:
      return c;
  }
}

// Consonants by their class, each once in a row; of vowels only that there is one in front.
std::string sound(std::string_view word) {
  std::string heard;
  if (is_vowel(word.front())) heard = "a";
  for (std::size_t i = 0; i < word.size(); ++i) {
    if (is_vowel(word[i])) continue;
    const bool ph = word[i] == 'p' && i + 1 < word.size() && word[i + 1] == 'h';
    const char letter = ph ? 'f' : sound_of(word[i]);
    if (heard.empty() || heard.back() != letter) heard += letter;
  }
  return heard;
}

}  // namespace

double likeness(std::string_view a, std::string_view b) {
  if (a.empty() || b.empty()) return 0;
  const std::string heard = sound(a);
  return dice(a, b) + (heard.size() > 1 && heard == sound(b) ? kSoundsAlike : 0);
}

bool may_be_mangled(std::string_view word) {
  return word.size() >= kShortest && std::ranges::all_of(word, [](char c) { return c >= 'a' && c <= 'z'; });
}

std::string first_letters(std::string_view word) {
  std::string letters(1, word.front());
  for (const std::string_view same : kClasses) {
    if (same.find(word.front()) == std::string_view::npos) continue;
    for (const char letter : same) {
      if (letters.find(letter) == std::string::npos) letters += letter;
    }
  }
  return letters;
}

}  // namespace persona
