#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
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

/// Forms in byte order, and where those of each first byte begin: most words have few to be compared with.
template <std::size_t kCount>
struct FormTable {
  std::array<WordForm, kCount> forms{};
  std::array<std::uint16_t, 257> starts{};
};

/// All forms of a line.
template <const auto& kLine>
constexpr auto kWordForms = [] {
  FormTable<static_cast<std::size_t>(std::ranges::count(std::string_view(kLine), ' '))> table;
  std::string_view rest = kLine;
  std::string_view base;
  std::size_t count = 0;
  while (!rest.empty()) {
    const FormPiece piece = take_piece(rest);
    if (base.empty()) {
      base = piece.word;
    } else {
      table.forms[count++] = {piece.word, base};
    }
    if (piece.end == '|') base = {};
  }
  std::ranges::sort(table.forms, {}, &WordForm::form);
  for (const WordForm& form : table.forms) ++table.starts[static_cast<unsigned char>(form.form.front()) + 1];
  std::partial_sum(table.starts.begin(), table.starts.end(), table.starts.begin());
  return table;
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
template <std::size_t kCount>
[[nodiscard]] constexpr std::string_view base_in(const FormTable<kCount>& table, std::string_view word) noexcept {
  if (word.empty()) return {};
  const auto first = static_cast<unsigned char>(word.front());
  const std::span forms =
      std::span(table.forms)
          .subspan(table.starts[first], static_cast<std::size_t>(table.starts[first + 1u] - table.starts[first]));
  const auto found = std::ranges::lower_bound(forms, word, {}, &WordForm::form);
  return found != forms.end() && found->form == word ? found->base : std::string_view{};
}

}  // namespace persona
