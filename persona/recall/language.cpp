#include "persona/recall/language.hpp"

#include <algorithm>
#include <array>

namespace persona {
namespace {

struct Names {
  std::string_view code;
  const char* stemmer;
};

// In the order of `Language`.
constexpr std::array<Names, kLanguages> kNames{{
    {"", nullptr},        {"ar", "arabic"},   {"hy", "armenian"},   {"eu", "basque"},    {"ca", "catalan"},
    {"da", "danish"},     {"nl", "dutch"},    {"en", "english"},    {"fi", "finnish"},   {"fr", "french"},
    {"de", "german"},     {"el", "greek"},    {"hi", "hindi"},      {"hu", "hungarian"}, {"id", "indonesian"},
    {"ga", "irish"},      {"it", "italian"},  {"lt", "lithuanian"}, {"ne", "nepali"},    {"no", "norwegian"},
    {"pt", "portuguese"}, {"ro", "romanian"}, {"ru", "russian"},    {"sr", "serbian"},   {"es", "spanish"},
    {"sv", "swedish"},    {"ta", "tamil"},    {"tr", "turkish"},    {"yi", "yiddish"},
}};

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

}  // namespace

Language language_of(std::string_view tag) noexcept {
  const std::string_view primary = tag.substr(0, tag.find_first_of("-_"));
  if (primary.size() != 2) return Language::none;
  const std::array<char, 2> letters{lower(primary[0]), lower(primary[1])};
  std::string_view wanted(letters.data(), letters.size());
  if (wanted == "nb" || wanted == "nn") wanted = "no";
  const auto found = std::ranges::find(kNames, wanted, &Names::code);
  return found == kNames.end() ? Language::none : Language{static_cast<std::uint8_t>(found - kNames.begin())};
}

std::string_view code(Language language) noexcept {
  return kNames[static_cast<std::size_t>(language)].code;
}

const char* stemmer_name(Language language) noexcept {
  return kNames[static_cast<std::size_t>(language)].stemmer;
}

}  // namespace persona
