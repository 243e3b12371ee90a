#pragma once
#include <vector>

#include "persona/recall/recall.hpp"
#include "persona/store/sqlite.hpp"

namespace persona {

/// Recall by looking at what there is: the answered exchanges of a scope, ranked by the words they share with a query.
///
/// Exact, and linear in the rows of the scope: the newest 10,000 rows, and 16 MiB of text, are looked at.
/// Errors: false, the store failed. Threading: that of its connection.
class TurnSearch {
 public:
  explicit TurnSearch(SqliteConnection& connection);
  [[nodiscard]] bool find(const ThreadKey& from, const RecallAsk& ask, std::vector<Recalled>& found);

 private:
  SqliteStatement session_, owner_, persona_;
};

}  // namespace persona
