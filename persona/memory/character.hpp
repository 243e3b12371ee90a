#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "persona/memory/memory.hpp"
#include "persona/recall/recall.hpp"
#include "persona/turn.hpp"

// Memories that are characters of a game, which is asked step by step what they think of.
//
// Source: docs/characters.md; the memory managers of Pantella.
namespace persona {

/// Who a character is, as its persona file says.
struct CharacterProperties {
  std::string name, race, gender, base_id, ref_id;
};

/// Where memories stand in the messages of a prompt: so many messages from one end.
struct MemoryPlace {
  enum class Direction : std::uint8_t {
    topdown,   ///< 0: right after the system prompt
    bottomup,  ///< 0: after the newest message
  };
  std::size_t offset = 0;
  Direction direction = Direction::topdown;
};
[[nodiscard]] std::string_view name(MemoryPlace::Direction direction) noexcept;

/// Scores of emotions, by their names.
using Emotions = std::map<std::string, double>;

/// How a character feels what is said.
struct FeelingRules {
  double decay_min = 0.005;  ///< of every emotion, at each step, at the least
  double decay_max = 0.01;
  bool for_others = true;  ///< what others feel counts as well
};

/// What a character is looking for in what was said.
struct MemorySearch {
  RecallAsk recall;
  std::size_t before = 4;           ///< messages around what is found
  std::size_t after = 4;            ///<
  std::size_t update_interval = 1;  ///< steps
  std::vector<Number> present;      ///< rows that the asker has before it anyway
  FeelingRules feelings;
};

/// What a step needs from the archive.
struct StepAsk {
  bool summary = false;
  std::optional<MemorySearch> search;
};
struct StepFound {
  std::string summary;
  std::vector<TurnPtr> turns;  ///< oldest first
  Emotions emotions;           ///< how the character feels now
};

/// What a character has in mind: an introduction, then a summary or what was said.
struct CharacterMemories {
  std::string introduction;    ///< empty: there is nothing to introduce
  std::string summary;         ///< empty: none
  std::vector<TurnPtr> turns;  ///< oldest first
  Emotions emotions;
};

/// The side of a memory that is a character.
///
/// Immutable and shared like the memory it belongs to; steps are counted in the archive.
class Character {
 public:
  virtual ~Character() = default;
  [[nodiscard]] virtual const CharacterProperties& properties() const = 0;
  [[nodiscard]] virtual const MemoryPlace& place() const = 0;
  /// How many messages are loaded when a game begins, where nobody says how many.
  [[nodiscard]] virtual std::size_t reload_buffer() const = 0;
  /// What has to be found for the next step; `newest` are the messages that the asker sees, where it says them.
  [[nodiscard]] virtual StepAsk before_step(const Window& window, std::span<const ContextMessage> newest,
                                            Number as_of) const = 0;
  [[nodiscard]] virtual CharacterMemories memories(StepFound found) const = 0;
  /// True: what was said is summarised where a conversation reaches its limit or ends.
  [[nodiscard]] virtual bool summarises() const = 0;
};

/// What the archive keeps of a character's thread between two steps.
struct CharacterState {
  std::uint64_t steps = 0;
  std::uint64_t generator = 0;
  double remains = 1;            ///< of what was felt at the first step
  Number counted = 0;            ///< the newest row whose emotions are felt
  std::vector<Number> memories;  ///< rows
};
/// The first state: the same for the same thread, so that the same steps lead to the same feelings.
[[nodiscard]] CharacterState first_state(const ThreadKey& thread);
/// One step: it is counted, and what was felt fades.
void take_step(CharacterState& state, const FeelingRules& rules);
/// True when it is time to look for other memories.
[[nodiscard]] bool looks_for_memories(const CharacterState& state, const MemorySearch& search);
/// `emotions` of a message's `meta`, those that are numbers.
[[nodiscard]] Emotions emotions_in(std::string_view meta);
/// True for what somebody said: no system message, nothing of tools, not blank.
[[nodiscard]] bool is_said(const Turn& turn);
/// What was said of these, each once, ordered by time, without what is present.
[[nodiscard]] std::vector<TurnPtr> as_memories(std::vector<TurnPtr> turns, std::span<const Number> present);

class SettingsReader;
/// `<prefix>_depth` and `<prefix>_direction` of a module's settings.
[[nodiscard]] MemoryPlace read_place(SettingsReader& reader, std::string_view prefix);

}  // namespace persona
