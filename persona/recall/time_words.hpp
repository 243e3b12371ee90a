#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "persona/recall/language.hpp"

// Words for times and numbers: what a question asks for, and what an answer to it holds. A language without a list
// knows figures only; Chinese, Japanese and Korean, which have no stemmer, are `Language::none`.
namespace persona {

/// True for a word that says a time: yesterday, week, ago, monday, may, 2022. `word` as the query side has it: folded,
/// without diacritics, not stemmed.
[[nodiscard]] bool says_a_time(std::string_view word, Language language) noexcept;
/// True for a word that says how many: seven, dozen, couple, 7.
[[nodiscard]] bool says_a_number(std::string_view word, Language language) noexcept;

/// True for a question for a time: "when did ...", "what date", "how long ago", "in which year", wann, cuándo, quando,
/// quand, いつ, 什么时候, متى. `words` in order, folded, without diacritics.
[[nodiscard]] bool asks_for_a_time(std::span<const std::string> words, Language language);
/// "how many/much/old/often/long ...", wie viele, cuantos ...
[[nodiscard]] bool asks_for_a_number(std::span<const std::string> words, Language language);

/// The words of a moment's date in a language, as `words_of` gives them without diacritics: day of the month, month,
/// year and weekday ("7", "may", "2023", "sunday"; in English "7th" too), by ICU's names in their long forms; UTC.
///
/// For `Language::none` day and year, and the date as Chinese and Japanese write it, in pairs of neighbours.
/// Threading: any; each thread keeps names of its own.
[[nodiscard]] std::vector<std::string> date_words(double timestamp, Language language);

}  // namespace persona
