#pragma once
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "persona/keys.hpp"
#include "persona/memory/recollection.hpp"
#include "persona/turn.hpp"

// What is taken over from elsewhere, and what became of it. Source: docs/bus-api.md (Record).
namespace persona {

/// A turn from elsewhere. What only this store knows of a row (`number`, `exchange`) is not said in `turn`, what the
/// record may leave out (`id`, `exchange_id`) is empty there where it did.
struct TurnRecord {
  ThreadKey thread;
  Turn turn;
};

/// A fact from elsewhere; `fact.turns` is not said, `fact.id` may be empty.
struct FactRecord {
  ThreadKey thread;
  Fact fact;
  std::vector<std::string> sources;  ///< ids of the rows it was learnt from; those that are not there do not count
};

/// The summary of a thread.
struct SummaryRecord {
  ThreadKey thread;
  std::string text;
  double created = 0;                ///< unix seconds UTC
  std::string upto;                  ///< id of the last exchange that is in it; empty: see `sources`
  std::string looked;                ///< id of the newest exchange when it was made; empty: `upto`
  std::vector<std::string> sources;  ///< ids of rows that are in it; none: all up to the time when it was made
};

using AnyRecord = std::variant<TurnRecord, FactRecord, SummaryRecord>;

/// What happens where a record meets what is there already.
enum class OnConflict : std::uint8_t { skip, replace };

/// Records to take over, all or none of them.
struct Import {
  std::vector<AnyRecord> records;
  OnConflict on_conflict = OnConflict::skip;
  std::vector<std::string> ids;  ///< one for each record, for those that bring none
  Number first = 0;              ///< number of the first record's row; the others follow
};

/// Roughly what they hold in memory, in bytes: what bounds count.
[[nodiscard]] std::size_t memory_of(const Import& records) noexcept;

/// What became of them.
struct Imported {
  std::vector<std::string> ids;  ///< one for each record: of the row that is there now
  std::size_t imported = 0;
  std::size_t skipped = 0;
  struct Rows {
    ThreadKey thread;
    std::vector<TurnPtr> turns;  ///< stored by this import; none where it only took rows away
  };
  std::vector<Rows> changed;  ///< the threads whose rows are others now
};

/// How much was imported, and when to say so.
///
/// An import is many requests: what says that it runs is a line every few seconds, and its end is that none came for a
/// while. Threading: none.
class ImportProgress {
 public:
  using Time = std::chrono::steady_clock::time_point;

  /// A request was carried out. A line for the log, when one is due.
  [[nodiscard]] std::optional<std::string> add(std::size_t imported, std::size_t skipped, Time now);
  /// The line at the end of an import, once it is over.
  [[nodiscard]] std::optional<std::string> end(Time now);
  /// When `end` has something to say, if nothing more comes.
  [[nodiscard]] std::optional<Time> due() const;

  [[nodiscard]] std::uint64_t imported() const { return imported_; }  ///< since the start
  [[nodiscard]] std::uint64_t skipped() const { return skipped_; }

 private:
  [[nodiscard]] std::string so_far(std::string_view what) const;

  std::uint64_t imported_ = 0;
  std::uint64_t skipped_ = 0;
  std::uint64_t imported_before_ = 0;  // when this one began
  std::uint64_t skipped_before_ = 0;
  std::optional<Time> began_;
  Time last_;
  Time told_;
};

}  // namespace persona
