#pragma once
#include <boost/system/result.hpp>
#include <span>
#include <string>

#include "persona/store/sqlite.hpp"

namespace persona {

/// What makes a SQLite file one of ours ("pers").
inline constexpr std::int64_t kApplicationId = 0x70657273;

/// One step of the schema: SQL that takes a file from the version before it to its own.
///
/// Step i of a list makes version i + 1 of version i; version 0 is an empty file. A step that was ever released is
/// never changed: a change of the schema is a step at the end of the list.
using Migration = const char*;

/// The steps to this version's schema.
[[nodiscard]] std::span<const Migration> migrations();

/// What a file says it is, before anything in it is touched.
enum class Origin { empty, ours, newer, foreign, unreadable };
[[nodiscard]] Origin origin_of(SqliteConnection& connection, std::size_t newest_version);

/// Takes a file to the newest version, one transaction a step; a step that fails leaves the version before it.
/// Errors: in words.
[[nodiscard]] boost::system::result<void, std::string> migrate(SqliteConnection& connection,
                                                               std::span<const Migration> steps);

}  // namespace persona
