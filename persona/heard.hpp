#pragma once
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "persona/moment.hpp"

// What is heard on a bus about one conversation, as values: the only way from the bus into this room.
namespace persona {

/// A skill that holds the user's next utterance.
struct HeldPrompt {
  std::string skill_id;
  std::optional<std::chrono::system_clock::time_point> expires;
};

/// Of the session that a frame carries, the fields that matter here.
struct SessionFacts {
  bool local_default = false;             ///< the orchestrator's own session, merged field by field
  std::optional<std::string> persona_id;  ///< present, possibly empty, or absent
  std::optional<HeldPrompt> response_mode;
  std::optional<std::vector<std::string>>
      awaiting;  ///< skills with `utterance_states` "response"; absent: no such field
};

/// One frame about one conversation.
struct Heard {
  enum class What : std::uint8_t {
    entry,            ///< `utterances`, `lang`
    matched,          ///< `skill_id`, `text` = what matched
    dispatched,       ///< `skill_id`, `intent`, `text`
    prompt_answered,  ///< `skill_id`: the legacy delivery of an answer to its prompt
    unmatched,
    spoke,  ///< `text`, `lang`, `skill_id` where known
    handled,
    cancelled,
    session_synced,
    session_updated,  ///< a full snapshot of the default session
    summoned,         ///< `text` = the persona's id
    released,
    activated,  ///< `text` = the persona's id: another service's report
    dismissed,
    prompt_enabled,   ///< `skill_id`
    prompt_disabled,  ///< `skill_id`
  };
  What what = What::entry;
  Number number = 0;
  Moment at;
  SessionFacts session;
  std::string utterance_id;  ///< empty: the frame has none
  std::string skill_id;
  std::string intent;
  std::string text;
  std::string lang;
  std::vector<std::string> utterances;
};

}  // namespace persona
