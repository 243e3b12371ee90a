#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "persona/memory/memory.hpp"

// From rows to messages, and the rules that a history keeps whatever the memory.
//
// Source: docs/contexts.md.
namespace persona {

/// What becomes of a question right after a question.
enum class Questions : std::uint8_t {
  replaced,  ///< it replaces the one before, which got no answer: the short-term memory
  kept,      ///< both stay: the ovos-memory-plugins family
};

/// True for a row that a context may show: not of the exchange that is left out, and not later than the question.
[[nodiscard]] bool counts(const Turn& turn, const ContextQuery& query);

/// Rows as messages, oldest first: an answer after an answer is merged into it with a newline (not where one of them
/// calls a tool). Rows that do not count are left out.
[[nodiscard]] std::vector<ContextMessage> fold(std::span<const TurnPtr> turns, const ContextQuery& query,
                                               Questions questions = Questions::replaced);

/// How many messages `fold` would make at the least: what decides whether a window reaches back far enough.
[[nodiscard]] std::size_t folded_size(std::span<const TurnPtr> turns);

/// Removes what no context may have in its history part: questions at the end that have no answer, answers at the
/// beginning whose question was cut off, tool calls without all their results and results without their call. What
/// becomes neighbours by that is joined as in `fold`.
void settle(std::vector<ContextMessage>& history, Questions questions = Questions::replaced);

/// Keeps the newest `most` messages, then settles.
void cut(std::vector<ContextMessage>& history, std::size_t most, Questions questions = Questions::replaced);

}  // namespace persona
