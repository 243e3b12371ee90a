#include "persona/memory/same_fact.hpp"

#include <unicode/uchar.h>

#include <algorithm>
#include <array>
#include <functional>
#include <vector>

#include "persona/recall/words.hpp"
#include "persona/utf8.hpp"

namespace persona {
namespace {

// Between the items of a list: in English, German, Spanish, French, Italian, Dutch, Portuguese.
constexpr std::array<std::string_view, 12> kConnectors{"and", "or", "und", "oder", "y",  "e",
                                                       "o",   "et", "ou",  "en",   "ed", "u"};

// What has more words than this is prose rather than a list: it is the same only word for word.
constexpr std::size_t kMostWords = 64;

struct Word {
  std::string text;
  bool opens_item = false;  // a comma, or a word that connects, stands before it
};

void add_words(std::string_view text, std::vector<Word>& words, bool& opens_item) {
  for (std::string& word : words_of(text, Likeness::letter_case)) {
    if (std::ranges::find(kConnectors, word) != kConnectors.end()) {
      opens_item = true;
      continue;
    }
    words.push_back({std::move(word), opens_item && !words.empty()});
    opens_item = false;
  }
}

// Commas of any script, and what else separates the items of a list.
constexpr std::array<std::string_view, 7> kSeparators{",", ";", "&", "+", "、", "，", "،"};

std::vector<Word> words_in(std::string_view fact) {
  std::vector<Word> words;
  bool opens_item = false;
  std::size_t from = 0;
  for (std::size_t at = 0; at < fact.size();) {
    const auto begins_here = [rest = fact.substr(at)](std::string_view sign) { return rest.starts_with(sign); };
    const auto separator = std::ranges::find_if(kSeparators, begins_here);
    if (separator == kSeparators.end()) {
      ++at;
      continue;
    }
    add_words(fact.substr(from, at - from), words, opens_item);
    opens_item = true;
    from = at += separator->size();
  }
  add_words(fact.substr(from), words, opens_item);
  return words;
}

bool is_digit(char32_t point) {
  return point >= U'0' && point <= U'9';
}

bool is_letter_or_digit(char32_t point) {
  return u_isalnum(static_cast<UChar32>(point)) != 0;
}

// Whether a sign says something where it stands: C++ and C#, -5 and 5, 1,000 and 1.000, $ and a face do; a full stop
// and the plus between the items of a list do not. `before` and `after` are 0 at the ends.
bool says_something(char32_t before, char32_t sign, char32_t after) {
  const bool beside_word = is_letter_or_digit(before) || is_letter_or_digit(after);
  switch (sign) {
    case U',':
    case U'.':
      return is_digit(before) && is_digit(after);
    case U'-':
    case U'\u2212':
      return is_digit(after) && !is_letter_or_digit(before);
    case U'#':
    case U'%':
    case U'@':
    case U'*':
    case U'/':
      return beside_word;
    case U'+':
    case U'&':
      return beside_word || before == sign || after == sign;
    default:
      return (U_GET_GC_MASK(static_cast<UChar32>(sign)) & (U_GC_SM_MASK | U_GC_SC_MASK | U_GC_SO_MASK)) != 0;
  }
}

// In no order: they move with the items of a list.
std::u32string signs_in(std::string_view fact) {
  const std::u32string points = code_points(fact);
  std::u32string signs;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const char32_t before = i > 0 ? points[i - 1] : 0;
    const char32_t after = i + 1 < points.size() ? points[i + 1] : 0;
    if (says_something(before, points[i], after)) signs += points[i];
  }
  std::ranges::sort(signs);
  return signs;
}

// A row of numbers is no list: its order is what it says.
bool is_number(const std::string& item) {
  return item.find_first_not_of("0123456789 ") == std::string::npos;
}

std::vector<std::string> items_in(std::vector<Word>::const_iterator from, std::vector<Word>::const_iterator to) {
  std::vector<std::string> items;
  for (auto word = from; word != to; ++word) {
    if (items.empty() || word->opens_item) {
      items.push_back(word->text);
    } else {
      items.back().append(" ").append(word->text);
    }
  }
  std::ranges::sort(items);
  return items;
}

using Place = std::vector<Word>::const_iterator;

Place item_start(const std::vector<Word>& words, Place at) {
  while (at != words.begin() && !at->opens_item) --at;
  return at;
}

Place item_end(const std::vector<Word>& words, Place at) {
  while (at != words.end() && !at->opens_item) ++at;
  return at;
}

}  // namespace

std::string fact_key(std::string_view fact) {
  std::vector<std::string> sorted;
  for (Word& word : words_in(fact)) sorted.push_back(std::move(word.text));
  std::ranges::sort(sorted);
  std::string key;
  for (const std::string& word : sorted) key.append(key.empty() ? "" : " ").append(word);
  return key.empty() ? std::string(fact) : key;  // a fact of signs alone is itself
}

bool same_fact(std::string_view a, std::string_view b) {
  const auto x = words_in(a), y = words_in(b);
  if (x.empty() || y.empty()) return a == b;
  if (x.size() != y.size() || signs_in(a) != signs_in(b)) return false;
  const auto same = [](const Word& one, const Word& other) { return one.text == other.text; };
  const auto [x_from, y_from] = std::mismatch(x.begin(), x.end(), y.begin(), same);
  const auto [x_back, y_back] = std::mismatch(x.rbegin(), x.rend(), y.rbegin(), same);
  if (x_from == x.end()) return true;
  if (x.size() > kMostWords) return false;
  // Between what is the same at both ends there is a list, in another order; or it says something else. Items may begin
  // or end alike ("green tea, black tea"), so where they begin and end is tried out.
  const auto first = item_start(x, x_from) - x.begin(), last = item_end(x, x_back.base()) - x.begin();
  const auto has_items = [&](const std::vector<Word>& words) {
    return std::any_of(words.begin() + first + 1, words.begin() + last, std::mem_fn(&Word::opens_item));
  };
  if (!has_items(x) || !has_items(y)) return false;
  for (auto from = first; from <= x_from - x.begin(); ++from) {
    for (auto to = x_back.base() - x.begin(); to <= last; ++to) {
      const auto items = items_in(x.begin() + from, x.begin() + to);
      if (std::ranges::any_of(items, is_number)) continue;
      if (items == items_in(y.begin() + from, y.begin() + to)) return true;
    }
  }
  return false;
}

}  // namespace persona
