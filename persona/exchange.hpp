#pragma once
#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "persona/ids.hpp"
#include "persona/recording.hpp"

namespace persona {

/// One exchange while it is followed: what its frames are known by, and the rows it has made.
///
/// Its entry is *provisional* until `promote`. A *withheld* exchange is followed like any other and makes no rows: an
/// answer to a prompt, our own skill's, one that was cancelled, one of a persona that keeps no memory. A *muted* one
/// keeps its rows and makes no new ones.
///
/// Invariant: a row is recorded once (a correction repeats its number), and never again once it was erased.
class Exchange {
 public:
  /// Begun by an entry. `text`, one of `heard.utterances`, becomes its row, unless it is longer than `max_bytes`.
  Exchange(EntryHeard&& heard, std::string_view text, std::size_t max_bytes, IdSource& ids);
  /// Begun by a frame with an id whose entry was never heard.
  Exchange(const DerivedFrame& first, std::string_view persona);

  // Which frames are its.
  void bind(std::string_view utterance_id);
  [[nodiscard]] bool has_id() const { return !utterance_id_.empty(); }
  [[nodiscard]] bool has_id(std::string_view utterance_id) const;
  /// Whether one of its entry's texts, or the text that matched, is this one; white space around them does not count.
  [[nodiscard]] bool is_about(std::string_view text) const;
  /// Its entry is the answer to a prompt of this skill. False when that was known.
  bool answers_prompt_of(std::string_view skill_id);
  void touch(Moment at) { last_ = at.steady; }
  void routed_to(std::string_view skill_id);
  [[nodiscard]] bool was_routed_to(std::string_view skill_id) const;

  // What it records.
  void promote(RecorderActions& out);
  void matched(std::string_view text, RecorderActions& out);
  /// `meta`: JSON object text of the row; empty: none.
  void answer(const DerivedFrame& frame, const Speech& speech, std::string_view meta, IdSource& ids,
              RecorderActions& out);
  /// Speech that makes no row answers a silent exchange all the same.
  void answer_unrecorded();
  /// Makes no rows from here on and erases those it made. False when it was withheld already.
  bool withhold(RecorderActions& out);
  /// Makes no rows from here on, and erases those with a number above `from`.
  void mute(Number from, RecorderActions& out);
  void unmute() { muted_ = false; }
  /// The user took it back: withheld. False when it was withheld already.
  bool cancel(RecorderActions& out);
  /// It closed: its rows stay correctable by erasing, its texts are no longer needed.
  void drop_texts();

  [[nodiscard]] Number number() const { return number_; }
  [[nodiscard]] bool provisional() const { return provisional_; }
  [[nodiscard]] bool withheld() const { return withheld_; }
  [[nodiscard]] bool silent() const { return withheld_ || muted_; }
  [[nodiscard]] bool cancelled() const { return cancelled_; }
  [[nodiscard]] bool answered() const { return answered_; }
  [[nodiscard]] std::chrono::steady_clock::time_point began() const { return began_; }
  [[nodiscard]] std::chrono::steady_clock::time_point last() const { return last_; }

 private:
  void record(TurnPtr turn, RecorderActions& out);

  Number number_;
  std::chrono::steady_clock::time_point began_;
  std::chrono::steady_clock::time_point last_;
  std::string persona_;
  std::string utterance_id_;         // empty: unbound
  std::string exchange_id_;          // of its first row; empty: no row yet
  TurnPtr entry_;                    // null: none, or none to record
  std::vector<std::string> texts_;   // the entry's alternatives, as far as they fit
  std::string matched_;              // the text that matched, where it differs
  std::vector<std::string> skills_;  // it was matched by or dispatched to
  std::string prompt_of_;            // the skill whose prompt its entry answers; empty: none
  std::vector<Number> rows_;         // recorded and not erased
  bool provisional_ = false;
  bool withheld_ = false;
  bool muted_ = false;
  bool cancelled_ = false;
  bool answered_ = false;
};

}  // namespace persona
