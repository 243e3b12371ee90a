#pragma once
#include <cstddef>
#include <string_view>
#include <vector>

#include "persona/memory/memory.hpp"

// Making a context of messages: the rules that hold whatever the memory.
//
// Source: docs/contexts.md.
namespace persona {

/// Rows as messages, oldest first: a user message after a user message replaces it, an answer after an answer is merged
/// into it with a newline (not where one of them calls a tool). Rows of the exchange that is left out, and rows that
/// came after the question, do not count.
[[nodiscard]] std::vector<ContextMessage> fold(std::span<const TurnPtr> turns, const ContextQuery& query);

/// How many messages `fold` would make: what decides whether a window reaches back far enough.
[[nodiscard]] std::size_t folded_size(std::span<const TurnPtr> turns);

/// Removes what no context may have in its history part: questions at the end that have no answer, answers at the
/// beginning whose question was cut off, tool calls without all their results and results without their call.
void settle(std::vector<ContextMessage>& history);

/// Keeps the newest `most` messages, then settles.
void cut(std::vector<ContextMessage>& history, std::size_t most);

/// The whole: system prompt (when not empty), history, and the trimmed utterance as one user message.
[[nodiscard]] std::vector<ContextMessage> assemble(std::string_view system_prompt, std::vector<ContextMessage> history,
                                                   std::string_view utterance);

}  // namespace persona
