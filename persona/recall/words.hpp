#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

// Text as words, in any script.
namespace persona {

/// What two words may differ in and still be one.
enum class Likeness : std::uint8_t {
  letter_case,          ///< Tea, tea
  case_and_diacritics,  ///< Café, cafe
};

/// The words of a text: runs of letters and digits, folded. Han, hiragana, katakana and hangul are not separated by
/// spaces: a run of one of them gives its pairs of neighbours (a single one stands for itself); Thai, Lao, Khmer and
/// Burmese are neither, and are separated by ICU's dictionaries. Bytes that are not UTF-8 separate words.
[[nodiscard]] std::vector<std::string> words_of(std::string_view text, Likeness likeness);
/// The same one by one; each holds for the call only.
void each_word(std::string_view text, Likeness likeness, const std::function<void(std::string_view)>& take);

/// A word without the diacritics of Latin letters and without combining marks.
void without_diacritics(std::string_view word, std::string& plain);

/// A text without the words that are to go, and without an 's that belongs to one. `is_to_go` is asked for words as
/// `case_and_diacritics` folds them.
[[nodiscard]] std::string without_words(std::string_view text, const std::function<bool(std::string_view)>& is_to_go);

/// True when there is a letter or a digit in it.
[[nodiscard]] bool has_word(std::string_view text);

}  // namespace persona
