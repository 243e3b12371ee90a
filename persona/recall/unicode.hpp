#pragma once
#include <cstdint>
#include <string>
#include <string_view>

// What tokenizers do to characters, by ICU's tables. Texts are UTF-8.
namespace persona {

/// The normal forms of Unicode.
enum class Form : std::uint8_t { nfc, nfd, nfkc, nfkd };

[[nodiscard]] std::string in_form(Form form, std::string_view text);

/// Each character by itself: a sigma at a word's end is one like the others.
[[nodiscard]] std::string lower_case(std::string_view text);

[[nodiscard]] bool is_space(char32_t point);
/// With all that is neither letter, digit nor space in ASCII.
[[nodiscard]] bool is_punctuation(char32_t point);
/// Control, format and private characters.
[[nodiscard]] bool is_unprintable(char32_t point);
/// A mark of any kind.
[[nodiscard]] bool is_combining(char32_t point);
/// A mark that takes no room, such as an accent.
[[nodiscard]] bool is_accent(char32_t point);
/// True when a reader sees the two as one character.
[[nodiscard]] bool is_one_cluster(char32_t before, char32_t after);

}  // namespace persona
