#pragma once
#include <cstddef>
#include <cstdint>

#include "persona/store/index_tables.hpp"
#include "persona/store/sqlite.hpp"

namespace persona {

/// The threads that are not in the index yet: those of a store from before there was one, and all of them where terms
/// were made by other rules.
///
/// Invariant: a thread is indexed as a whole, so that its turns get their places in the order in which they came.
/// Errors: false, the store failed; the transaction has to be rolled back. Threading: that of its connection.
class IndexBacklog {
 public:
  /// Both outlive it.
  IndexBacklog(SqliteConnection& connection, IndexTables& index);

  /// False: there is no such thread, and nothing has to be asked for.
  [[nodiscard]] bool any() const { return any_; }
  /// Indexes a thread that is about to grow, if it has to be.
  [[nodiscard]] bool catch_up(std::int64_t thread);
  /// Indexes threads until so many turns were, or none is left.
  [[nodiscard]] bool some(std::size_t turns, std::size_t& indexed);

 private:
  [[nodiscard]] bool index(std::int64_t thread, std::size_t& turns);

  IndexTables& index_;
  bool any_ = false;
  SqliteStatement waits_, next_, key_, rows_, place_, done_;
};

/// Empties an index whose terms were made by other rules than now: all threads have to be indexed anew.
[[nodiscard]] bool drop_outdated_index(SqliteConnection& connection);

}  // namespace persona
