#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "persona/import.hpp"
#include "persona/store/import_notes.hpp"
#include "persona/store/sqlite.hpp"
#include "persona/store/thread_ledger.hpp"

namespace persona {

class StoreTables;

/// Takes records from elsewhere into the tables, one request at a time.
///
/// A turn is there already where one of its id is; without an id, where its thread has a row of the same time and role
/// that says the same. A row that is replaced keeps its number, unless it goes to another thread, or behind rows of an
/// exchange that is younger than it is: then it is a new row with the old id. Of what is replaced by other words,
/// nothing that was learnt from it stays.
///
/// Rows that come in teach nothing: facts are not looked for in them, as long as no older row waits for that.
/// Errors: false, the store failed; the transaction has to be rolled back. Threading: that of its connection.
class ImportTables {
 public:
  /// All three outlive it.
  ImportTables(SqliteConnection& connection, ThreadLedger& ledger, StoreTables& tables);

  [[nodiscard]] bool take(const Import& import, Imported& imported);

 private:
  /// A row that is there already.
  struct Known {
    Number number = 0;  // 0: none
    std::int64_t thread = 0;
    Number exchange = 0;
    std::string exchange_id;
    std::string id;
  };
  /// An exchange of a thread.
  struct Place {
    Number exchange = 0;
    std::string exchange_id;
  };
  struct Instant {
    std::int64_t thread = 0;
    double time = 0;
    friend bool operator==(const Instant&, const Instant&) = default;
  };
  struct InstantHash {
    std::size_t operator()(const Instant& instant) const noexcept {
      return std::hash<std::int64_t>()(instant.thread) * 1099511628211u ^ std::hash<double>()(instant.time);
    }
  };
  struct Said {
    std::size_t hash = 0;
    Number number = 0;
  };
  /// One request, while it is carried out.
  struct Run {
    const Import& import;
    Imported& imported;
    std::unordered_map<ThreadKey, std::size_t> changed;  // its place in `imported.changed`
    std::unordered_map<std::int64_t, Place> newest;      // the exchange of a thread's last record
    std::unordered_map<std::int64_t, Number> last;       // the last exchange of what was stored in a thread
    std::unordered_map<Instant, std::vector<Said>, InstantHash> said;  // rows of times that were looked at
  };

  [[nodiscard]] bool take_turn(Run& run, const TurnRecord& record, std::size_t at);
  [[nodiscard]] bool find_known(Run& run, const TurnRecord& record, const ThreadLedger::Lookup& thread, Known& known);
  [[nodiscard]] bool by_id(std::string_view id, Known& known);
  [[nodiscard]] bool by_words(Run& run, std::int64_t thread, const Turn& turn, Known& known);
  [[nodiscard]] bool by_number(Number number, Known& known);
  [[nodiscard]] bool says_the_same(Number number, const Turn& turn, bool& same);
  [[nodiscard]] bool rows_of(Instant instant, std::vector<Said>& rows);
  [[nodiscard]] bool place(Run& run, const ThreadLedger::Lookup& thread, const Turn& turn, Number number, Place& found);
  [[nodiscard]] bool exchange_with_id(std::int64_t thread, std::string_view id, Number& found);
  [[nodiscard]] bool exchange_at(std::int64_t thread, double time, Place& found);
  [[nodiscard]] bool store(Run& run, const TurnRecord& record, const Known& known, std::size_t at);
  [[nodiscard]] bool make_room(Run& run, const Known& known, std::int64_t thread, const Turn& turn);
  [[nodiscard]] bool take_out(Run& run, const Known& known);
  static void forget_times(Run& run, std::int64_t thread);
  [[nodiscard]] bool put(Run& run, const ThreadKey& key, std::shared_ptr<const Turn> turn);
  [[nodiscard]] bool pass_over(const Run& run);

  ThreadLedger& ledger_;
  StoreTables& tables_;
  ImportNotes notes_;
  SqliteStatement by_id_, by_number_, at_time_, words_, exchange_, nearest_, key_, pass_over_;
};

}  // namespace persona
