#pragma once
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <vector>

#include "persona/store/held_rows.hpp"
#include "persona/store/operation.hpp"

namespace persona {

/// What waits between the caller and the worker, and what waits for the store to work again; bounded.
///
/// Threading: `push`, `push_heard` and `stop` from the caller, the rest from the worker.
class OperationQueue {
 public:
  using Clock = std::chrono::steady_clock;

  explicit OperationQueue(Load most) : most_(most) {}

  /// A call that would make too much wait is put there as a refusal; reads and the like never do.
  void push(Operation operation);
  /// Where too much waits, the oldest that was heard goes instead (not what is being written right now).
  void push_heard(HeardWrite heard);
  void stop();

  struct Batch {
    std::vector<Operation> operations;
    bool last = false;
  };
  /// All that waits, in order. Blocks until there is something, `until` comes, or `stop` was called.
  [[nodiscard]] Batch take(std::optional<Clock::time_point> until);
  /// Takes what is held too, to be tried again.
  [[nodiscard]] std::vector<HeardWrite> take_held();
  /// Back, or here at all: what was taken and could not be stored.
  void hold(HeardWrite heard);
  /// All that was taken and is not held has been dealt with.
  void finished();

  /// Works on what is held, for as long as the call lasts.
  template <class Function>
  auto with_held(Function function) {
    const std::lock_guard lock(mutex_);
    return function(held_);
  }

  /// Rows that wait, without those being written right now.
  [[nodiscard]] std::size_t waiting_rows();
  /// Heard and lost because too much waited.
  [[nodiscard]] std::uint64_t dropped();

 private:
  [[nodiscard]] Load waiting() const;
  [[nodiscard]] bool exceeds(const Load& load) const;
  bool drop_oldest_heard();

  const Load most_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<Operation> queue_;
  Load queued_;
  Load taken_;
  HeldRows held_;
  std::uint64_t dropped_ = 0;
  bool stopping_ = false;
};

}  // namespace persona
