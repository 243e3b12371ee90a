#pragma once
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

// SQLite's C interface with owners, typed binding and errors as values; no more than the store needs.
namespace persona {

/// One connection to a database file. Threading: one thread at a time.
class SqliteConnection {
 public:
  /// Opens a file that exists, for reading and writing.
  explicit SqliteConnection(const std::filesystem::path& file);

  [[nodiscard]] bool is_open() const { return open_; }
  /// Runs statements whose rows nobody wants; false: see `error`.
  bool execute(const char* sql);
  /// First column of the first row.
  [[nodiscard]] std::optional<std::int64_t> number(const char* sql);

  /// Of the last call that failed: SQLite's extended result code, and words.
  [[nodiscard]] int code() const;
  [[nodiscard]] std::string error() const;
  [[nodiscard]] sqlite3* handle() const { return handle_.get(); }

 private:
  struct Close {
    void operator()(sqlite3* handle) const;
  };
  std::unique_ptr<sqlite3, Close> handle_;
  bool open_ = false;
};

/// A statement, compiled when first needed and kept. Lifetime: within that of its connection.
class SqliteStatement {
 public:
  SqliteStatement(SqliteConnection& connection, const char* sql) : connection_(connection), sql_(sql) {}
  ~SqliteStatement();
  SqliteStatement(const SqliteStatement&) = delete;
  SqliteStatement& operator=(const SqliteStatement&) = delete;

 private:
  friend class SqliteRun;
  sqlite3_stmt* compiled();

  SqliteConnection& connection_;
  const char* sql_;
  sqlite3_stmt* statement_ = nullptr;
};

/// A number of rows as a LIMIT takes it; more than there can be is all.
[[nodiscard]] inline std::int64_t as_limit(std::size_t most) {
  return static_cast<std::int64_t>(std::min<std::size_t>(most, std::numeric_limits<std::int32_t>::max()));
}

/// A text that is stored as NULL when it is empty.
struct OrNull {
  std::string_view text;
};

/// Bytes that are no text.
struct Bytes {
  std::string_view bytes;
};

/// One run of a statement: binds values, gives rows, and leaves the statement ready for the next run.
/// Lifetime: bound texts outlive it.
class SqliteRun {
 public:
  enum class Step { row, done, failed };

  template <class... Values>
  explicit SqliteRun(SqliteStatement& statement, const Values&... values) : statement_(statement.compiled()) {
    int at = 0;
    (bind(++at, values), ...);
  }
  ~SqliteRun();
  SqliteRun(const SqliteRun&) = delete;
  SqliteRun& operator=(const SqliteRun&) = delete;

  [[nodiscard]] Step step();
  /// Runs to the end; false: it failed.
  [[nodiscard]] bool finish();

  [[nodiscard]] std::int64_t integer(int column) const;
  [[nodiscard]] double real(int column) const;
  [[nodiscard]] std::string text(int column) const;
  [[nodiscard]] bool null(int column) const;
  /// Lifetime: until the next step.
  [[nodiscard]] std::span<const std::uint8_t> bytes(int column) const;

 private:
  void bind(int at, std::int64_t value);
  void bind(int at, std::uint64_t value) { bind(at, static_cast<std::int64_t>(value)); }
  void bind(int at, int value) { bind(at, static_cast<std::int64_t>(value)); }
  void bind(int at, double value);
  void bind(int at, std::string_view value);
  void bind(int at, OrNull value);
  void bind(int at, Bytes value);

  sqlite3_stmt* statement_;
  bool failed_ = false;
};

}  // namespace persona
