#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "persona/import.hpp"
#include "persona/store/sqlite.hpp"
#include "persona/store/thread_ledger.hpp"

namespace persona {

/// Takes facts and summaries from elsewhere into the tables.
///
/// A fact is there already where one of its id is, or where its thread knows the same (see same_fact.hpp); a summary
/// where its thread has one. Errors: false, the store failed; the transaction has to be rolled back. Threading: that of
/// its connection.
class ImportNotes {
 public:
  /// Both outlive it.
  ImportNotes(SqliteConnection& connection, ThreadLedger& ledger);

  /// `id` comes in as the one for a record without any, and goes out as that of what is there now. `taken` becomes
  /// false where the record was skipped.
  [[nodiscard]] bool take(const FactRecord& record, OnConflict on_conflict, std::string& id, bool& taken);
  [[nodiscard]] bool take(const SummaryRecord& record, OnConflict on_conflict, std::string& id, bool& taken);

 private:
  struct Known {
    std::int64_t number = 0;  // 0: none
    std::int64_t thread = 0;
    std::string id;
  };
  [[nodiscard]] bool by_id(std::string_view id, Known& known);
  [[nodiscard]] bool by_text(const ThreadKey& key, const std::string& fact, Known& known);
  [[nodiscard]] bool put(const FactRecord& record, const std::string& id, const Known& known);
  [[nodiscard]] bool drop(const Known& known);
  [[nodiscard]] bool rows_of(std::int64_t thread, const std::vector<std::string>& ids, std::vector<Number>& numbers);
  [[nodiscard]] bool exchange_of(std::int64_t thread, std::string_view id, Number& found);
  [[nodiscard]] bool progress_of(std::int64_t thread, const SummaryRecord& record, Progress& found);
  [[nodiscard]] bool id_of_summary(std::int64_t thread, std::string& id);

  ThreadLedger& ledger_;
  std::string store_;  // its id
  SqliteStatement by_id_, by_text_, add_, replace_, drop_, add_source_, drop_sources_;
  SqliteStatement row_, exchange_, upto_, summary_, put_summary_, put_progress_, store_id_;
};

}  // namespace persona
