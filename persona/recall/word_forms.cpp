#include "persona/recall/word_forms.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <span>

namespace persona {
namespace {

// Verbs and others, each its base and then its forms, those that the stemmer gets right left out.
constexpr char kEnglish[] = "child children|go went gone";

struct Form {
  std::string_view form;
  std::string_view base;
};

constexpr std::size_t forms_in(std::string_view line) {
  return static_cast<std::size_t>(std::ranges::count(line, ' '));
}

// All forms of a line in byte order, so that they can be looked up by halving.
template <const auto& kLine>
constexpr auto kForms = [] {
  std::array<Form, forms_in(kLine)> forms{};
  std::size_t count = 0;
  std::string_view base;
  std::string_view rest = kLine;
  for (bool is_base = true; !rest.empty();) {
    const std::size_t end = std::min(rest.find_first_of(" |"), rest.size());
    const std::string_view word = rest.substr(0, end);
    if (is_base)
      base = word;
    else
      forms[count++] = {word, base};
    is_base = end < rest.size() && rest[end] == '|';
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  std::ranges::sort(forms, {}, &Form::form);
  return forms;
}();

std::span<const Form> forms_of(Language language) noexcept {
  switch (language) {
    case Language::english:
      return kForms<kEnglish>;
    default:
      return {};
  }
}

}  // namespace

std::string_view base_form(std::string_view word, Language language) noexcept {
  const auto forms = forms_of(language);
  const auto found = std::ranges::lower_bound(forms, word, {}, &Form::form);
  return found != forms.end() && found->form == word ? found->base : word;
}

}  // namespace persona
