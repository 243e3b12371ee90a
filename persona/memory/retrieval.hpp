#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "persona/memory/assembly.hpp"
#include "persona/memory/memory.hpp"

namespace persona {

class SettingsReader;

/// `scope`: whose conversations are looked through; "global" is OVOS's word for "persona".
[[nodiscard]] RecallScope read_scope(SettingsReader& reader);

/// What all memories that recall have in common: how they ask, how they show what was found, and their recent window.
///
/// Source: ovos-memory-plugins, the base of its retrieval memories; deliberate differences are listed in
/// docs/memory.md.
struct RetrievalSettings {
  enum class QueryMode : std::uint8_t {
    utterance,  ///< what is said now
    history,    ///< the last questions as well
  };

  std::size_t max_num_results = 5;
  std::optional<double> min_score;
  QueryMode query_mode = QueryMode::utterance;
  std::size_t query_history_turns = 3;
  RecallScope scope = RecallScope::session;
  RecallMode mode = RecallMode::lexical;
  RecallRendering rendering;
  std::size_t max_history = 10;  ///< rows; 0: no limit of its own
  std::string system_prompt;

  [[nodiscard]] static RetrievalSettings read(SettingsReader reader);
  /// The search for a context whose history part is this one, made of the newest `rows` of the window's exchanges after
  /// `upto`.
  [[nodiscard]] RecallAsk ask(const Window& window, Number upto, std::size_t rows,
                              const std::vector<ContextMessage>& history, const ContextQuery& query) const;
};

/// A memory that recalls by itself: recalled exchanges and a window.
class RetrievalMemory : public Memory {
 public:
  explicit RetrievalMemory(RetrievalSettings settings) : settings_(std::move(settings)) {}
  [[nodiscard]] std::size_t wanted_messages() const override { return window_messages() + 2; }
  [[nodiscard]] std::size_t window_messages() const override;
  [[nodiscard]] Wants wants(const Window& window, const ContextQuery& query) const override;
  [[nodiscard]] RecallScope recall_scope() const override { return settings_.scope; }
  [[nodiscard]] ContextParts build_conversation_context(const Window& window, const Recollection& recollection,
                                                        const ContextQuery& query) const override;

 private:
  RetrievalSettings settings_;
};

}  // namespace persona
