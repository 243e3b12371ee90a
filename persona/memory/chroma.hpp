#pragma once
#include <string>
#include <string_view>

#include "persona/memory/character.hpp"
#include "persona/memory/memory.hpp"

namespace persona {

class SettingsReader;

inline constexpr std::string_view kChromaModule = "chromadb_memory";

/// A character that thinks of what was said earlier and is nearest to what is said now, with what was said around it.
///
/// Source: Pantella's memory manager of that name; deliberate differences are listed in docs/characters.md.
class ChromaMemory final : public Memory, public Character {
 public:
  struct Settings {
    std::size_t query_size = 5;        ///< messages
    std::size_t logical_memories = 5;  ///< found at most
    std::size_t messages_before = 4, messages_after = 4;
    std::size_t update_interval = 1;  ///< steps
    std::size_t reload_buffer = 20;   ///< messages
    RecallScope scope = RecallScope::session;
    MemoryPlace place;
    FeelingRules feelings;
    std::string system_prompt;
    [[nodiscard]] static Settings read(SettingsReader reader);
  };
  ChromaMemory(Settings settings, CharacterProperties properties);

  [[nodiscard]] std::size_t wanted_messages() const override;
  [[nodiscard]] std::size_t window_messages() const override { return settings_.reload_buffer; }
  [[nodiscard]] Wants wants(const Window& window, const ContextQuery& query) const override;
  [[nodiscard]] ContextParts build_conversation_context(const Window& window, const Recollection& recollection,
                                                        const ContextQuery& query) const override;
  [[nodiscard]] const Character* character() const override { return this; }

  [[nodiscard]] const CharacterProperties& properties() const override { return properties_; }
  [[nodiscard]] const MemoryPlace& place() const override { return settings_.place; }
  [[nodiscard]] std::size_t reload_buffer() const override { return settings_.reload_buffer; }
  [[nodiscard]] StepAsk before_step(const Window& window, std::span<const ContextMessage> newest,
                                    Number as_of) const override;
  [[nodiscard]] CharacterMemories memories(StepFound found) const override;
  [[nodiscard]] bool summarises() const override { return false; }

 private:
  [[nodiscard]] std::string introduction() const;
  Settings settings_;
  CharacterProperties properties_;
};

}  // namespace persona
