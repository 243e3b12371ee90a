#pragma once
#include <string_view>

#include "persona/recall/language.hpp"

namespace persona {

/// The base form of an irregular one ("went" -> "go", "children" -> "child"): what a stemmer's rules can not know.
/// Others come back as they are.
///
/// `word` is case-folded, with its diacritics, not stemmed. What is indexed went through it: a list that changes wants
/// a new index. Where a form is of two words, it goes to the one that is said more often; where that is a thing's name
/// too ("rose", "saw" but for its verb), see the lists.
/// Lifetime of what is returned: the longer of `word`'s and the program's.
[[nodiscard]] std::string_view base_form(std::string_view word, Language language) noexcept;

}  // namespace persona
