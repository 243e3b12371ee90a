#include "persona/recall/indexed_text.hpp"

#include <unordered_map>

#include "persona/white_space.hpp"

namespace persona {
namespace {

// OVOS speaks English where nobody says otherwise.
Language spoken_in(const Turn& turn) {
  return turn.lang.empty() ? Language::english : language_of(turn.lang);
}

}  // namespace

CaptionedText captioned(std::string_view content) {
  const std::string_view whole = trimmed(content);
  if (!whole.ends_with(']')) return {content, {}};
  const std::size_t open = whole.rfind('[');
  if (open == std::string_view::npos) return {content, {}};
  const std::string_view inside = whole.substr(open + 1, whole.size() - open - 2);
  const std::size_t colon = inside.find(": ");
  if (colon == std::string_view::npos) return {content, {}};
  return {whole.substr(0, open), inside.substr(colon + 2)};
}

bool is_indexed(const Turn& turn) {
  return turn.role == Role::user || turn.role == Role::assistant;
}

IndexedText indexed_text(Terms& terms, const Turn& turn, std::size_t most) {
  IndexedText indexed;
  indexed.language = spoken_in(turn);
  std::unordered_map<std::string, std::size_t> places;
  const auto frequency_of = [&](std::string_view term) -> Frequency& {
    const auto [at, added] = places.try_emplace(std::string(term), indexed.terms.size());
    if (added) indexed.terms.emplace_back(at->first, Frequency());
    return indexed.terms[at->second].second;
  };
  const CaptionedText parts = captioned(turn.content);
  terms.each(parts.text, indexed.language, [&](std::string_view term) {
    if (indexed.length == most) return;
    ++indexed.length;
    Frequency& frequency = frequency_of(term);
    if (frequency.said < Frequency::kMostSaid) ++frequency.said;
  });
  std::size_t in_caption = 0;
  terms.each(parts.caption, indexed.language, [&](std::string_view term) {
    if (in_caption++ < most) frequency_of(term).captioned = true;
  });
  terms.each(turn.name, indexed.language, [&](std::string_view term) { frequency_of(term).named = true; });
  return indexed;
}

}  // namespace persona
