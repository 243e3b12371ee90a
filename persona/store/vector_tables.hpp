#pragma once
#include <cstddef>
#include <string_view>
#include <vector>

#include "persona/recall/embedding.hpp"
#include "persona/recall/ranking.hpp"
#include "persona/store/index_tables.hpp"
#include "persona/store/sqlite.hpp"

namespace persona {

/// A turn whose meaning is near.
struct NearTurn {
  Address at;
  double cosine = 0;
};

/// Embeddings of turns, of one model at a time.
///
/// Errors: false, the store failed; the transaction has to be rolled back. Threading: that of its connection.
class VectorTables {
 public:
  explicit VectorTables(SqliteConnection& connection);

  /// The turns of a scope that are nearest to a meaning, nearest first.
  [[nodiscard]] bool nearest(std::string_view persona, const IndexTables::Scope& scope, const Embedding& meaning,
                             std::size_t most, const AllowedPlaces& allowed, std::vector<NearTurn>& found);
};

}  // namespace persona
