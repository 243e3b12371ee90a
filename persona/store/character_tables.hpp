#pragma once
#include <span>
#include <string>
#include <vector>

#include "persona/memory/character.hpp"
#include "persona/store/archive.hpp"
#include "persona/store/sqlite.hpp"
#include "persona/store/thread_ledger.hpp"

namespace persona {

/// What is kept for threads of characters: steps, feelings, which rows are in mind, where a conversation ended, and
/// summaries that newer ones replaced.
///
/// Invariant: a feeling, and an archived summary, never outlives the rows it comes from. Errors: false, the store
/// failed; the transaction has to be rolled back. Threading: that of its connection.
class CharacterTables {
 public:
  CharacterTables(SqliteConnection& connection, ThreadLedger& ledger);

  /// Where a step is: it was taken, and what was said since the last one is felt.
  struct Step {
    std::int64_t thread = 0;  ///< 0: nothing was ever said
    CharacterState state;
  };
  [[nodiscard]] bool begin(const ThreadKey& thread, const FeelingRules& rules, Step& step);
  /// Brings what was found to mind, with what was said around it.
  [[nodiscard]] bool choose(const std::vector<Recalled>& found, const MemorySearch& search, Step& step);
  /// Keeps the state, and reads what is in mind.
  [[nodiscard]] bool finish(const ThreadKey& thread, const MemorySearch& search, const Step& step, StepFound& found);

  /// A conversation ended here, or was too long to go on.
  [[nodiscard]] bool ended(const ThreadKey& thread, Number upto);
  [[nodiscard]] bool ended_at(const ThreadKey& thread, Number& upto);
  [[nodiscard]] bool archive(const ThreadKey& thread, const Summary& summary, double now);
  [[nodiscard]] bool archived(const ThreadKey& thread, std::uint64_t& count);

  /// Rows of a thread were erased, the oldest of exchange `lowest`.
  [[nodiscard]] bool turns_erased(std::int64_t thread, std::span<const Number> numbers, Number lowest);

 private:
  [[nodiscard]] bool feel(const FeelingRules& rules, Step& step);
  [[nodiscard]] bool emotions(const Step& step, Emotions& felt);
  [[nodiscard]] bool around(std::int64_t thread, const Recalled& found, const MemorySearch& search,
                            std::vector<Number>& numbers);

  ThreadLedger& ledger_;
  SqliteStatement state_, put_state_;
  SqliteStatement newest_, felt_, feel_, faded_, rebase_, forget_feeling_, uncount_;
  SqliteStatement before_, after_, row_;
  SqliteStatement ended_, ended_at_, archive_, archived_, drop_archived_;
};

}  // namespace persona
