#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "persona/memory/learning.hpp"
#include "persona/memory/memory.hpp"

namespace persona {

class SettingsReader;

inline constexpr std::string_view kEntityModule = "ovos-memory-plugin-entity";

inline constexpr std::string_view kFactsHeader = "Known facts about the user:";

/// The facts as a context shows them: the header and a line for each, as quoted data.
[[nodiscard]] std::string rendered(const std::vector<Fact>& facts, std::string_view header);

/// Durable facts about the user, learnt from each exchange by a model, behind the conversation.
///
/// Source: ovos-memory-plugins, entity; deliberate differences are listed in docs/memory.md.
class EntityMemory final : public Memory {
 public:
  struct Settings {
    ModelAddress address;
    std::size_t max_facts = 50;
    std::size_t max_extract_tokens = 128;
    std::string facts_header;
    std::string extraction_prompt;  ///< with {exchange}
    std::string system_prompt;
    [[nodiscard]] static Settings read(SettingsReader reader);
  };
  explicit EntityMemory(Settings settings);
  [[nodiscard]] std::size_t wanted_messages() const override { return 1; }
  [[nodiscard]] std::size_t window_messages() const override { return 1; }
  [[nodiscard]] Wants wants(const Window& window, const ContextQuery& query) const override;
  [[nodiscard]] ContextParts build_conversation_context(const Window& window, const Recollection& recollection,
                                                        const ContextQuery& query) const override;
  [[nodiscard]] std::vector<const Learning*> learnings() const override { return {&extraction_}; }

  /// The facts in a model's answer: the strings of every JSON array in it, without repeats and without those that have
  /// neither letter nor digit. Prose teaches nothing.
  [[nodiscard]] static std::vector<std::string> facts_in(std::string_view answer);

 private:
  class Extraction final : public Learning {
   public:
    explicit Extraction(const Settings& settings) : settings_(settings) {}
    [[nodiscard]] LearningKind kind() const override { return LearningKind::facts; }
    [[nodiscard]] std::size_t most_rows() const override { return 64; }
    [[nodiscard]] std::optional<Lesson> lesson(const Unlearned& unlearned) const override;
    void take(const std::string& answer, Learnt& into) const override;

   private:
    const Settings& settings_;
  };
  Settings settings_;
  Extraction extraction_;
};

}  // namespace persona
