#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "persona/memory/memory.hpp"

namespace persona {

class SettingsReader;

inline constexpr std::string_view kRecencyModule = "ovos-memory-plugin-recency";

/// The newest rows that count, at most `most` of them (0: `kMostHistory`) and none older than `oldest` (unix seconds),
/// as messages: the history of the ovos-memory-plugins family, whose limits count rows.
[[nodiscard]] std::vector<ContextMessage> newest_rows(const Window& window, const ContextQuery& query, std::size_t most,
                                                      std::optional<double> oldest = std::nullopt);

/// The newest rows of a thread, bounded by count and by age.
///
/// Source: ovos-memory-plugins, recency; deliberate differences are listed in docs/memory.md.
class RecencyMemory final : public Memory {
 public:
  struct Settings {
    std::size_t max_history = 10;   ///< rows; 0: no limit of its own
    std::optional<double> max_age;  ///< seconds
    std::string system_prompt;
    [[nodiscard]] static Settings read(SettingsReader reader);
  };
  explicit RecencyMemory(Settings settings) : settings_(std::move(settings)) {}
  [[nodiscard]] std::size_t wanted_messages() const override { return window_messages() + 2; }
  [[nodiscard]] std::size_t window_messages() const override;
  [[nodiscard]] ContextParts build_conversation_context(const Window& window, const Recollection& recollection,
                                                        const ContextQuery& query) const override;

 private:
  Settings settings_;
};

}  // namespace persona
