#include "persona/store/sqlite_worker.hpp"

#include <pthread.h>
#include <sqlite3.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "persona/store/page_cleaner.hpp"

namespace persona {
namespace {

using namespace std::chrono_literals;

constexpr auto kWaitForReaders = 250ms;    // of the log, before it can be cleared
constexpr auto kWaitWhileFailing = 250ms;  // for a lock that was not given last time either

bool is_heard(const Operation& operation) {
  return std::holds_alternative<HeardWrite>(operation);
}

bool wants_flush(const std::vector<Operation>& operations) {
  return std::any_of(operations.begin(), operations.end(),
                     [](const Operation& operation) { return std::holds_alternative<Flush>(operation); });
}

}  // namespace

SqliteArchive::Worker::Worker(SqliteSettings settings, Post post, StoreFile file)
    : settings_(std::move(settings)),
      post_(std::move(post)),
      file_(std::move(file)),
      log_(file_.path.string()),
      tables_(std::in_place, *file_.connection),
      queue_(Load{settings_.max_waiting_rows, settings_.max_waiting_bytes}),
      retry_at_(Clock::now()) {
  // A log that outlived its process may hold what that process had erased.
  log_holds_erased_ = log_bytes(file_.path) > 0;
  reader_.emplace(*tables_, queue_);
  thread_ = std::thread([this] { run(); });
  ::pthread_setname_np(thread_.native_handle(), "store");
}

SqliteArchive::Worker::~Worker() {
  close();
}

void SqliteArchive::Worker::close() {
  if (!thread_.joinable()) return;
  queue_.stop();
  thread_.join();
  reader_.reset();
  tables_.reset();
  file_.connection.reset();
}

void SqliteArchive::Worker::run() {
  for (bool last = false; !last;) {
    OperationQueue::Batch batch = queue_.take(next_wake());
    last = batch.last;
    if (last || Clock::now() >= retry_at_ || wants_flush(batch.operations)) put_held_first(batch);
    execute(batch.operations, any_held());
    clear_log(batch.operations);
    post_answers(std::move(batch.operations));
    queue_.finished();
    log_.lost(queue_.dropped() + refused_);
  }
  const auto lost = queue_.with_held([](const HeldRows& held) { return held.load().rows; });
  if (lost > 0) log_.lost_at_close(lost);
}

void SqliteArchive::Worker::put_held_first(OperationQueue::Batch& batch) {
  std::vector<HeardWrite> held = queue_.take_held();
  std::vector<Operation> operations;
  operations.reserve(held.size() + batch.operations.size());
  std::move(held.begin(), held.end(), std::back_inserter(operations));
  std::move(batch.operations.begin(), batch.operations.end(), std::back_inserter(operations));
  batch.operations = std::move(operations);
}

bool SqliteArchive::Worker::any_held() {
  return queue_.with_held([](const HeldRows& held) { return !held.empty(); });
}

void SqliteArchive::Worker::execute(std::vector<Operation>& operations, bool heard_waits) {
  bool locked = false;
  if (!heard_waits && as_one_transaction(operations, locked)) return;
  one_by_one(operations, heard_waits, locked);
}

bool SqliteArchive::Worker::begin() {
  const auto wait =
      log_.trouble().empty() ? settings_.wait_for_lock : std::min<Wait>(settings_.wait_for_lock, kWaitWhileFailing);
  sqlite3_busy_timeout(file_.connection->handle(), static_cast<int>(wait.count()));
  return tables_->begin();
}

bool SqliteArchive::Worker::as_one_transaction(std::vector<Operation>& operations, bool& locked) {
  const bool any = std::any_of(operations.begin(), operations.end(), writes);
  if (any && !begin()) {
    locked = true;
    not_committed();
    return false;
  }
  bool done = true;
  for (auto operation = operations.begin(); done && operation != operations.end(); ++operation) {
    done = writes(*operation) ? write(*operation) == Written::yes : read(*operation);
  }
  if (!any) return done;
  if (done && tables_->commit()) {
    committed();
    return true;
  }
  not_committed();
  tables_->rollback();
  return false;
}

// After a failure, and while heard rows wait: each operation by itself, so that one does not fail for another.
void SqliteArchive::Worker::one_by_one(std::vector<Operation>& operations, bool heard_waits, bool locked) {
  for (Operation& operation : operations) {
    if (!writes(operation)) {
      read(operation);
      continue;
    }
    if (auto* erase = std::get_if<EraseRows>(&operation)) {
      queue_.with_held([&](HeldRows& held) { held.erase(erase->thread, erase->numbers); });
    }
    if (is_heard(operation) && heard_waits) {
      hold(operation);
      continue;
    }
    const Written written = locked ? Written::no : in_its_own_transaction(operation, locked);
    if (written != Written::yes) fail(operation, written);
    if (written == Written::no && is_heard(operation)) heard_waits = true;
  }
}

SqliteArchive::Worker::Written SqliteArchive::Worker::in_its_own_transaction(Operation& operation, bool& locked) {
  if (!begin()) {
    locked = true;
    not_committed();
    return Written::no;
  }
  Written written = write(operation);
  if (written == Written::yes && tables_->commit()) {
    committed();
    return Written::yes;
  }
  if (written == Written::yes) written = Written::no;
  not_committed();
  tables_->rollback();
  return written;
}

SqliteArchive::Worker::Written SqliteArchive::Worker::write(Operation& operation) {
  if (auto* heard = std::get_if<HeardWrite>(&operation)) {
    if (const auto* row = std::get_if<Row>(heard)) return tables_->put(*row);
    const auto& change = std::get<ActiveChange>(*heard);
    return tables_->put_active(change.where, change.state);
  }
  if (auto* append = std::get_if<AppendRows>(&operation)) {
    for (const Row& row : append->rows) {
      if (const Written written = tables_->put(row); written != Written::yes) return written;
    }
    append->result = StoreResult<void>();
    return Written::yes;
  }
  if (auto* work = std::get_if<TableWork>(&operation)) {
    if (!work->run(*tables_)) return Written::no;
    work->result = StoreResult<void>();
    return Written::yes;
  }
  auto& erase = std::get<EraseRows>(operation);
  if (!tables_->erase(erase.thread, erase.numbers)) return Written::no;
  erase.result = StoreResult<void>();
  erased_ = true;
  return Written::yes;
}

void SqliteArchive::Worker::fail(Operation& operation, Written why) {
  if (auto* append = std::get_if<AppendRows>(&operation)) append->result = make_error_code(StoreError::unavailable);
  if (auto* erase = std::get_if<EraseRows>(&operation)) erase->result = make_error_code(StoreError::unavailable);
  if (auto* work = std::get_if<TableWork>(&operation)) work->result = make_error_code(StoreError::unavailable);
  if (!is_heard(operation)) return;
  if (why == Written::no) {
    hold(operation);
  } else {
    ++refused_;
  }
}

void SqliteArchive::Worker::hold(Operation& operation) {
  queue_.hold(std::get<HeardWrite>(operation));
  if (retry_at_ <= Clock::now()) retry_at_ = Clock::now() + settings_.retry_after;
}

bool SqliteArchive::Worker::read(Operation& operation) {
  if (auto* wanted = std::get_if<ReadStatus>(&operation)) wanted->result = status();
  if (reader_->read(operation)) return true;
  log_.failed(file_.connection->error());
  return false;
}

StoreStatus SqliteArchive::Worker::status() {
  StoreStatus status;
  status.ok = log_.trouble().empty();
  status.detail = status.ok ? file_.path.string() : file_.path.string() + ": " + log_.trouble();
  status.threads = static_cast<std::uint64_t>(std::max<std::int64_t>(0, tables_->totals().threads));
  status.turns = static_cast<std::uint64_t>(std::max<std::int64_t>(0, tables_->totals().turns));
  status.waiting = queue_.waiting_rows();
  status.commits = commits_;
  status.failed_commits = failed_commits_;
  status.dropped = queue_.dropped() + refused_;
  status.file_bytes = bytes_on_disk(file_.path);
  return status;
}

// What was erased is in the log still, and in pages that this connection remembers.
void SqliteArchive::Worker::clear_log(std::vector<Operation>& operations) {
  if (erased_) {
    log_holds_erased_ = !truncate_log(kWaitForReaders);
  } else if (log_holds_erased_ && Clock::now() >= retry_at_) {
    log_holds_erased_ = !truncate_log(0ms);
  } else {
    return;
  }
  if (!log_holds_erased_) {
    erased_ = false;
    return;
  }
  if (retry_at_ <= Clock::now()) retry_at_ = Clock::now() + settings_.retry_after;
  if (std::exchange(erased_, false)) log_.erased_text_stays();
  for (Operation& operation : operations) {
    if (auto* erase = std::get_if<EraseRows>(&operation)) erase->result = make_error_code(StoreError::unavailable);
  }
}

bool SqliteArchive::Worker::truncate_log(Wait wait) {
  sqlite3* handle = file_.connection->handle();
  sqlite3_busy_timeout(handle, static_cast<int>(wait.count()));
  const int cleared = sqlite3_wal_checkpoint_v2(handle, "main", SQLITE_CHECKPOINT_TRUNCATE, nullptr, nullptr);
  sqlite3_busy_timeout(handle, static_cast<int>(settings_.wait_for_lock.count()));
  if (cleared != SQLITE_OK) return false;
  drop_cached_pages(*file_.connection);
  return true;
}

void SqliteArchive::Worker::post_answers(std::vector<Operation> operations) {
  if (std::none_of(operations.begin(), operations.end(), is_answered)) return;
  auto finished = std::make_shared<std::vector<Operation>>(std::move(operations));
  post_([finished] {
    for (Operation& operation : *finished) answer(operation);
  });
}

void SqliteArchive::Worker::committed() {
  ++commits_;
  log_.works();
}

void SqliteArchive::Worker::not_committed() {
  ++failed_commits_;
  log_.failed(file_.connection->error());
}

std::optional<OperationQueue::Clock::time_point> SqliteArchive::Worker::next_wake() {
  if (!any_held() && !log_holds_erased_) return std::nullopt;
  return retry_at_;
}

}  // namespace persona
