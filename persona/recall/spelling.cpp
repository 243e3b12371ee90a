#include "persona/recall/spelling.hpp"

#include <algorithm>
#include <array>
#include <bitset>

namespace persona {
namespace {

constexpr double kSoundsAlike = 0.3;
constexpr std::size_t kShortest = 4;

// Letters that take each other's place; the first of a class stands for all of it in what a word sounds like.
constexpr std::array<std::string_view, 7> kClasses{"aeiouyh", "kcqg", "jg", "sz", "td", "vwf", "fp"};

/// Which pairs of neighbouring letters a word has, its ends included, each once.
class LetterPairs {
 public:
  explicit LetterPairs(std::string_view word) {
    std::size_t before = kEnd;
    for (const char c : word) before = add(before, static_cast<std::size_t>(c - 'a') % kEnd);
    add(before, kEnd);
  }
  [[nodiscard]] double dice(const LetterPairs& other) const {
    return 2.0 * static_cast<double>((pairs_ & other.pairs_).count()) /
           static_cast<double>(pairs_.count() + other.pairs_.count());
  }

 private:
  static constexpr std::size_t kEnd = 26;
  std::size_t add(std::size_t first, std::size_t second) {
    pairs_.set(first * (kEnd + 1) + second);
    return second;
  }
  std::bitset<(kEnd + 1) * (kEnd + 1)> pairs_;
};

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
  const double common = LetterPairs(a).dice(LetterPairs(b));
  if (common + kSoundsAlike < kAlike) return common;
  const std::string heard = sound(a);
  return common + (heard.size() > 1 && heard == sound(b) ? kSoundsAlike : 0);
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
