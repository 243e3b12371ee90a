#pragma once
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "persona/memory/language_model.hpp"
#include "persona/memory/recollection.hpp"
#include "persona/turn.hpp"

// What a memory learns from a conversation with the help of a model.
namespace persona {

enum class LearningKind : std::uint8_t { summary, facts };

/// Some of the kinds; none by default.
class LearningKinds {
 public:
  constexpr LearningKinds() = default;
  constexpr LearningKinds(std::initializer_list<LearningKind> kinds) {
    for (const LearningKind kind : kinds) add(kind);
  }
  constexpr void add(LearningKind kind) { bits_ = static_cast<std::uint8_t>(bits_ | bit(kind)); }
  [[nodiscard]] constexpr bool has(LearningKind kind) const { return (bits_ & bit(kind)) != 0; }
  [[nodiscard]] constexpr bool empty() const { return bits_ == 0; }

 private:
  static constexpr std::uint8_t bit(LearningKind kind) {
    return static_cast<std::uint8_t>(1u << static_cast<unsigned>(kind));
  }
  std::uint8_t bits_ = 0;
};

/// What has not been learnt from yet.
struct Unlearned {
  std::string summary;  ///< so far; empty: none
  Progress progress;
  std::uint64_t marks = 0;     ///< of the job; see LearningJob
  Number asked_upto = 0;       ///< exchanges up to this one were asked to be summarised; 0: nobody asked
  std::vector<TurnPtr> turns;  ///< of exchanges after `progress.upto` that are closed, in window order
};

/// What came of it: the new summary, or new facts.
struct Learnt {
  LearningKind kind = LearningKind::summary;
  std::string summary;            ///< empty: stays as it was
  bool archives_summary = false;  ///< the summary that this one replaces is archived
  std::vector<std::string> facts;
  std::size_t most_facts = 0;  ///< the oldest learnt ones beyond so many facts go; 0: no limit
  Progress progress;
  std::optional<Progress> after;  ///< what it builds upon: stored only while that is how far the thread was learnt from
  std::vector<Number> turns;      ///< the rows that were used
};

/// Past the exchanges of what was read, as far as they are whole: for rows that teach nothing, and are as many as were
/// asked for, so that the rows behind them are seen. 0: there are not so many.
[[nodiscard]] Number end_of_full_page(const std::vector<TurnPtr>& turns, std::size_t most);

/// A text of which no more than `most` bytes are shown to a model, cut at a code point.
[[nodiscard]] std::string_view shortened(std::string_view text, std::size_t most);

/// One thing that a memory learns. Pure: what to ask a model, and what its answer means.
///
/// Errors: none; an answer that means nothing teaches nothing. What the model says is data, capped in length.
class Learning {
 public:
  virtual ~Learning() = default;
  [[nodiscard]] virtual LearningKind kind() const = 0;
  /// How many rows it wants to see at most.
  [[nodiscard]] virtual std::size_t most_rows() const = 0;

  /// False: there is something to learn only when it is asked for, not after each answer.
  [[nodiscard]] virtual bool learns_from_answers() const { return true; }

  /// A question to a model about some of the rows, and what its answer completes. Without a question: there was nothing
  /// to learn, and these rows need not be looked at again.
  struct Lesson {
    std::optional<ChatAsk> ask;
    Learnt learnt;
  };
  /// Nothing: it is not time yet.
  [[nodiscard]] virtual std::optional<Lesson> lesson(const Unlearned& unlearned) const = 0;
  /// Puts the model's answer into what is being learnt.
  virtual void take(const std::string& answer, Learnt& into) const = 0;
};

}  // namespace persona
