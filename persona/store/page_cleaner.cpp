#include "persona/store/page_cleaner.hpp"

#include <sqlite3.h>

#include <algorithm>
#include <array>
#include <atomic>

#include "persona/store/sqlite.hpp"

namespace persona {
namespace {

constexpr std::size_t kPageSize = 4096;

using Write = int (*)(sqlite3_file*, const void*, int, sqlite3_int64);

// The methods of SQLite's own files, with `xWrite` replaced by ours; the same for every file of one VFS.
std::atomic<Write> write_of_sqlite = nullptr;
sqlite3_io_methods with_our_write;

int write_clean(sqlite3_file* file, const void* data, int amount, sqlite3_int64 offset) {
  const Write write = write_of_sqlite.load();
  if (amount != static_cast<int>(kPageSize) || offset % static_cast<sqlite3_int64>(kPageSize) != 0) {
    return write(file, data, amount, offset);
  }
  std::array<unsigned char, kPageSize> page;
  std::copy_n(static_cast<const unsigned char*>(data), kPageSize, page.begin());
  clean_page(page, static_cast<std::uint64_t>(offset) / kPageSize + 1);
  return write(file, page.data(), amount, offset);
}

std::size_t two_bytes(std::span<const unsigned char> page, std::size_t at) {
  return static_cast<std::size_t>(page[at]) << 8 | page[at + 1];
}

// Pointer map pages begin with a kind of page that may look like a b-tree's; they are told by their place.
bool is_pointer_map(std::uint64_t page_number) {
  constexpr std::uint64_t kEntries = kPageSize / 5;
  return page_number >= 2 && (page_number - 2) % (kEntries + 1) == 0;
}

}  // namespace

void clean_page(std::span<unsigned char> page, std::uint64_t page_number) noexcept {
  if (page.size() != kPageSize || is_pointer_map(page_number)) return;
  const std::size_t header = page_number == 1 ? 100 : 0;
  const unsigned char kind = page[header];
  const bool leaf = kind == 10 || kind == 13;
  const bool interior = kind == 2 || kind == 5;
  if (!leaf && !interior) return;
  const std::size_t unused = header + (leaf ? 8 : 12) + 2 * two_bytes(page, header + 3);
  const std::size_t content = two_bytes(page, header + 5);
  if (unused > content || content > kPageSize) return;
  std::fill(page.begin() + static_cast<std::ptrdiff_t>(unused), page.begin() + static_cast<std::ptrdiff_t>(content),
            static_cast<unsigned char>(0));
}

bool write_clean_pages(SqliteConnection& connection) {
  sqlite3_file* file = nullptr;
  const int found = sqlite3_file_control(connection.handle(), "main", SQLITE_FCNTL_FILE_POINTER, &file);
  if (found != SQLITE_OK || file == nullptr || file->pMethods == nullptr) return false;
  static const sqlite3_io_methods* const original = [&] {
    with_our_write = *file->pMethods;
    write_of_sqlite = file->pMethods->xWrite;
    with_our_write.xWrite = write_clean;
    return file->pMethods;
  }();
  if (file->pMethods != original) return file->pMethods == &with_our_write;
  file->pMethods = &with_our_write;
  return true;
}

void drop_cached_pages(SqliteConnection& connection) {
  sqlite3_db_release_memory(connection.handle());
}

}  // namespace persona
