#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "persona/recall/language.hpp"
#include "persona/recall/postings.hpp"
#include "persona/recall/terms.hpp"
#include "persona/turn.hpp"

namespace persona {

/// A text without what it shows: `[shares a picture: a dog on a beach]` at its end has the caption `a dog on a beach`.
struct CaptionedText {
  std::string_view text;
  std::string_view caption;  ///< empty: none
};
[[nodiscard]] CaptionedText captioned(std::string_view content);

/// A turn as an index holds it. Depends on nothing but the turn: what was indexed can be found again to be erased.
struct IndexedText {
  Language language = Language::none;
  std::size_t length = 0;                                ///< terms of the text, without the caption
  std::vector<std::pair<std::string, Frequency>> terms;  ///< each once
};

/// True for what somebody said: not for the system's prompts and what tools give.
[[nodiscard]] bool is_indexed(const Turn& turn);
/// `most`: terms of its text that are looked at.
[[nodiscard]] IndexedText indexed_text(Terms& terms, const Turn& turn, std::size_t most);

}  // namespace persona
