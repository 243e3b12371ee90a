#pragma once
#include <cstddef>
#include <span>
#include <string_view>

#include "persona/memory/memory.hpp"

// How many tokens a text has for a language model, on the safe side.
//
// No tokeniser is asked: personad does not know which model its contexts go to. The estimate is made by kinds of
// characters, with weights fitted from above to the larger of OpenAI's cl100k_base and o200k_base encodings; a budget
// that is kept by this estimate is kept by them. Over whole texts it exceeds the real count by about 1.6 (German) to 2
// (English, code, Chinese); see docs/contexts.md for what was measured.
namespace persona {

[[nodiscard]] std::size_t estimated_tokens(std::string_view text) noexcept;

/// With what a chat format adds for each message (role and separators).
[[nodiscard]] std::size_t estimated_tokens(const ContextMessage& message) noexcept;
[[nodiscard]] std::size_t estimated_tokens(std::span<const ContextMessage> messages) noexcept;

}  // namespace persona
