#pragma once
#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "persona/exchanges.hpp"
#include "persona/ids.hpp"
#include "persona/moment.hpp"
#include "persona/recording.hpp"

namespace persona {

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
/// - Prompt answers: an entry while a skill that is no persona holds the prompt, or that is delivered to such a skill
///   as its response, is not recorded, nor is what that skill says in reply; found out later, it is erased.
/// - Closing (handled, or `close_after` since its last frame) is a view: nothing is thrown away by it.
///
/// Invariant: at most `max_open` open exchanges and 4 * `max_open` known ids. Rows of an exchange carry its number.
/// Threading: none; frames in arrival order. Time comes in with each event and with `tick`.
/// Source: OVOS-PIPELINE-1 (utterance lifecycle), OVOS-CONVERSE-1 section 5 (response mode), ovos-workshop
/// get_response.
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
  /// The number of the oldest exchange that is open.
  [[nodiscard]] std::optional<Number> oldest_open() const;
  /// True when dropping this recorder loses nothing but the memory of closed exchanges' ids.
  [[nodiscard]] bool idle() const;

 private:
  /// A skill that asked something itself and gets the next utterance as the answer.
  struct Prompt {
    std::string skill;
    std::optional<std::chrono::system_clock::time_point> expires;
  };

  [[nodiscard]] bool is_own(std::string_view skill_id) const;
  [[nodiscard]] bool prompts_in_private(std::string_view skill_id) const;
  Exchange* exchange_for(const DerivedFrame& frame, std::string_view text);
  Exchange& begin(Exchange exchange, RecorderActions& out);
  void close(Exchange& exchange, RecorderActions& out);
  void routed(const DerivedFrame& frame, Exchange* exchange, std::string_view skill_id, RecorderActions& out);
  void delivered(const DerivedFrame& frame, Exchange* exchange, std::string_view skill_id, RecorderActions& out);
  void silence_reply(std::string_view skill_id, Number answer, RecorderActions& out);
  void stray_speech(const DerivedFrame& frame, const Speech& speech, RecorderActions& out);

  const RecordingRules* rules_;
  IdSource* ids_;
  RecorderCounts* counts_;
  Exchanges exchanges_;
  std::optional<Prompt> prompt_;
  Number last_ordinary_ = 0;  // number of the last entry that was no prompt's answer when it arrived
};

}  // namespace persona
