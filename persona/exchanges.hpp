#pragma once
#include <chrono>
#include <cstddef>
#include <list>
#include <string_view>

#include "persona/exchange.hpp"

namespace persona {

/// The exchanges of one conversation that frames may still belong to: the open ones, and closed ones with an id.
///
/// Invariant: open ones are in the order they began. Open and closed ones together are at most four times `max_open`,
/// the longest closed being forgotten first; that there are at most `max_open` open ones is the caller's to keep.
/// Lifetime: a pointer or reference holds until its exchange is closed without an id, or forgotten.
class Exchanges {
 public:
  [[nodiscard]] std::list<Exchange>& open() { return open_; }
  [[nodiscard]] const std::list<Exchange>& open() const { return open_; }

  /// The one with this id, open or closed.
  [[nodiscard]] const Exchange* with_id(std::string_view utterance_id) const;
  [[nodiscard]] Exchange* with_id(std::string_view utterance_id);
  /// The entry that an unseen id belongs to: the oldest unbound one that is about `text`, else the oldest unbound one.
  [[nodiscard]] Exchange* to_bind(std::string_view text);
  /// The one that a frame without an id belongs to: the newest without an id that is about `text`, else the newest.
  [[nodiscard]] Exchange* newest_without_id(std::string_view text);
  /// The one whose end a frame without an id reports; unlike others, this frame comes for a cancelled one too.
  [[nodiscard]] Exchange* newest_to_end();

  Exchange& add(Exchange exchange, std::size_t max_open);
  /// Closes an open exchange; one without an id is gone with it. Closing a closed one does nothing.
  void close(Exchange& exchange, std::size_t max_open, std::chrono::seconds id_known_for);
  /// Forgets closed ones that were silent for `id_known_for`.
  void forget_known(std::chrono::steady_clock::time_point now, std::chrono::seconds id_known_for);

 private:
  void forget_too_many(std::size_t max_open);

  std::list<Exchange> open_;
  std::list<Exchange> known_;                            // closed ones, in the order they closed
  std::chrono::steady_clock::time_point forget_next_{};  // not later than the first of known_ is to be forgotten
};

}  // namespace persona
