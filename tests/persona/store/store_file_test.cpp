#include "persona/store/store_file.hpp"

#include <sys/stat.h>

#include <array>

#include "tests/persona/store/store.hpp"

namespace persona {
namespace {

using testing::bytes_in;
using testing::OtherConnection;
using testing::Store;
using testing::TemporaryFolder;

std::string error_of(const TemporaryFolder& folder) {
  const auto opened = SqliteArchive::open(Store::settings_in(folder), [](std::function<void()>) {});
  REQUIRE(opened.has_error());
  return opened.error();
}

bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

mode_t mode_of(const std::filesystem::path& path) {
  struct stat status {};
  REQUIRE(::stat(path.c_str(), &status) == 0);
  return status.st_mode & 0777;
}

TEST_CASE("folder and files are for their owner alone, whatever the process's mask") {
  for (const mode_t mask : {mode_t{0}, mode_t{0777}}) {
    const TemporaryFolder folder;
    const mode_t before = ::umask(mask);
    {
      Store store(folder);
      const auto stored = store.append({testing::row(1, "x")});
      ::umask(before);
      REQUIRE(stored.has_value());
      CHECK(mode_of(folder.store()) == 0700);
      for (const char* suffix : {"", "-wal", "-shm"}) CHECK(mode_of(folder.file().string() + suffix) == 0600);
    }
  }
}

TEST_CASE("a file that others could read is closed to them when it is opened") {
  const TemporaryFolder folder;
  { Store store(folder); }
  std::filesystem::permissions(folder.file(), std::filesystem::perms(0644));
  Store store(folder);
  CHECK(mode_of(folder.file()) == 0600);
}

TEST_CASE("a file that is no database is refused in words and left as it is") {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder.store());
  std::string text(5000, 'n');
  text += "not a database";
  std::ofstream(folder.file()) << text;
  const std::string error = error_of(folder);
  CHECK(contains(error, folder.file().string()));
  CHECK(contains(error, "not a database"));
  CHECK(bytes_in(folder.store()) == text);
}

TEST_CASE("a damaged file is refused in words") {
  const TemporaryFolder folder;
  {
    Store store(folder);
    for (Number n = 1; n < 300; ++n) store.archive().keep(testing::row(n, std::string(200, 'x')));
  }
  std::filesystem::resize_file(folder.file(), 5 * 4096);
  const std::string before = bytes_in(folder.store());
  CHECK(contains(error_of(folder), folder.file().string()));
  CHECK(bytes_in(folder.store()) == before);
}

TEST_CASE("another program's database is refused and left as it is") {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder.store());
  { OtherConnection(folder.file()).execute("CREATE TABLE recipes(name)"); }
  const std::string before = bytes_in(folder.store());
  CHECK(contains(error_of(folder), "something else"));
  CHECK(bytes_in(folder.store()) == before);
}

TEST_CASE("a file of a newer version is refused, and the error says so") {
  const TemporaryFolder folder;
  { Store store(folder); }
  { OtherConnection(folder.file()).execute("PRAGMA user_version = 99"); }
  const std::string before = bytes_in(folder.store());
  const std::string error = error_of(folder);
  CHECK(contains(error, "newer version"));
  CHECK(contains(error, "99"));
  CHECK(bytes_in(folder.store()) == before);
}

TEST_CASE("an older file is brought forward step by step, and a step that fails leaves the version before it") {
  const TemporaryFolder folder;
  const SqliteSettings settings = Store::settings_in(folder);
  constexpr std::array<Migration, 1> first{"CREATE TABLE a(x); INSERT INTO a VALUES('kept')"};
  REQUIRE(open_store_file(settings, first).has_value());
  constexpr std::array<Migration, 3> third{first[0], "ALTER TABLE a ADD COLUMN y DEFAULT 'new'",
                                           "CREATE TABLE b(x); INSERT INTO nowhere VALUES(1)"};
  const auto failed = open_store_file(settings, third);
  REQUIRE(failed.has_error());
  CHECK(contains(failed.error(), "from version 2 to 3"));
  CHECK(contains(failed.error(), "nowhere"));
  {
    OtherConnection other(folder.file());
    CHECK(other.text("PRAGMA user_version") == "2");
    CHECK(other.text("SELECT x || y FROM a") == "keptnew");
    CHECK(other.text("SELECT count(*) FROM sqlite_master WHERE name = 'b'") == "0");
  }
  constexpr std::array<Migration, 3> mended{third[0], third[1], "CREATE TABLE b(x)"};
  REQUIRE(open_store_file(settings, mended).has_value());
  CHECK(OtherConnection(folder.file()).text("PRAGMA user_version") == "3");
  const auto newer = open_store_file(settings, first);
  REQUIRE(newer.has_error());
  CHECK(contains(newer.error(), "newer version"));
}

TEST_CASE("a folder that is a file, cannot be made, or is in use is refused in words") {
  const TemporaryFolder folder;
  std::ofstream(folder.store()) << "x";
  CHECK(contains(error_of(folder), "not a folder"));
  std::filesystem::remove(folder.store());
  SqliteSettings nowhere;
  nowhere.folder = "/proc/nowhere/data";
  CHECK(SqliteArchive::open(nowhere, [](std::function<void()>) {}).has_error());
  Store store(folder);
  CHECK(contains(error_of(folder), "another personad"));
}

TEST_CASE("a store in a link to another file is refused") {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder.store());
  std::filesystem::create_symlink(folder.path() / "elsewhere", folder.file());
  CHECK(contains(error_of(folder), "not a file"));
  CHECK_FALSE(std::filesystem::exists(folder.path() / "elsewhere"));
}

TEST_CASE("a store is set up once and for all as it was decided") {
  const TemporaryFolder folder;
  { Store store(folder); }
  OtherConnection other(folder.file());
  CHECK(other.text("PRAGMA journal_mode") == "wal");
  CHECK(other.text("PRAGMA auto_vacuum") == "2");
  CHECK(other.text("PRAGMA application_id") == std::to_string(kApplicationId));
  CHECK(other.text("PRAGMA user_version") == std::to_string(migrations().size()));
  CHECK(other.text("PRAGMA integrity_check") == "ok");
}

}  // namespace
}  // namespace persona
