#pragma once
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "persona/moment.hpp"
#include "persona/turn.hpp"

namespace persona {

// What goes into a TurnRecorder and what comes out of it.

/// What an operator can set about recording.
struct RecordingRules {
  std::size_t max_turn_bytes = 256u << 10;   ///< a longer text heard on the bus is not recorded
  bool prompt_answers = false;               ///< record answers to a skill's own prompt (they may be a PIN)
  std::string own_skill = "personad.skill";  ///< exchanges dispatched to it, and what it says, are never recorded
  /// Skills that are personas: a prompt they hold is conversation.
  std::vector<std::string> persona_skills{"persona.openvoiceos"};
  std::chrono::milliseconds provisional_for{2000};
  std::chrono::seconds close_after{60};
  std::chrono::seconds id_known_for{3600};
  std::size_t max_open = 64;  ///< exchanges of a conversation; the oldest closes

  /// Whether an answer to a prompt of this skill is not to be recorded.
  [[nodiscard]] bool prompts_in_private(std::string_view skill_id) const {
    return !prompt_answers && std::find(persona_skills.begin(), persona_skills.end(), skill_id) == persona_skills.end();
  }
};

/// An utterance entered the assistant.
struct EntryHeard {
  Number number = 0;
  Moment at;
  std::vector<std::string> utterances;  ///< transcription alternatives, as given
  std::string lang;
  std::string persona;  ///< whose thread it belongs to: the one active when it arrived
  bool store = true;    ///< false: that persona keeps no memory; followed, but never recorded
};

/// What a frame derived from an utterance has in common with the others of its life.
struct DerivedFrame {
  Number number = 0;
  Moment at;
  std::string_view utterance_id;  ///< empty on old stacks
};

/// An answer, as spoken.
struct Speech {
  std::string_view text;
  std::string_view lang;
  std::string_view skill_id;  ///< who speaks, where the frame says so; empty otherwise
  std::string_view persona;   ///< whose thread unsolicited speech belongs to
  bool store = true;          ///< see EntryHeard
};

/// A row to record in a persona's thread, or to record anew (same number): a correction.
struct Record {
  std::string persona;
  TurnPtr turn;
  bool anew = false;  ///< it was recorded before
};
/// Rows that must not exist: erased as by a forget.
struct Erase {
  std::string persona;
  std::vector<Number> numbers;
};
using RecorderAction = std::variant<Record, Erase>;
using RecorderActions = std::vector<RecorderAction>;

/// Why something heard was not recorded; counted for the operator.
struct RecorderCounts {
  std::uint64_t empty_entries = 0, too_large = 0, prompt_answers = 0, own_skill = 0, cancelled = 0, unsolicited = 0;
};

}  // namespace persona
