#pragma once
#include <doctest/doctest.h>
#include <sqlite3.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <deque>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "persona/store/sqlite_archive.hpp"

// A store in a folder of its own, asked and waited for by a test.
namespace persona::testing {

using namespace std::chrono_literals;

class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "store-XXXXXX").string();
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] std::filesystem::path store() const { return path_ / "data"; }
  [[nodiscard]] std::filesystem::path file() const { return store() / "memory.db"; }

 private:
  std::filesystem::path path_;
};

/// What the worker posts, run by the test.
class Tasks {
 public:
  void post(std::function<void()> task) {
    {
      const std::lock_guard lock(mutex_);
      tasks_.push_back(std::move(task));
    }
    wake_.notify_one();
  }
  /// Runs tasks until something is true; a test that waits for too long has failed.
  void run_until(const std::function<bool()>& done) {
    const auto limit = std::chrono::steady_clock::now() + 20s;
    while (!done()) {
      std::unique_lock lock(mutex_);
      REQUIRE(wake_.wait_until(lock, limit, [this] { return !tasks_.empty(); }));
      const auto task = std::move(tasks_.front());
      tasks_.pop_front();
      lock.unlock();
      task();
    }
  }
  [[nodiscard]] std::size_t size() {
    const std::lock_guard lock(mutex_);
    return tasks_.size();
  }

 private:
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::function<void()>> tasks_;
};

class Store {
 public:
  explicit Store(const TemporaryFolder& folder) : Store(settings_in(folder)) {}
  explicit Store(const SqliteSettings& settings) {
    auto opened = SqliteArchive::open(settings, [this](std::function<void()> task) { tasks_.post(std::move(task)); });
    if (!opened) FAIL(opened.error());
    archive_ = std::move(*opened);
  }
  static SqliteSettings settings_in(const TemporaryFolder& folder) {
    SqliteSettings settings;
    settings.folder = folder.store();
    settings.wait_for_lock = 20ms;
    settings.retry_after = 20ms;
    return settings;
  }

  SqliteArchive& archive() { return *archive_; }
  Tasks& tasks() { return tasks_; }

  StoreResult<void> append(std::vector<Row> rows) {
    return wait<void>([&](Archive::Done<void> done) { archive_->append(std::move(rows), std::move(done)); });
  }
  StoreResult<void> erase(const ThreadKey& thread, std::vector<Number> numbers) {
    return wait<void>([&](Archive::Done<void> done) { archive_->erase(thread, std::move(numbers), std::move(done)); });
  }
  StoreResult<TurnPage> read(const ThreadKey& thread, std::size_t limit, std::optional<std::string> before = {}) {
    return wait<TurnPage>(
        [&](Archive::Done<TurnPage> done) { archive_->read(thread, limit, std::move(before), std::move(done)); });
  }
  StoreResult<ThreadsPage> threads(ThreadsQuery query = {}) {
    return wait<ThreadsPage>(
        [&](Archive::Done<ThreadsPage> done) { archive_->threads(std::move(query), std::move(done)); });
  }
  StoreResult<std::optional<ActivePersona::State>> active(const ConversationKey& where) {
    using State = std::optional<ActivePersona::State>;
    return wait<State>([&](Archive::Done<State> done) { archive_->read_active(where, std::move(done)); });
  }
  StoreStatus status() {
    auto result = wait<StoreStatus>([&](Archive::Done<StoreStatus> done) { archive_->status(std::move(done)); });
    REQUIRE(result.has_value());
    return *result;
  }
  void flush() {
    bool flushed = false;
    archive_->flush([&] { flushed = true; });
    tasks_.run_until([&] { return flushed; });
  }

 private:
  template <class T>
  StoreResult<T> wait(const std::function<void(Archive::Done<T>)>& call) {
    std::optional<StoreResult<T>> result;
    call([&](StoreResult<T> got) { result = std::move(got); });
    tasks_.run_until([&] { return result.has_value(); });
    return *result;
  }

  Tasks tasks_;
  std::unique_ptr<SqliteArchive> archive_;
};

inline const ThreadKey kThread{{"local", "kitchen"}, "Ada"};

inline TurnPtr turn(Number number, std::string content, Number exchange = 0, Role role = Role::user) {
  Turn made;
  made.id = "turn-" + std::to_string(number);
  made.number = number;
  made.exchange = exchange == 0 ? number : exchange;
  made.exchange_id = "turn-" + std::to_string(made.exchange);
  made.timestamp = 1700000000 + static_cast<double>(number);
  made.role = role;
  made.content = std::move(content);
  return std::make_shared<const Turn>(std::move(made));
}

inline Row row(Number number, std::string content, const ThreadKey& thread = kThread) {
  return {thread, turn(number, std::move(content))};
}

inline std::string numbers(const StoreResult<TurnPage>& page) {
  REQUIRE(page.has_value());
  std::string text;
  for (const TurnPtr& found : page->turns) text += (text.empty() ? "" : " ") + std::to_string(found->number);
  return text;
}

/// All bytes of all files of a folder.
inline std::string bytes_in(const std::filesystem::path& folder) {
  std::string bytes;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    std::ifstream file(entry.path(), std::ios::binary);
    bytes.append(std::istreambuf_iterator<char>(file), {});
  }
  return bytes;
}

/// Another process's view of the file.
class OtherConnection {
 public:
  explicit OtherConnection(const std::filesystem::path& file) {
    REQUIRE(sqlite3_open(file.c_str(), &handle_) == SQLITE_OK);
    sqlite3_busy_timeout(handle_, 5000);
  }
  ~OtherConnection() { sqlite3_close(handle_); }
  OtherConnection(const OtherConnection&) = delete;
  OtherConnection& operator=(const OtherConnection&) = delete;
  void execute(const char* sql) {
    REQUIRE_MESSAGE(sqlite3_exec(handle_, sql, nullptr, nullptr, nullptr) == SQLITE_OK, sqlite3_errmsg(handle_));
  }
  [[nodiscard]] std::string text(const char* sql) {
    sqlite3_stmt* statement = nullptr;
    REQUIRE(sqlite3_prepare_v2(handle_, sql, -1, &statement, nullptr) == SQLITE_OK);
    std::string first;
    if (sqlite3_step(statement) == SQLITE_ROW && sqlite3_column_text(statement, 0) != nullptr) {
      first = reinterpret_cast<const char*>(sqlite3_column_text(statement, 0));
    }
    sqlite3_finalize(statement);
    return first;
  }
  [[nodiscard]] sqlite3* handle() { return handle_; }

 private:
  sqlite3* handle_ = nullptr;
};

}  // namespace persona::testing
