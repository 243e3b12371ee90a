#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "persona/recall/ranking.hpp"
#include "persona/recall/recall.hpp"
#include "persona/recall/shaping.hpp"
#include "persona/store/index_tables.hpp"
#include "persona/store/sqlite.hpp"
#include "persona/store/thread_ledger.hpp"
#include "persona/store/vector_tables.hpp"

namespace persona {

/// Looks for turns, and for the exchanges they belong to: the index gives candidates, which are read, shaped and
/// ordered.
///
/// Errors: false, the store failed. Threading: that of its connection.
class TurnSearch {
 public:
  /// All outlive it.
  TurnSearch(SqliteConnection& connection, ThreadLedger& ledger, IndexTables& index, VectorTables& vectors);

  void set_shaping(const ShapingSettings& shaping) { shaping_ = shaping; }
  /// Best first, at most `ask.most`.
  [[nodiscard]] bool turns(const ThreadKey& from, const RecallAsk& ask, std::vector<Hit>& found);
  /// The answered exchanges of the best turns, best first.
  [[nodiscard]] bool exchanges(const ThreadKey& from, const RecallAsk& ask, std::vector<Recalled>& found);

  /// Says the query without the words that are names of speakers: their turns are what the speaker's rule looks for,
  /// and in a meaning they only drown the rest.
  [[nodiscard]] bool take_names(const ThreadKey& from, RecallAsk& ask);

 private:
  [[nodiscard]] bool find(const ThreadKey& from, const RecallAsk& ask, std::size_t most, std::vector<Hit>& found);
  [[nodiscard]] bool look(const ThreadKey& from, const RecallAsk& ask, std::size_t most, std::vector<Hit>& found);
  [[nodiscard]] bool gather(const ThreadKey& from, const IndexTables::Scope& scope, const RecallAsk& ask,
                            std::size_t most, Ranking& ranking, std::vector<Candidate>& candidates);
  [[nodiscard]] AllowedPlaces allowed_places(const RecallAsk& ask, bool& failed);
  [[nodiscard]] bool read(const ThreadKey& from, const RecallAsk& ask, Candidate& candidate);
  [[nodiscard]] bool key_of(std::int64_t thread, ThreadKey& key);
  [[nodiscard]] bool read_exchange(std::int64_t thread, Number exchange, const RecallAsk& ask, Recalled& recalled);

  SqliteConnection& connection_;
  ThreadLedger& ledger_;
  IndexTables& index_;
  VectorTables& vectors_;
  ShapingSettings shaping_;
  SqliteStatement at_place_, key_, between_, exchange_;
};

}  // namespace persona
