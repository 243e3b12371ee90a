#pragma once
#include <string>
#include <string_view>

#include "persona/memory/learning.hpp"
#include "persona/memory/memory.hpp"

namespace persona {

class SettingsReader;

inline constexpr std::string_view kLongtermModule = "ovos-memory-plugin-longterm";

/// A rolling summary of what was said earlier, and what was said since, verbatim.
///
/// Every `summarize_every` answers, the rows before the `recent_window` newest exchanges become part of the summary; a
/// model writes it, behind the conversation. While it does not, everything said since stays in the window (to a bound).
/// Source: ovos-memory-plugins, longterm; deliberate differences are listed in docs/memory.md.
class LongtermMemory final : public Memory {
 public:
  struct Settings {
    ModelAddress address;
    std::size_t summarize_every = 6;  ///< exchanges
    std::size_t max_summary_tokens = 256;
    std::size_t recent_window = 4;  ///< exchanges
    std::string system_prompt;
    [[nodiscard]] static Settings read(SettingsReader reader);
  };
  explicit LongtermMemory(Settings settings);
  [[nodiscard]] std::size_t wanted_messages() const override { return window_messages() + 2; }
  [[nodiscard]] std::size_t window_messages() const override;
  [[nodiscard]] Wants wants(const Window& window, const ContextQuery& query) const override;
  [[nodiscard]] ContextParts build_conversation_context(const Window& window, const Recollection& recollection,
                                                        const ContextQuery& query) const override;
  [[nodiscard]] std::vector<const Learning*> learnings() const override { return {&summarising_}; }

 private:
  class Summarising final : public Learning {
   public:
    explicit Summarising(const Settings& settings) : settings_(settings) {}
    [[nodiscard]] LearningKind kind() const override { return LearningKind::summary; }
    [[nodiscard]] std::size_t most_rows() const override;
    [[nodiscard]] std::optional<Lesson> lesson(const Unlearned& unlearned) const override;
    void take(const std::string& answer, Learnt& into) const override;

   private:
    const Settings& settings_;
  };
  Settings settings_;
  Summarising summarising_;
};

}  // namespace persona
