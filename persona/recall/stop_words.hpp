#pragma once
#include <span>
#include <string_view>

namespace persona {

/// Stop words: words of a question that carry no subject (articles, pronouns, prepositions, auxiliaries, conjunctions,
/// negations, question words), by language.
///
/// They are left out of queries only. What is indexed keeps them, so a list can change without a new index.
/// Words are as `each_word` gives them without diacritics, before any stemming ("fur" for "für"; "don" and "t" for
/// "don't"; pairs of neighbours in Chinese and Japanese). `lang` is a primary subtag in lower case ("en"); a language
/// that is not known has none.
[[nodiscard]] bool is_stop_word(std::string_view folded_word, std::string_view lang);
/// All of a language, in byte order.
[[nodiscard]] std::span<const std::string_view> stop_words(std::string_view lang);

}  // namespace persona
