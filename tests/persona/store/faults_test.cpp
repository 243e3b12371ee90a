#include <doctest/doctest.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <csignal>
#include <cstring>

#include "tests/persona/store/store.hpp"

namespace persona {
namespace {

using namespace std::chrono_literals;
using testing::kThread;
using testing::numbers;
using testing::OtherConnection;
using testing::row;
using testing::Store;
using testing::TemporaryFolder;
using testing::turn;

// No file may grow beyond this, for as long as this lives: what a full disk is to a writer.
class FullDisk {
 public:
  explicit FullDisk(const std::filesystem::path& log) {
    before_handler_ = std::signal(SIGXFSZ, SIG_IGN);
    REQUIRE(::getrlimit(RLIMIT_FSIZE, &before_) == 0);
    rlimit now = before_;
    now.rlim_cur = std::filesystem::file_size(log);
    REQUIRE(::setrlimit(RLIMIT_FSIZE, &now) == 0);
  }
  ~FullDisk() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, before_handler_);
  }
  FullDisk(const FullDisk&) = delete;
  FullDisk& operator=(const FullDisk&) = delete;

 private:
  rlimit before_{};
  void (*before_handler_)(int) = nullptr;
};

TEST_CASE("on a full disk an append fails at once, what was heard waits, is read, and is stored when there is room") {
  const TemporaryFolder folder;
  Store store(folder);
  REQUIRE(store.append({row(1, "before")}));
  {
    const FullDisk full(folder.file().string() + "-wal");
    CHECK(store.append({row(2, std::string(9000, 'x'))}).error() == make_error_code(StoreError::unavailable));
    store.archive().keep(row(3, "heard"));
    store.archive().keep(row(4, "heard too"));
    store.archive().keep_active(kThread.where, {"Ada", ActivePersona::Source::event, false, 1});
    store.archive().keep({kThread, turn(3, "heard, corrected")});
    auto page = store.read(kThread, 10);
    CHECK(numbers(page) == "1 3 4");
    CHECK(page->turns[1]->content == "heard, corrected");
    CHECK(numbers(store.read(kThread, 1)) == "4");
    CHECK(numbers(store.read(kThread, 10, "turn-4")) == "1 3");
    CHECK(store.active(kThread.where).value()->persona == "Ada");
    CHECK(store.append({row(5, std::string(9000, 'x'))}).error() == make_error_code(StoreError::unavailable));
    const StoreStatus status = store.status();
    CHECK_FALSE(status.ok);
    CHECK(status.waiting == 4);
    CHECK(status.dropped == 0);
    CHECK(status.failed_commits > 0);
  }
  store.flush();
  const StoreStatus status = store.status();
  CHECK(status.ok);
  CHECK(status.waiting == 0);
  CHECK(status.turns == 3);
  OtherConnection other(folder.file());
  CHECK(other.text("SELECT group_concat(number || content) FROM turns") == "1before,3heard, corrected,4heard too");
  CHECK(other.text("SELECT persona FROM active_personas") == "Ada");
}

TEST_CASE("while another process holds the file, appends fail, heard rows wait and come in order, none lost or twice") {
  const TemporaryFolder folder;
  Store store(folder);
  REQUIRE(store.append({row(1, "before")}));
  OtherConnection other(folder.file());
  other.execute("BEGIN IMMEDIATE");
  std::vector<Number> acknowledged;
  std::size_t answers = 0;
  for (Number n = 2; n <= 201; ++n) {
    if (n % 4 == 0) {
      store.archive().append({row(n, "asked")}, [&, n](const StoreResult<void>& result) {
        ++answers;
        if (result) acknowledged.push_back(n);
      });
    } else {
      store.archive().keep(row(n, "heard"));
    }
  }
  store.tasks().run_until([&] { return answers == 50; });
  CHECK(acknowledged.empty());
  CHECK(store.read(kThread, 1000)->turns.size() == 151);
  other.execute("COMMIT");
  // Nobody calls: the store comes back to them by itself.
  const auto limit = std::chrono::steady_clock::now() + 20s;
  while (other.text("SELECT count(*) FROM turns") != "151") REQUIRE(std::chrono::steady_clock::now() < limit);
  CHECK(other.text("SELECT count(*) FROM turns WHERE content = 'asked'") == "0");
  CHECK(store.read(kThread, 1000)->turns.size() == 151);
  CHECK(store.status().turns == 151);
}

TEST_CASE("erasing a heard row that waits takes it out, also for when the store works again") {
  const TemporaryFolder folder;
  Store store(folder);
  OtherConnection other(folder.file());
  other.execute("BEGIN IMMEDIATE");
  store.archive().keep(row(1, "a PIN"));
  store.archive().keep(row(2, "heard"));
  store.flush();
  CHECK(store.erase(kThread, {1}).error() == make_error_code(StoreError::unavailable));
  store.archive().keep(row(3, "heard later"));
  CHECK(numbers(store.read(kThread, 5)) == "2 3");
  other.execute("COMMIT");
  store.flush();
  CHECK(numbers(store.read(kThread, 5)) == "2 3");
  CHECK(other.text("SELECT count(*) FROM turns") == "2");
}

TEST_CASE("when too much waits an append is refused as busy, and of what was heard the oldest goes") {
  const TemporaryFolder folder;
  SqliteSettings settings = Store::settings_in(folder);
  settings.max_waiting_rows = 10;
  Store store(settings);
  OtherConnection other(folder.file());
  other.execute("BEGIN IMMEDIATE");
  for (Number n = 1; n <= 10; ++n) store.archive().keep(row(n, "heard"));
  store.flush();
  CHECK(store.append({row(11, "asked")}).error() == make_error_code(StoreError::busy));
  store.archive().keep(row(12, "heard"));
  store.archive().keep(row(13, "heard"));
  store.flush();
  CHECK(store.status().dropped == 2);
  other.execute("COMMIT");
  store.flush();
  CHECK(numbers(store.read(kThread, 50)) == "3 4 5 6 7 8 9 10 12 13");
  CHECK(store.append({row(14, "asked")}).has_value());
}

TEST_CASE("an append larger than all bounds is taken when nothing else waits") {
  const TemporaryFolder folder;
  SqliteSettings settings = Store::settings_in(folder);
  settings.max_waiting_bytes = 1000;
  Store store(settings);
  CHECK(store.append({row(1, std::string(100000, 'x'))}).has_value());
}

TEST_CASE("heard rows that wait when the store is closed are tried once more") {
  const TemporaryFolder folder;
  {
    Store store(folder);
    OtherConnection other(folder.file());
    other.execute("BEGIN IMMEDIATE");
    store.archive().keep(row(1, "heard"));
    store.flush();
    other.execute("COMMIT");
    store.archive().close();
  }
  Store store(folder);
  CHECK(numbers(store.read(kThread, 5)) == "1");
}

TEST_CASE("a backup in the middle of writing gets a whole store and loses nothing for anybody") {
  const TemporaryFolder folder;
  Store store(folder);
  for (Number n = 1; n <= 200; ++n) store.archive().keep(row(n, std::string(2000, 'x')));
  store.flush();
  OtherConnection source(folder.file());
  OtherConnection target(folder.path() / "backup.db");
  sqlite3_backup* backup = sqlite3_backup_init(target.handle(), "main", source.handle(), "main");
  REQUIRE(backup != nullptr);
  Number next = 201;
  int step = SQLITE_OK;
  while (step == SQLITE_OK || step == SQLITE_BUSY) {
    step = sqlite3_backup_step(backup, next < 400 ? 3 : -1);
    if (next >= 400) continue;
    REQUIRE(store.append({row(next, "said meanwhile")}));
    ++next;
  }
  CHECK(sqlite3_backup_finish(backup) == SQLITE_OK);
  CHECK(target.text("PRAGMA integrity_check") == "ok");
  CHECK(std::stoi(target.text("SELECT count(*) FROM turns")) >= 200);
  CHECK(store.status().failed_commits == 0);
  CHECK(store.read(kThread, 1000)->turns.size() == next - 1);
}

// Appends as fast as it can and writes each acknowledged number to a pipe, until it is killed.
[[noreturn]] void append_until_killed(const SqliteSettings& settings, int pipe) {
  testing::Tasks tasks;
  auto opened = SqliteArchive::open(settings, [&](std::function<void()> task) { tasks.post(std::move(task)); });
  if (!opened) ::_exit(1);
  for (Number n = 1;; ++n) {
    bool done = false;
    (*opened)->append({row(n, "said " + std::to_string(n))}, [&](const StoreResult<void>& result) {
      done = true;
      if (!result || ::write(pipe, &n, sizeof n) != sizeof n) ::_exit(1);
    });
    tasks.run_until([&] { return done; });
  }
}

TEST_CASE("what was acknowledged is there after a kill") {
  const TemporaryFolder folder;
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) append_until_killed(Store::settings_in(folder), ends[1]);
  ::close(ends[1]);
  Number last = 0;
  Number number = 0;
  while (last < 300 && ::read(ends[0], &number, sizeof number) == sizeof number) last = number;
  REQUIRE(::kill(child, SIGKILL) == 0);
  // What it acknowledged between our last look and its end counts too.
  while (::read(ends[0], &number, sizeof number) == sizeof number) last = number;
  ::close(ends[0]);
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(WIFSIGNALED(status));
  REQUIRE(last >= 300);
  Store store(folder);
  const auto page = store.read(kThread, 1000000);
  REQUIRE(page.has_value());
  REQUIRE(page->turns.size() >= last);
  for (Number n = 1; n <= last; ++n) REQUIRE(page->turns[n - 1]->content == "said " + std::to_string(n));
  CHECK(store.archive().next_number() == page->turns.size() + 1);
  CHECK(store.status().turns == page->turns.size());
}

}  // namespace
}  // namespace persona
