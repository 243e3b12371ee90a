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
#include "persona/memory/learning.hpp"
#include "persona/moment.hpp"
#include "persona/personas.hpp"
#include "persona/store/archive.hpp"

namespace persona {

/// What an operator should know about learning.
struct LearnerStatus {
  std::size_t waiting = 0;  ///< threads
  std::size_t asking = 0;   ///< of these, those that are being dealt with
  std::uint64_t learnt = 0;
  std::uint64_t failed = 0;    ///< attempts; each is tried again
  std::uint64_t dropped = 0;   ///< what was said was forgotten meanwhile
  std::uint64_t given_up = 0;  ///< answers were of no use again and again
  std::string trouble;         ///< why the last attempt failed; empty: it did not
};

/// Learns behind the conversations: takes a thread that has something to learn, asks the model what the persona's
/// memory wants to know, and stores the answer together with how far it got, so that no row is ever learnt from twice.
///
/// One question at a time for each thread. A model that does not answer is asked again, after longer and longer times;
/// jobs are rows of the archive, so a restart goes on with them. A turn never waits for any of it.
/// Threading: io thread. Invariant: at most `kMostThreads` threads wait in RAM and `kMostAtOnce` are dealt with; other
/// jobs stay in the archive until there is room.
class Learner {
 public:
  using Clock = std::function<Moment()>;
  /// `on_due` is called when `tick` is due at this time, or earlier than was said before.
  Learner(Archive& archive, const Personas& personas, LanguageModels& models, Clock clock,
          std::function<void(std::chrono::steady_clock::time_point)> on_due);
  ~Learner();
  Learner(const Learner&) = delete;
  Learner& operator=(const Learner&) = delete;

  /// There is something to learn from a thread's exchanges before `before` (0: from all).
  void learn(const ThreadKey& thread, Number before);
  /// Goes on with the jobs of the archive.
  void resume();
  void tick();
  void stop() { stopped_ = true; }
  [[nodiscard]] const LearnerStatus& status();

  static constexpr std::size_t kMostThreads = 1000;
  static constexpr std::size_t kMostAtOnce = 4;

 private:
  using Time = std::chrono::steady_clock::time_point;

  /// A thread with something to learn.
  struct Pupil {
    ThreadKey thread;
    Number before = 0;
    bool busy = false;
    bool again = false;    // something more was said while it was busy
    bool resumed = false;  // it is here for a job of the archive
    std::uint32_t attempts = 0;
    std::uint32_t useless = 0;  // answers in a row
    std::optional<Time> due;    // not before
  };
  using PupilPtr = std::shared_ptr<Pupil>;

  /// One look at what a thread has to learn. The memory is kept alive: what it learns is part of it.
  struct Class {
    PupilPtr pupil;
    std::shared_ptr<const Memory> memory;
    std::size_t lesson = 0;  // which of the memory's learnings
    Number before = 0;       // as it was when the rows were read
    [[nodiscard]] const Learning* learning() const;
  };
  using ClassPtr = std::shared_ptr<Class>;

  void add(const ThreadKey& thread, Number before, std::uint32_t attempts, std::optional<Time> due);
  void start_what_is_due();
  void next_lesson(const ClassPtr& session);
  void give_lesson(const ClassPtr& session, const Unlearned& unlearned);
  void answered(const ClassPtr& session, Learnt learnt, ModelResult<std::string> answer);
  void store(const ClassPtr& session, Learnt learnt);
  void postpone(const ClassPtr& session, const ModelError& error);
  void finished(const ClassPtr& session);
  void drop_jobs_nobody_learns(const ClassPtr& session);
  void free_place(Pupil& pupil);
  void schedule();

  Archive& archive_;
  const Personas& personas_;
  LanguageModels& models_;
  Clock clock_;
  std::function<void(Time)> on_due_;
  std::unordered_map<ThreadKey, PupilPtr> pupils_;
  std::shared_ptr<Learner*> self_;  // callbacks find out through it whether this is still there
  std::size_t busy_ = 0;
  bool starting_ = false;
  bool more_jobs_ = false;  // in the archive than were taken
  bool reading_jobs_ = false;
  bool stopped_ = false;
  LearnerStatus status_;
};

}  // namespace persona
