#pragma once
#include <chrono>
#include <optional>
#include <string>
#include <thread>

#include "persona/store/operation_queue.hpp"
#include "persona/store/sqlite_archive.hpp"
#include "persona/store/store_file.hpp"
#include "persona/store/store_log.hpp"
#include "persona/store/store_reader.hpp"
#include "persona/store/store_tables.hpp"

namespace persona {

/// The thread that owns the database: takes what waits, makes one transaction of it, and calls back.
///
/// Invariant: callbacks of a batch are posted together, after its commit, in call order.
/// Threading: the constructor, `queue`'s push side and `close` on the caller's thread; all else on its own.
class SqliteArchive::Worker {
 public:
  Worker(SqliteSettings settings, Post post, StoreFile file);
  ~Worker();

  OperationQueue& queue() { return queue_; }
  /// Deals with all that waits, then stops and closes the file.
  void close();

 private:
  using Clock = OperationQueue::Clock;
  using Wait = std::chrono::milliseconds;
  using Written = StoreTables::Written;

  void run();
  void put_held_first(OperationQueue::Batch& batch);
  [[nodiscard]] bool begin();
  void execute(std::vector<Operation>& operations, bool heard_waits);
  [[nodiscard]] bool as_one_transaction(std::vector<Operation>& operations, bool& locked);
  void one_by_one(std::vector<Operation>& operations, bool heard_waits, bool locked);
  Written in_its_own_transaction(Operation& operation, bool& locked);

  Written write(Operation& operation);
  void fail(Operation& operation, Written why);
  /// False: the store failed.
  bool read(Operation& operation);
  StoreStatus status();

  void hold(Operation& operation);
  void clear_log(std::vector<Operation>& operations);
  bool truncate_log(Wait wait);
  void post_answers(std::vector<Operation> operations);

  void committed();
  void not_committed();
  [[nodiscard]] bool any_held();
  [[nodiscard]] std::optional<Clock::time_point> next_wake();

  const SqliteSettings settings_;
  const Post post_;
  StoreFile file_;
  StoreLog log_;
  std::optional<StoreTables> tables_;
  OperationQueue queue_;
  std::optional<StoreReader> reader_;

  bool erased_ = false;  // something was, since the log was last cleared
  bool log_holds_erased_ = false;
  Clock::time_point retry_at_;
  std::uint64_t commits_ = 0;
  std::uint64_t failed_commits_ = 0;
  std::uint64_t refused_ = 0;  // heard rows that can never be stored

  std::thread thread_;  // last: it uses all of the above
};

}  // namespace persona
