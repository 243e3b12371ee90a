#pragma once
#include <array>
#include <cstdint>
#include <optional>

#include "persona/heard.hpp"
#include "persona/recording.hpp"

namespace persona {

/// Which skill waits for the user's next utterance, as far as frames tell.
///
/// A prompt is known from three places, each of which clears only what it set: the session's own field (a full session
/// without it says nobody holds it), the legacy state map, and the legacy events. One without a time limit (the legacy
/// two have none) gets one: a skill that died while it waited must not keep everything from being recorded. A persona
/// that waits as well hides nobody.
/// Threading: none. Source: OVOS-CONVERSE-1 section 5, ovos-workshop get_response.
class HeldPrompts {
 public:
  struct Held {
    std::optional<HeldPrompt> prompt;  ///< of a skill that asks in private
    bool delivered = false;            ///< this frame gave a prompt its answer
  };
  [[nodiscard]] Held follow(const Heard& heard, const RecordingRules& rules);

 private:
  enum Source : std::uint8_t { kFromSession, kFromEvent, kFromStates, kSources };
  void follow_session(const Heard& heard);
  void follow_states(const Heard& heard, const RecordingRules& rules);

  std::array<std::optional<HeldPrompt>, kSources> prompts_;
};

}  // namespace persona
