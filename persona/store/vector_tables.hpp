#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "persona/recall/embedding.hpp"
#include "persona/recall/embedding_work.hpp"
#include "persona/recall/ranking.hpp"
#include "persona/store/index_tables.hpp"
#include "persona/store/sqlite.hpp"

namespace persona {

/// A turn whose meaning is near.
struct NearTurn {
  Address at;
  double cosine = 0;
};

/// Embeddings of turns, of one model at a time; a turn's is kept under the place that the index gave it.
///
/// What has to be embedded is queued by triggers: turns that come into a place, once a model is set. A turn that goes,
/// or says something else, takes its embedding with it. Another model's turn begins with `use`: what the one before
/// left is put away in slices, and nothing is found by meaning meanwhile.
/// Invariant: all vectors are of the model that is set, and of one length, or none is looked at.
/// Errors: false, the store failed; the transaction has to be rolled back. Threading: that of its connection.
class VectorTables {
 public:
  explicit VectorTables(SqliteConnection& connection);

  /// A search looks at so many vectors at most, those of the newest threads first.
  static constexpr std::size_t kMostLookedAt = 200000;

  /// The turns of a scope that are nearest to a meaning, nearest first.
  [[nodiscard]] bool nearest(std::string_view persona, const IndexTables::Scope& scope, const Embedding& meaning,
                             std::size_t most, const AllowedPlaces& allowed, std::vector<NearTurn>& found);

  /// Vectors are those of this model from now on: does a slice of what that takes.
  [[nodiscard]] bool use(std::string_view model, EmbeddingProgress& progress);
  [[nodiscard]] bool unembedded(std::size_t most, UnembeddedTurns& found);
  /// Stores what a model gave; nothing of another model than the one that is set, and nothing of a turn that says
  /// something else by now. Vectors of another length than those that are there: all are made anew.
  [[nodiscard]] bool embedded(std::string_view model, const std::vector<Embedded>& turns, EmbeddingProgress& progress);
  /// The next turns that have no embedding get theirs here and now.
  [[nodiscard]] bool embed(std::string_view model, const EmbedText& embed, std::size_t most,
                           EmbeddingProgress& progress);

 private:
  struct Thread {
    std::int64_t owner = 0;
    std::int64_t id = 0;
  };
  class Nearest;

  [[nodiscard]] bool threads_of(std::string_view persona, const IndexTables::Scope& scope,
                                std::vector<Thread>& threads);
  [[nodiscard]] bool look_at(const Thread& thread, const AllowedPlaces& allowed, Nearest& nearest);
  [[nodiscard]] bool state(std::string_view model, EmbeddingProgress& progress, bool& is_model);
  [[nodiscard]] bool begin_anew(std::string_view model);
  [[nodiscard]] bool put_away(bool& done);
  [[nodiscard]] bool queue_some(bool& done);
  [[nodiscard]] bool fits(std::size_t dimensions, bool& fits);
  [[nodiscard]] bool store(const Embedded& turn);
  [[nodiscard]] bool number_of(const char* key, std::int64_t otherwise, std::int64_t& number);

  SqliteStatement owners_threads_, personas_threads_, vectors_;
  SqliteStatement model_, number_, set_, drop_;
  SqliteStatement put_away_, lowest_, queue_, next_, turn_, put_, done_;
};

}  // namespace persona
