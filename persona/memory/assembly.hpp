#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "persona/memory/memory.hpp"
#include "persona/memory/token_estimate.hpp"

// Putting a context together: the one place where its order, its budget and its invariants are kept, whatever the
// memory.
//
// Source: docs/contexts.md; the inject modes are those of ovos-memory-plugins.
namespace persona {

/// Where recalled text goes.
enum class InjectMode : std::uint8_t {
  system,         ///< a system message of its own, before the history
  developer,      ///< the same with role developer
  system_prompt,  ///< folded into the persona's system prompt
  user,           ///< rendered around the utterance
  tool,           ///< a tool call and its result, right before the utterance
};

/// How recalled exchanges are shown.
struct RecallRendering {
  InjectMode mode = InjectMode::system;
  std::string header;
  std::string chunk_prefix = "- ";
  std::string chunk_separator = "\n\n";
  bool include_sources = false;
  std::string tool_name = "search_memory";
  std::string system_prompt_template;  ///< {system}, {header}, {context}
  std::string user_template;           ///< {header}, {context}, {utterance}
};

/// What a memory chose. `assemble` brings it into order.
struct ContextParts {
  /// Where a summary stands: after the facts in a message of its own, or at the end of the system prompt.
  enum class SummaryPlace : std::uint8_t { own_message, system_prompt };

  std::string system_prompt;                ///< the persona's own; blank: none
  std::vector<std::string> member_prompts;  ///< of a composite's members, each a message of its own; blank: none
  std::string facts;                        ///< as it is shown; empty: none
  std::string summary;                      ///< as it is shown; empty: none
  SummaryPlace summary_place = SummaryPlace::own_message;
  std::vector<Recalled> recalled;  ///< best first
  RecallRendering rendering;
  std::vector<ContextMessage> history;  ///< oldest first
};

/// A context, and what became of its parts.
struct Context {
  std::vector<ContextMessage> messages;
  std::size_t tokens = 0;
  bool over_budget = false;  ///< the system prompt and the utterance alone exceed it
  /// For explanations: each part, what of it is in, and what the budget left out.
  struct Part {
    std::string_view name;  ///< "system_prompt", "facts", "summary", "recalled", "history", "utterance"
    std::size_t tokens = 0;
    std::size_t count = 0;    ///< messages or items in the context
    std::size_t dropped = 0;  ///< messages or items the budget left out
  };
  std::vector<Part> parts;
  std::vector<Recalled> recalled;  ///< those in the context, best first
};

/// How much a context may be, and what is told about it.
struct ContextLimits {
  std::optional<std::size_t> max_tokens;
  TokenCount count = estimated_tokens;
  bool explained = false;  ///< fills `Context::parts`
};

/// Settles the history, leaves out what is recalled but in the history anyway, drops whole parts until the limit is
/// kept (recalled, worst first; the oldest exchanges; the summary; the facts), and orders the rest: system prompt,
/// facts, summary, recalled, history, and the trimmed utterance as one user message. Never fails, never cuts a message.
[[nodiscard]] Context assemble(ContextParts parts, std::string_view utterance, const ContextLimits& limits = {});

/// Whether an exchange stands in a history.
[[nodiscard]] bool is_shown(const Recalled& recalled, const std::vector<ContextMessage>& history);

/// A recalled exchange as text: "Q: what was asked\nA: what was answered".
[[nodiscard]] std::string rendered(const Recalled& recalled);
/// All of them, as the settings say.
[[nodiscard]] std::string rendered(const std::vector<Recalled>& recalled, const RecallRendering& rendering);
/// A template with {names} filled in; other braces stay as they are, {{ and }} are braces.
struct TemplateValue {
  std::string_view name;
  std::string_view value;
};
[[nodiscard]] std::string filled(std::string_view text, std::initializer_list<TemplateValue> values);

}  // namespace persona
