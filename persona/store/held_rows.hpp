#pragma once
#include <deque>
#include <optional>
#include <span>
#include <vector>

#include "persona/store/operation.hpp"
#include "persona/store/store_tables.hpp"

namespace persona {

/// What was heard and could not be stored yet, in the order it was heard. Reads look here too.
///
/// Threading: none; guarded by its owner.
class HeldRows {
 public:
  void add(HeardWrite heard);
  /// All of it, in order; none stays.
  [[nodiscard]] std::vector<HeardWrite> take_all();
  /// False when there is none.
  bool drop_oldest();
  void erase(const ThreadKey& thread, std::span<const Number> numbers);

  [[nodiscard]] bool empty() const { return held_.empty(); }
  [[nodiscard]] const Load& load() const { return load_; }

  [[nodiscard]] std::optional<StoreTables::Place> place_of(const ThreadKey& thread, const std::string& id) const;
  /// Adds a thread's rows (those before a place, where one is given) to stored ones, in window order; a held row
  /// replaces the stored one of its number.
  void add_to(std::vector<TurnPtr>& stored, const ThreadKey& thread, std::optional<StoreTables::Place> before) const;
  [[nodiscard]] std::optional<ActivePersona::State> active(const ConversationKey& where) const;

 private:
  std::deque<HeardWrite> held_;
  Load load_;
};

}  // namespace persona
