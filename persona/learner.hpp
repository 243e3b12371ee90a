#pragma once
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>

#include "persona/keys.hpp"
#include "persona/memory/language_model.hpp"
#include "persona/moment.hpp"
#include "persona/personas.hpp"
#include "persona/store/archive.hpp"

namespace persona {

/// What an operator should know about learning.
struct LearnerStatus {
  std::size_t waiting = 0;  ///< threads
  std::size_t asking = 0;   ///< models
  std::uint64_t learnt = 0;
  std::uint64_t failed = 0;   ///< attempts; each is tried again
  std::uint64_t dropped = 0;  ///< what was said was forgotten meanwhile
  std::uint64_t given_up = 0;
  std::string trouble;  ///< why the last attempt failed; empty: it did not
};

/// Learns behind the conversations: takes a thread that has something to learn, asks the model what the persona's
/// memory wants to know, and stores the answer together with how far it got, so that no row is ever learnt from twice.
///
/// One question at a time for each thread. A model that does not answer is asked again, after longer and longer times;
/// jobs are rows of the archive, so a restart goes on with them. A turn never waits for any of it.
/// Threading: io thread. Invariant: at most `kMostThreads` threads wait in RAM and `kMostAsking` models are asked;
/// other jobs stay in the archive until there is room.
class Learner {
 public:
  /// `on_due` is called when `tick` is due at this time, or earlier than was said before.
  Learner(Archive& archive, const Personas& personas, LanguageModels& models,
          std::function<void(std::chrono::steady_clock::time_point)> on_due);
  ~Learner();
  Learner(const Learner&) = delete;
  Learner& operator=(const Learner&) = delete;

  /// There is something to learn from a thread's exchanges before `before` (0: from all).
  void learn(const ThreadKey& thread, Number before, Moment now);
  /// Goes on with the jobs of the archive.
  void resume(Moment now);
  void tick(Moment now);
  void stop() { stopped_ = true; }
  [[nodiscard]] const LearnerStatus& status();

  static constexpr std::size_t kMostThreads = 1000;
  static constexpr std::size_t kMostAsking = 4;

 private:
  using Time = std::chrono::steady_clock::time_point;
  struct Pupil {
    ThreadKey thread;
    Number before = 0;
    bool busy = false;
    bool again = false;      // something more was said while it was busy
    std::size_t lesson = 0;  // which of the memory's learnings
    std::uint32_t attempts = 0;
    std::optional<Time> due;  // not before
    std::shared_ptr<const Memory> memory;
  };
  using PupilPtr = std::shared_ptr<Pupil>;

  void start_what_is_due(Moment now);
  void next_lesson(const PupilPtr& pupil);
  void give_lesson(const PupilPtr& pupil, const Learning& learning, const Unlearned& unlearned);
  void answered(const PupilPtr& pupil, const Learning& learning, Learnt learnt, ModelResult<std::string> answer);
  void store(const PupilPtr& pupil, Learnt learnt);
  void postpone(const PupilPtr& pupil, LearningKind kind, const ModelError& error);
  void done(const PupilPtr& pupil, LearningKind kind, std::uint64_t marks);
  void graduate(const PupilPtr& pupil);
  void schedule();

  Archive& archive_;
  const Personas& personas_;
  LanguageModels& models_;
  std::function<void(Time)> on_due_;
  std::unordered_map<ThreadKey, PupilPtr> pupils_;
  std::shared_ptr<Learner*> self_;  // callbacks find out through it whether this is still there
  std::size_t busy_ = 0;
  bool more_jobs_ = false;  // in the archive than were taken
  bool stopped_ = false;
  LearnerStatus status_;
};

}  // namespace persona
