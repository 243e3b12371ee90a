#pragma once
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

#include "persona/ids.hpp"
#include "persona/moment.hpp"
#include "persona/turn.hpp"

namespace persona {

/// What an operator can set about recording.
struct RecordingRules {
  std::size_t max_turn_bytes = 256u << 10;  ///< a longer text heard on the bus is not recorded
  bool prompt_answers = false;              ///< record answers to a skill's own prompt (they may be a PIN)
  std::string own_skill = "personad.skill"; ///< exchanges dispatched to it, and what it says, are never recorded
  /// Skills that are personas: a prompt they hold is conversation.
  std::vector<std::string> persona_skills{"persona.openvoiceos"};
  std::chrono::milliseconds provisional_for{2000};
  std::chrono::seconds close_after{60};
  std::chrono::seconds id_known_for{3600};
  std::size_t max_open = 64;                ///< exchanges of a conversation; the oldest closes
};

/// An utterance entered the assistant.
struct EntryHeard {
  Number number = 0;
  Moment at;
  std::vector<std::string> utterances;  ///< transcription alternatives, as given
  std::string lang;
  std::string persona;                  ///< whose thread it belongs to: the one active when it arrived
  bool store = true;                    ///< false: that persona keeps no memory; followed, but never recorded
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

/// Turns what is heard in one conversation into rows.
///
/// A pure state machine over exchanges. An *exchange* is an entry and what answers it; frames find their exchange by
/// `utterance_id`, by order only where there is none. An entry is *provisional* (in RAM only) until it is matched,
/// dispatched, unmatched, spoken to, handled, or two seconds old; a cancelled one is never recorded.
///
/// - Binding: an entry has no id when it enters. The first unseen id on a derived frame binds to the oldest unbound
///   open entry whose alternatives contain the frame's utterance (matched, dispatched), else to the oldest unbound one.
/// - Without an id, a frame belongs to the newest open exchange that has no id.
/// - Speech with a known id joins that exchange, also after it closed. Without an id and without such an exchange it
///   stands alone (`meta.unsolicited`). With an id whose question was never heard it is an exchange without an entry.
/// - Prompt answers: an entry while a skill that is no persona holds the prompt, or that is delivered to such a skill as
///   its response, is not recorded, nor is what that skill says in reply; found out later, it is erased.
/// - Closing (handled, or `close_after` since its last frame) is a view: nothing is thrown away by it.
///
/// Invariant: at most `max_open` open exchanges and 4 * `max_open` known ids. Rows of an exchange carry its number.
/// Threading: none; frames in arrival order. Time comes in with each event and with `tick`.
/// Source: OVOS-PIPELINE-1 (utterance lifecycle), OVOS-CONVERSE-1 section 5 (response mode), ovos-workshop get_response.
class TurnRecorder {
 public:
  /// `rules` and `ids` outlive the recorder; both are shared by all conversations.
  TurnRecorder(const RecordingRules& rules, IdSource& ids, RecorderCounts& counts);

  void entry(EntryHeard heard, RecorderActions& out);
  /// `ovos.intent.matched`: `utterance` is the text that matched; where it differs from the stored one it goes into
  /// `meta.matched`.
  void matched(const DerivedFrame& frame, std::string_view skill_id, std::string_view utterance, RecorderActions& out);
  /// `<skill_id>:<intent>`; `intent` "response" delivers an answer to that skill's prompt.
  void dispatched(const DerivedFrame& frame, std::string_view skill_id, std::string_view intent,
                  std::string_view utterance, RecorderActions& out);
  /// The legacy delivery, `<skill_id>.converse.get_response`.
  void prompt_answered(const DerivedFrame& frame, std::string_view skill_id, RecorderActions& out);
  void unmatched(const DerivedFrame& frame, RecorderActions& out);
  void spoke(const DerivedFrame& frame, const Speech& speech, RecorderActions& out);
  void handled(const DerivedFrame& frame, RecorderActions& out);
  void cancelled(const DerivedFrame& frame, RecorderActions& out);

  /// A skill holds the next utterance until `expires` (or until released); replaces an earlier holder.
  void prompt_held(std::string_view skill_id, std::optional<std::chrono::system_clock::time_point> expires);
  /// Nobody holds it (any more); with a skill, only when that one did.
  void prompt_released(std::string_view skill_id = {});

  /// The connection to the bus was lost or came back: provisional entries are recorded, exchanges with an answer close.
  void gap(Moment at, RecorderActions& out);
  /// Time passes: records what was provisional for long enough, closes what was silent.
  void tick(Moment now, RecorderActions& out);
  /// When `tick` has something to do next, if ever.
  [[nodiscard]] std::optional<std::chrono::steady_clock::time_point> deadline() const;

  /// The open exchange that a context request is about: the one with this id, else the newest open one whose entry (or
  /// matched text) equals `utterance` when both are trimmed.
  [[nodiscard]] std::optional<Number> exchange_of(std::string_view utterance_id, std::string_view utterance) const;
  /// The number of the entry whose exchange has this id.
  [[nodiscard]] std::optional<Number> exchange_with_id(std::string_view utterance_id) const;
  [[nodiscard]] std::size_t open_exchanges() const;
  /// True when dropping this recorder loses nothing but the memory of closed exchanges' ids.
  [[nodiscard]] bool idle() const;

 private:
  struct Exchange;  // private state; the implementing file may replace this part of the class as it needs
};

}  // namespace persona
