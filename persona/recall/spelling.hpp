#pragma once
#include <string>
#include <string_view>

// Words that speech recognition, or a hand, wrote another way: for names above all. Looked for only where a word of a
// question is nowhere as it stands.
namespace persona {

/// How alike two words of small Latin letters are, 0 to 1.3: the share of pairs of letters they have in common (Dice),
/// and 0.3 where they sound alike in many languages of Europe (c and k, ph and f, no matter which vowels).
[[nodiscard]] double likeness(std::string_view a, std::string_view b);
/// From here on two words count as one: found by measuring, see docs/recall.md.
inline constexpr double kAlike = 0.8;

/// True for words that may be mangled: four letters or more, no figures, of the Latin alphabet.
[[nodiscard]] bool may_be_mangled(std::string_view word);
/// The first letters of words that may sound like this one.
[[nodiscard]] std::string first_letters(std::string_view word);

}  // namespace persona
