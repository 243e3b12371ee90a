#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

namespace persona {

class SqliteConnection;

// What secure_delete leaves behind.
//
// When SQLite moves rows between pages it leaves their bytes in the unused middle of the page they came from, and
// `secure_delete` overwrites only where a row is when it is deleted. So an erased text could survive in a page that
// once held it. Here that middle is zeroed in every page on its way into the database file; a checkpoint that truncates
// the log then leaves no copy anywhere.
//
// Source: the SQLite file format, sections 1.6 (b-tree pages) and 1.8 (pointer map); measured with SQLite 3.40.1.

/// From now on, pages that this connection writes into its database file are written clean.
/// False: this SQLite does not let us; nothing was changed.
[[nodiscard]] bool write_clean_pages(SqliteConnection& connection);

/// Forgets all pages in the connection's cache, which may hold the bytes that were cleaned on the way to the file.
void drop_cached_pages(SqliteConnection& connection);

/// Zeroes the unused middle of a b-tree page; other pages, and those that look damaged, stay as they are.
/// `page_number` counts from 1. The database has a pointer map (auto_vacuum) and no reserved bytes.
void clean_page(std::span<unsigned char> page, std::uint64_t page_number) noexcept;

}  // namespace persona
