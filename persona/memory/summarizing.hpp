#pragma once
#include <string>
#include <string_view>

#include "persona/memory/character.hpp"
#include "persona/memory/learning.hpp"
#include "persona/memory/memory.hpp"

namespace persona {

class SettingsReader;

inline constexpr std::string_view kSummarizingModule = "summarizing_memory";

/// A character that remembers conversations by summaries, which a model writes when a conversation reaches its limit or
/// ends, behind it.
///
/// Each summary is appended to the earlier ones; when they are too long, they are summarised themselves and the old
/// ones archived. Source: Pantella's memory manager of that name; deliberate differences are listed in
/// docs/characters.md.
class SummarizingMemory final : public Memory, public Character {
 public:
  struct Settings {
    ModelAddress address;
    std::size_t min_conversation_length = 5;  ///< messages: only a longer one is summarised
    double summary_limit_pct = 0.8;           ///< of the token budget, for the summaries
    std::size_t token_budget = 4096;
    std::size_t max_summary_tokens = 512;  ///< of one summary
    std::size_t reload_buffer = 20;        ///< messages
    std::string prompt;                    ///< with {self_name}, {other_name} and {language}
    std::string language;
    std::string player_name;  ///< of the other speaker, where no message says it
    MemoryPlace place;
    std::string system_prompt;
    [[nodiscard]] static Settings read(SettingsReader reader);
  };
  SummarizingMemory(Settings settings, CharacterProperties properties);

  [[nodiscard]] std::size_t wanted_messages() const override { return window_messages() + 2; }
  [[nodiscard]] std::size_t window_messages() const override { return settings_.reload_buffer; }
  [[nodiscard]] Wants wants(const Window& window, const ContextQuery& query) const override;
  [[nodiscard]] ContextParts build_conversation_context(const Window& window, const Recollection& recollection,
                                                        const ContextQuery& query) const override;
  [[nodiscard]] std::vector<const Learning*> learnings() const override { return {&summarising_}; }
  [[nodiscard]] const Character* character() const override { return this; }

  [[nodiscard]] const CharacterProperties& properties() const override { return properties_; }
  [[nodiscard]] const MemoryPlace& place() const override { return settings_.place; }
  [[nodiscard]] std::size_t reload_buffer() const override { return settings_.reload_buffer; }
  [[nodiscard]] StepAsk before_step(const Window& window, std::span<const ContextMessage> newest,
                                    Number as_of) const override;
  [[nodiscard]] CharacterMemories memories(StepFound found) const override;
  [[nodiscard]] bool summarises() const override { return true; }

 private:
  class Summarising final : public Learning {
   public:
    explicit Summarising(const SummarizingMemory& memory) : memory_(memory) {}
    [[nodiscard]] LearningKind kind() const override { return LearningKind::summary; }
    [[nodiscard]] std::size_t most_rows() const override;
    [[nodiscard]] bool learns_from_answers() const override { return false; }
    [[nodiscard]] std::optional<Lesson> lesson(const Unlearned& unlearned) const override;
    void take(const std::string& answer, Learnt& into) const override;

   private:
    [[nodiscard]] Lesson of_summaries(const Unlearned& unlearned) const;
    [[nodiscard]] Lesson of_turns(const Unlearned& unlearned) const;
    const SummarizingMemory& memory_;
  };
  [[nodiscard]] std::string self_name() const;
  [[nodiscard]] std::string introduction() const;
  [[nodiscard]] ChatAsk ask(std::string_view other_name, std::string_view about) const;
  [[nodiscard]] bool too_long(std::string_view summaries) const;

  Settings settings_;
  CharacterProperties properties_;
  Summarising summarising_;
};

}  // namespace persona
