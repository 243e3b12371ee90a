#include "persona/store/store_file.hpp"

#include <fcntl.h>
#include <sqlite3.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <optional>
#include <system_error>
#include <utility>

#include "persona/store/page_cleaner.hpp"

namespace persona {
namespace {

using Opened = boost::system::result<StoreFile, std::string>;
using Flaw = std::optional<std::string>;

Opened failed(std::string what) {
  return {boost::system::in_place_error, std::move(what)};
}

std::string about(const std::filesystem::path& path, std::string_view what) {
  return path.string().append(": ").append(what);
}

std::string system_error(const std::filesystem::path& path, std::string_view what) {
  return about(path, std::string(what) + ": " + std::generic_category().message(errno));
}

Flaw prepare_folder(const std::filesystem::path& folder) {
  std::error_code error;
  if (folder.has_parent_path()) std::filesystem::create_directories(folder.parent_path(), error);
  // The mode is set once more since the process's mask may take bits away.
  if (::mkdir(folder.c_str(), 0700) == 0) {
    if (::chmod(folder.c_str(), 0700) != 0) return system_error(folder, "its mode cannot be set");
  } else if (errno != EEXIST) {
    return system_error(folder, "the folder cannot be made");
  }
  struct stat status {};
  if (::stat(folder.c_str(), &status) != 0) return system_error(folder, "cannot be looked at");
  if (!S_ISDIR(status.st_mode)) return about(folder, "is not a folder");
  if (status.st_uid != ::geteuid()) return about(folder, "the folder belongs to somebody else");
  if (::access(folder.c_str(), R_OK | W_OK | X_OK) != 0) return system_error(folder, "the folder cannot be written");
  return std::nullopt;
}

// Locks the folder itself, so that no file is needed for it; a file system that knows no locks is taken as it is.
Flaw lock_folder(const std::filesystem::path& folder, FolderLock& lock) {
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return system_error(folder, "cannot be opened");
  lock = FolderLock(descriptor);
  if (::flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    return about(folder, "another personad keeps its memory here");
  }
  return std::nullopt;
}

// SQLite gives its log and its shared memory the mode of the file. An existing file is not opened here: closing it
// again would drop the locks that this process has on it.
Flaw prepare_file(const std::filesystem::path& path) {
  const int descriptor = ::open(path.c_str(), O_CREAT | O_EXCL | O_RDWR | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (descriptor >= 0) {
    const bool set = ::fchmod(descriptor, 0600) == 0;
    ::close(descriptor);
    return set ? Flaw() : system_error(path, "its mode cannot be set");
  }
  if (errno != EEXIST) return system_error(path, "cannot be made");
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0) return system_error(path, "cannot be looked at");
  if (!S_ISREG(status.st_mode)) return about(path, "is not a file");
  if (status.st_uid != ::geteuid()) return about(path, "belongs to somebody else");
  for (const char* suffix : {"", "-wal", "-shm"}) {
    const std::string part = path.string() + suffix;
    if (::chmod(part.c_str(), 0600) != 0 && errno != ENOENT) return system_error(part, "its mode cannot be set");
  }
  if (::access(path.c_str(), R_OK | W_OK) != 0) return system_error(path, "cannot be written");
  return std::nullopt;
}

Flaw recognise(SqliteConnection& connection, const std::filesystem::path& path, std::size_t newest) {
  switch (origin_of(connection, newest)) {
    case Origin::empty:
    case Origin::ours:
      return std::nullopt;
    case Origin::newer:
      return about(path, "was written by a newer version of personad (schema " +
                             std::to_string(connection.number("PRAGMA user_version").value_or(0)) +
                             ", this one knows " + std::to_string(newest) + "); it is left as it is");
    case Origin::foreign:
      return about(path, "is a database of something else; it is left as it is");
    case Origin::unreadable:
      break;
  }
  if ((connection.code() & 0xff) == SQLITE_BUSY) return about(path, "is locked by another process");
  return about(path, "cannot be read as a store (" + connection.error() + "); it is left as it is");
}

std::string configuration(const SqliteSettings& settings) {
  std::string sql =
      "PRAGMA page_size = 4096; PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL;"
      "PRAGMA secure_delete = ON; PRAGMA temp_store = MEMORY; PRAGMA foreign_keys = ON; PRAGMA mmap_size = 0;"
      // The page cleaner tells pages apart by their first byte, which holds below 128 GiB.
      "PRAGMA max_page_count = 33000000;";
  sql += settings.full_durability ? "PRAGMA synchronous = FULL;" : "PRAGMA synchronous = NORMAL;";
  sql += "PRAGMA cache_size = -" + std::to_string(settings.cache_bytes / 1024 + 1);
  return sql;
}

bool checkpoint_on_close(SqliteConnection& connection, bool on) {
  return sqlite3_db_config(connection.handle(), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, on ? 0 : 1, nullptr) == SQLITE_OK;
}

Flaw prepare_connection(SqliteConnection& connection, const SqliteSettings& settings, const std::filesystem::path& path,
                        std::span<const Migration> steps) {
  if (!connection.is_open()) return about(path, connection.error());
  sqlite3_busy_timeout(connection.handle(), static_cast<int>(settings.wait_for_lock.count()));
  checkpoint_on_close(connection, false);
  if (auto flaw = recognise(connection, path, steps.size())) return flaw;
  if (!write_clean_pages(connection)) return about(path, "this SQLite cannot erase securely");
  if (!connection.execute(configuration(settings).c_str())) return about(path, connection.error());
  if (const auto migrated = migrate(connection, steps); !migrated) return about(path, migrated.error());
  checkpoint_on_close(connection, true);
  return std::nullopt;
}

}  // namespace

FolderLock::~FolderLock() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

FolderLock::FolderLock(FolderLock&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}

FolderLock& FolderLock::operator=(FolderLock&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

Opened open_store_file(const SqliteSettings& settings) {
  return open_store_file(settings, migrations());
}

Opened open_store_file(const SqliteSettings& settings, std::span<const Migration> steps) {
  StoreFile file;
  file.path = settings.folder / "memory.db";
  if (auto flaw = prepare_folder(settings.folder)) return failed(std::move(*flaw));
  if (auto flaw = lock_folder(settings.folder, file.lock)) return failed(std::move(*flaw));
  if (auto flaw = prepare_file(file.path)) return failed(std::move(*flaw));
  file.connection = std::make_unique<SqliteConnection>(file.path);
  if (auto flaw = prepare_connection(*file.connection, settings, file.path, steps)) {
    // Opening it made an empty log; closing removes that again, which changes nothing in the file.
    if (log_bytes(file.path) == 0) checkpoint_on_close(*file.connection, true);
    return failed(std::move(*flaw));
  }
  return file;
}

std::uint64_t log_bytes(const std::filesystem::path& path) {
  std::error_code error;
  const auto size = std::filesystem::file_size(path.string() + "-wal", error);
  return error ? 0 : size;
}

std::uint64_t bytes_on_disk(const std::filesystem::path& path) {
  std::error_code error;
  const auto size = std::filesystem::file_size(path, error);
  return (error ? 0 : size) + log_bytes(path);
}

}  // namespace persona
