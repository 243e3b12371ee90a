#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <span>
#include <string_view>

// Tables made by the compiler of lines such as "child children|go went gone": a base and its forms, then the next.
namespace persona {

/// A word as it is said, and the one whose form it is.
struct WordForm {
  std::string_view form;
  std::string_view base;
};

/// What is before the next space or bar, which goes with it; `end` is that of the two which was there, or 0.
struct FormPiece {
  std::string_view word;
  char end = 0;
};
constexpr FormPiece take_piece(std::string_view& line) {
  const std::size_t length = std::min(line.find_first_of(" |"), line.size());
  const FormPiece piece{line.substr(0, length), length < line.size() ? line[length] : '\0'};
  line.remove_prefix(std::min(length + 1, line.size()));
  return piece;
}

/// All forms of a line, in byte order.
template <const auto& kLine>
constexpr auto kWordForms = [] {
  std::array<WordForm, static_cast<std::size_t>(std::ranges::count(std::string_view(kLine), ' '))> forms{};
  std::string_view rest = kLine;
  std::string_view base;
  std::size_t count = 0;
  while (!rest.empty()) {
    const FormPiece piece = take_piece(rest);
    if (base.empty()) {
      base = piece.word;
    } else {
      forms[count++] = {piece.word, base};
    }
    if (piece.end == '|') base = {};
  }
  std::ranges::sort(forms, {}, &WordForm::form);
  return forms;
}();

constexpr bool is_lower_case(std::string_view word) {
  for (std::size_t i = 0; i < word.size(); ++i) {
    if (word[i] >= 'A' && word[i] <= 'Z') return false;
    const bool is_latin1 = word[i] == '\xc3' && i + 1 < word.size();
    if (is_latin1 && static_cast<unsigned char>(word[i + 1]) < 0x9f) return false;  // from À to Þ
  }
  return true;
}

/// True when all is in lower case, no form is of two words, and none is a base as well.
constexpr bool leads_one_way(std::span<const WordForm> forms) {
  return std::ranges::all_of(forms, is_lower_case, &WordForm::form) &&
         std::ranges::adjacent_find(forms, {}, &WordForm::form) == forms.end() &&
         std::ranges::none_of(
             forms, [&](std::string_view base) { return std::ranges::binary_search(forms, base, {}, &WordForm::form); },
             &WordForm::base);
}

/// The base of a form; empty when there is none.
[[nodiscard]] constexpr std::string_view base_in(std::span<const WordForm> forms, std::string_view word) noexcept {
  const auto found = std::ranges::lower_bound(forms, word, {}, &WordForm::form);
  return found != forms.end() && found->form == word ? found->base : std::string_view{};
}

}  // namespace persona
