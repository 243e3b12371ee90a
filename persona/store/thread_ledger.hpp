#pragma once
#include <cstdint>
#include <limits>
#include <list>
#include <optional>
#include <unordered_map>

#include "persona/keys.hpp"
#include "persona/store/sqlite.hpp"
#include "persona/turn.hpp"

namespace persona {

/// Which threads there are, under which ids, and how much each holds.
///
/// Changes of a transaction are gathered and written once a thread, by `write`, before it commits or before the
/// counters are read. A thread whose last row is erased disappears. Invariant: after `write`, `threads` and the totals
/// say what `turns` holds. Threading: that of its connection.
class ThreadLedger {
 public:
  explicit ThreadLedger(SqliteConnection& connection);

  enum class Found { yes, no, failed };
  struct Lookup {
    Found found = Found::failed;
    std::int64_t id = 0;
  };
  [[nodiscard]] Lookup find(const ThreadKey& key);
  /// Finds it, or adds it with no rows yet.
  [[nodiscard]] Lookup find_or_add(const ThreadKey& key, double timestamp);

  void added(std::int64_t thread, std::uint64_t bytes, double timestamp);
  void removed(std::int64_t thread, std::uint64_t bytes, double timestamp);
  /// A row replaced by one of the same time.
  void resized(std::int64_t thread, std::uint64_t from, std::uint64_t to);

  /// Something beside rows left it: it disappears if that was the last.
  void left(std::int64_t thread);

  /// A number that no other row may ever get.
  void given_out(Number number);

  [[nodiscard]] bool write();
  void committed();
  void rolled_back();

  struct Totals {
    std::int64_t threads = 0;
    std::int64_t turns = 0;
    std::int64_t newest = 0;  ///< the highest number given out, be its row erased or not
    friend bool operator==(const Totals&, const Totals&) = default;
  };
  /// As of the last commit.
  [[nodiscard]] const Totals& totals() const { return committed_; }

 private:
  static constexpr double kNever = std::numeric_limits<double>::infinity();
  struct Change {
    std::int64_t turns = 0;
    std::int64_t bytes = 0;
    double first = kNever;  // of rows added
    double last = -kNever;
    double first_removed = kNever;
    double last_removed = -kNever;
  };
  bool write(std::int64_t thread, const Change& change);
  bool drop_if_empty(std::int64_t thread);
  void remember(const ThreadKey& key, std::int64_t id);
  void forget_ids();

  SqliteStatement find_;
  SqliteStatement add_;
  SqliteStatement grow_;
  SqliteStatement shrink_;
  SqliteStatement drop_;
  SqliteStatement write_total_;
  std::unordered_map<std::int64_t, Change> changes_;
  Totals committed_;
  Totals now_;
  Totals written_;

  // The newest used, in front.
  std::list<std::pair<ThreadKey, std::int64_t>> ids_;
  std::unordered_map<ThreadKey, decltype(ids_)::iterator> by_key_;
};

}  // namespace persona
