#pragma once
#include <boost/system/result.hpp>
#include <filesystem>
#include <memory>
#include <string>

#include "persona/store/schema.hpp"
#include "persona/store/sqlite.hpp"
#include "persona/store/sqlite_archive.hpp"

namespace persona {

/// A folder that is ours alone while this exists: a second daemon on it would give out the same numbers.
class FolderLock {
 public:
  FolderLock() = default;
  explicit FolderLock(int descriptor) : descriptor_(descriptor) {}
  ~FolderLock();
  FolderLock(FolderLock&& other) noexcept;
  FolderLock& operator=(FolderLock&& other) noexcept;

 private:
  int descriptor_ = -1;
};

/// The open database file of a store.
struct StoreFile {
  FolderLock lock;
  std::unique_ptr<SqliteConnection> connection;
  std::filesystem::path path;
};

/// Makes the folder and the file where they are missing, and brings an older file to this version's schema.
///
/// Errors: in words, naming the file; a file that is not ours, or newer than this program, is left as it is.
[[nodiscard]] boost::system::result<StoreFile, std::string> open_store_file(const SqliteSettings& settings);
/// With other steps than those of this version, for tests.
[[nodiscard]] boost::system::result<StoreFile, std::string> open_store_file(const SqliteSettings& settings,
                                                                            std::span<const Migration> steps);

/// Size of the log beside a store's file; 0 where there is none.
[[nodiscard]] std::uint64_t log_bytes(const std::filesystem::path& path);
/// Of the file and its log.
[[nodiscard]] std::uint64_t bytes_on_disk(const std::filesystem::path& path);

}  // namespace persona
