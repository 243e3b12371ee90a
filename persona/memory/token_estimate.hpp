#pragma once
#include <cstddef>
#include <span>
#include <string_view>

#include "persona/memory/memory.hpp"

// How many tokens a text has for a language model, on the safe side.
//
// No tokeniser is asked: personad does not know which model its contexts go to. The estimate is made by kinds of
// characters, with weights fitted from above to the larger of OpenAI's cl100k_base and o200k_base encodings; a budget
// that is kept by this estimate is kept by them. The margin it keeps is in docs/contexts.md.
namespace persona {

/// Counts the tokens of a text.
using TokenCount = std::size_t (*)(std::string_view text) noexcept;

[[nodiscard]] std::size_t estimated_tokens(std::string_view text) noexcept;
/// One for each byte: no byte-pair encoding has more.
[[nodiscard]] std::size_t bytes_as_tokens(std::string_view text) noexcept;

/// With what a chat format adds for each message (role and separators).
[[nodiscard]] std::size_t tokens_of(const ContextMessage& message, TokenCount count = estimated_tokens) noexcept;

}  // namespace persona
