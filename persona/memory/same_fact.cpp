#include "persona/memory/same_fact.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <vector>

#include "persona/recall/words.hpp"

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
  if (x.size() != y.size()) return false;
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
      if (items_in(x.begin() + from, x.begin() + to) == items_in(y.begin() + from, y.begin() + to)) return true;
    }
  }
  return false;
}

}  // namespace persona
