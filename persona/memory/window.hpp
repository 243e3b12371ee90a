#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include "persona/turn.hpp"

namespace persona {

/// The newest rows of one thread, in window order: by exchange, each answer right after its question.
///
/// Invariant: sorted by (exchange, number), numbers unique. Rows are shared, never copied. Threading: none.
class Window {
 public:
  /// Adds a row at its place; one with the same number is replaced.
  void insert(TurnPtr turn);
  void erase(std::span<const Number> numbers);
  /// True when it reaches the thread's first row, so that nothing older exists.
  [[nodiscard]] bool from_the_start() const { return from_the_start_; }
  void set_from_the_start(bool reaches) { from_the_start_ = reaches; }

  [[nodiscard]] std::span<const TurnPtr> turns() const { return turns_; }
  /// Drops whole exchanges from the old end until at most `most` rows stay. Never splits an exchange: the newest one
  /// stays even where it alone has more rows (but for `most` 0, which drops all).
  void keep_newest(std::size_t most);
  [[nodiscard]] std::size_t memory() const { return memory_; }

 private:
  bool remove(Number number);

  std::vector<TurnPtr> turns_;
  std::size_t memory_ = 0;
  Number highest_ = 0;  // no row here has a higher number: what is above it can not be a replacement
  bool from_the_start_ = false;
};

}  // namespace persona
