#pragma once
#include <string>
#include <string_view>

#include "persona/memory/memory.hpp"

namespace persona {

class SettingsReader;

inline constexpr std::string_view kShortTermModule = "ovos-agents-short-term-memory-plugin";

/// Of a context's history, whatever a file asks for.
inline constexpr std::size_t kMostHistory = 10000;

/// The newest messages of a thread: the memory of a persona file that names none.
///
/// Rows become messages one by one: a user message after a user message replaces it (that one got no answer), an answer
/// after an answer is merged into it with a newline. Of these the newest `max_history` count.
/// Source: ovos-persona's short-term memory; deliberate differences are listed in docs/memory.md.
class ShortTermMemory final : public Memory {
 public:
  struct Settings {
    std::size_t max_history = 5;  ///< messages; one exchange is two; 0: no limit of its own (10000 is everyone's)
    std::string system_prompt;
    [[nodiscard]] static Settings read(SettingsReader reader);
  };
  explicit ShortTermMemory(Settings settings);
  [[nodiscard]] std::size_t wanted_messages() const override { return settings_.max_history + 2; }
  [[nodiscard]] std::size_t window_messages() const override { return settings_.max_history; }
  [[nodiscard]] ContextParts build_conversation_context(const Window& window, const Recollection& recollection,
                                                        const ContextQuery& query) const override;

 private:
  Settings settings_;
};

}  // namespace persona
