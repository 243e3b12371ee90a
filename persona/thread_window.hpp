#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "persona/keys.hpp"
#include "persona/memory/window.hpp"
#include "persona/store/archive.hpp"

namespace persona {

/// A window on one thread that is read from the archive when somebody needs it, and followed from then on.
///
/// Rows recorded while it is being read are in it as well, rows erased meanwhile are not: the archive answers in call
/// order, so each row is either in the page or told here.
/// Threading: io thread. Lifetime: waiting callbacks are dropped with it.
class ThreadWindow {
 public:
  /// `archive` outlives it.
  ThreadWindow(Archive& archive, ThreadKey key);

  /// Calls `then` with a window that reaches back `wanted` messages, or to the start: at once when it does already,
  /// else when it was read. Errors: the archive's.
  using Then = std::function<void(StoreResult<const Window*>)>;
  void with(std::size_t wanted, Then then);
  /// Starts reading, so that it is there when it is asked for.
  void prefetch(std::size_t wanted);

  void recorded(const TurnPtr& turn);
  void erased(std::span<const Number> numbers);
  /// Rows of the thread are others now: it is read again when somebody needs it.
  void read_anew();

  [[nodiscard]] const ThreadKey& key() const { return state_->key; }
  [[nodiscard]] bool loading() const { return state_->loading; }
  [[nodiscard]] std::size_t memory() const { return state_->window.memory(); }

 private:
  struct Waiting {
    std::size_t wanted;
    Then then;
  };
  struct State {  // shared with the archive's callback through a weak_ptr only
    ThreadKey key;
    Archive* archive = nullptr;
    Window window;
    bool ready = false;
    bool loading = false;
    bool outdated = false;  // while loading: what is read is read once more
    std::size_t rows_asked = 0;
    std::size_t wanted = 0;
    std::vector<Number> erased_meanwhile;
    std::vector<Waiting> waiting;
  };
  static bool reaches(const State& state, std::size_t wanted);
  static void read(const std::shared_ptr<State>& state, std::size_t rows);
  static void was_read(const std::shared_ptr<State>& state, StoreResult<TurnPage> page);
  void follow();

  std::shared_ptr<State> state_;
};

}  // namespace persona
