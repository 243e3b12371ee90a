#pragma once
#include <optional>
#include <span>
#include <string>

#include "persona/store/archive.hpp"
#include "persona/store/character_tables.hpp"
#include "persona/store/import_tables.hpp"
#include "persona/store/index_backlog.hpp"
#include "persona/store/index_tables.hpp"
#include "persona/store/notes_tables.hpp"
#include "persona/store/sqlite.hpp"
#include "persona/store/thread_ledger.hpp"
#include "persona/store/turn_search.hpp"
#include "persona/store/vector_tables.hpp"

namespace persona {

/// What the archive can do with its tables, one call at a time, on one connection.
///
/// Errors: a call that fails says so, and the transaction it was in has to be rolled back.
/// Threading: that of its connection.
class StoreTables {
 public:
  explicit StoreTables(SqliteConnection& connection);

  [[nodiscard]] bool begin();
  [[nodiscard]] bool commit();
  void rollback();

  /// What became of a write.
  enum class Written {
    yes,
    no,       ///< the store failed; the same may succeed later
    refused,  ///< this row can never be stored
  };
  [[nodiscard]] Written put(const Row& row);
  [[nodiscard]] Written put_active(const ConversationKey& where, const ActivePersona::State& state);
  [[nodiscard]] bool erase(const ThreadKey& thread, std::span<const Number> numbers);

  /// Where a row stands in its thread.
  struct Place {
    Number exchange = 0;
    Number number = 0;
  };
  /// Of the row with this id; `unknown_turn` when that thread has none.
  [[nodiscard]] StoreResult<Place> place_of(const ThreadKey& thread, const std::string& id);
  /// The newest `most` rows, of those before a place where one is given; oldest first.
  [[nodiscard]] StoreResult<std::vector<TurnPtr>> newest(const ThreadKey& thread, std::size_t most,
                                                         std::optional<Place> before);
  [[nodiscard]] StoreResult<ThreadsPage> threads(const ThreadsQuery& query);
  [[nodiscard]] StoreResult<std::optional<ActivePersona::State>> active(const ConversationKey& where);

  /// What is known beside the turns, and looking through them.
  [[nodiscard]] NotesTables& notes() { return notes_; }
  [[nodiscard]] CharacterTables& characters() { return characters_; }
  [[nodiscard]] TurnSearch& search() { return search_; }
  [[nodiscard]] IndexBacklog& backlog() { return backlog_; }
  [[nodiscard]] VectorTables& vectors() { return vectors_; }
  [[nodiscard]] ImportTables& imports() { return imports_; }
  /// Rows of exchanges after `after` and before `before` (0: all), the first `most` in window order.
  [[nodiscard]] bool rows_between(const ThreadKey& thread, Number after, Number before, std::size_t most,
                                  std::vector<TurnPtr>& found);

  [[nodiscard]] const ThreadLedger::Totals& totals() const { return ledger_.totals(); }

 private:
  /// What has to be known of a row that went.
  struct Gone {
    std::int64_t thread = 0;
    double timestamp = 0;
    std::size_t bytes = 0;  // of text
    Number exchange = 0;
    std::optional<std::uint32_t> place;
  };
  Written insert(std::int64_t thread, const Row& row, std::optional<std::uint32_t> place);
  Written replace(std::int64_t thread, const Row& row);
  [[nodiscard]] bool take_out(SqliteRun run, std::optional<Gone>& gone);
  [[nodiscard]] Written failure() const;

  SqliteConnection& connection_;
  ThreadLedger ledger_;
  SqliteStatement insert_;
  SqliteStatement take_;
  SqliteStatement erase_;
  SqliteStatement place_;
  SqliteStatement newest_;
  SqliteStatement before_;
  SqliteStatement threads_;
  SqliteStatement put_active_;
  SqliteStatement active_;
  SqliteStatement between_;
  SqliteStatement key_;
  IndexTables index_;
  IndexBacklog backlog_;
  VectorTables vectors_;
  NotesTables notes_;
  CharacterTables characters_;
  TurnSearch search_;
  ImportTables imports_;
};

}  // namespace persona
