#pragma once
#include <span>
#include <string>
#include <vector>

#include "persona/store/archive.hpp"
#include "persona/store/sqlite.hpp"
#include "persona/store/thread_ledger.hpp"

namespace persona {

/// What is known of threads beside their turns (facts, a summary), how far they were learnt from, and what is still to
/// be learnt.
///
/// Invariant: a summary, and a fact that was learnt, never outlives the rows it was made of. Errors: false, the store
/// failed; the transaction has to be rolled back. Threading: that of its connection.
class NotesTables {
 public:
  NotesTables(SqliteConnection& connection, ThreadLedger& ledger);

  [[nodiscard]] bool remember(const ThreadKey& thread, const Fact& fact, Remembered& remembered);
  /// The newest `most`, oldest first.
  [[nodiscard]] bool facts(const ThreadKey& thread, std::size_t most, std::vector<Fact>& found);
  [[nodiscard]] bool summary(const ThreadKey& thread, Summary& found);
  [[nodiscard]] bool progress(const ThreadKey& thread, LearningKind kind, Progress& found);

  [[nodiscard]] bool learn_later(const ThreadKey& thread, LearningKinds kinds);
  [[nodiscard]] bool learn_later(std::int64_t thread, LearningKinds kinds);
  /// How often it was said that there is something to learn, since the job began.
  [[nodiscard]] bool marks(const ThreadKey& thread, LearningKind kind, std::uint64_t& found);
  [[nodiscard]] bool jobs(std::size_t most, std::vector<LearningJob>& found);
  [[nodiscard]] bool job_done(const LearningJob& job);
  [[nodiscard]] bool job_postponed(const LearningJob& job);
  /// `stored` becomes false where the rows are gone, or were learnt from already.
  [[nodiscard]] bool learnt(const ThreadKey& thread, const Learnt& learnt, double now, bool& stored);

  /// Rows of a thread were erased, the oldest of exchange `lowest`: what was made of them goes too, and a summary is to
  /// be made anew from the rest.
  [[nodiscard]] bool turns_erased(std::int64_t thread, std::span<const Number> numbers, Number lowest);

 private:
  struct Known {
    std::int64_t number = 0;  // 0: none
    std::string id, fact, source;
  };
  [[nodiscard]] bool alike(std::int64_t thread, std::string_view fact, const std::string& key, Known& known);
  [[nodiscard]] bool add_fact(std::int64_t thread, const Fact& fact, Remembered& remembered);
  [[nodiscard]] bool all_there(std::int64_t thread, std::span<const Number> numbers, bool& all);
  [[nodiscard]] bool progress(std::int64_t thread, LearningKind kind, Progress& found);
  [[nodiscard]] bool drop_fact_without_turns(std::int64_t number);

  ThreadLedger& ledger_;
  SqliteStatement alike_, add_fact_, ask_fact_, add_source_, facts_, facts_of_turn_, drop_source_, drop_fact_,
      cap_facts_;
  SqliteStatement summary_, put_summary_, drop_summary_;
  SqliteStatement progress_, put_progress_, drop_progress_;
  SqliteStatement add_job_, marks_, jobs_, drop_job_, postpone_job_;
  SqliteStatement turn_;
};

}  // namespace persona
