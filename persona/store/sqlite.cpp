#include "persona/store/sqlite.hpp"

#include <sqlite3.h>

namespace persona {

void SqliteConnection::Close::operator()(sqlite3* handle) const {
  sqlite3_close_v2(handle);
}

SqliteConnection::SqliteConnection(const std::filesystem::path& file) {
  sqlite3* handle = nullptr;
  const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
  open_ = sqlite3_open_v2(file.c_str(), &handle, flags, nullptr) == SQLITE_OK;
  handle_.reset(handle);
}

bool SqliteConnection::execute(const char* sql) {
  return sqlite3_exec(handle(), sql, nullptr, nullptr, nullptr) == SQLITE_OK;
}

std::optional<std::int64_t> SqliteConnection::number(const char* sql) {
  SqliteStatement statement(*this, sql);
  SqliteRun run(statement);
  if (run.step() != SqliteRun::Step::row) return std::nullopt;
  return run.integer(0);
}

int SqliteConnection::code() const {
  return sqlite3_extended_errcode(handle());
}

std::string SqliteConnection::error() const {
  return sqlite3_errmsg(handle());
}

SqliteStatement::~SqliteStatement() {
  sqlite3_finalize(statement_);
}

sqlite3_stmt* SqliteStatement::compiled() {
  if (statement_ == nullptr) {
    sqlite3_prepare_v3(connection_.handle(), sql_, -1, SQLITE_PREPARE_PERSISTENT, &statement_, nullptr);
  }
  return statement_;
}

SqliteRun::~SqliteRun() {
  if (statement_ == nullptr) return;
  sqlite3_reset(statement_);
  sqlite3_clear_bindings(statement_);
}

SqliteRun::Step SqliteRun::step() {
  if (statement_ == nullptr || failed_) return Step::failed;
  switch (sqlite3_step(statement_)) {
    case SQLITE_ROW:
      return Step::row;
    case SQLITE_DONE:
      return Step::done;
    default:
      return Step::failed;
  }
}

bool SqliteRun::finish() {
  for (;;) {
    const Step next = step();
    if (next != Step::row) return next == Step::done;
  }
}

std::int64_t SqliteRun::integer(int column) const {
  return sqlite3_column_int64(statement_, column);
}

double SqliteRun::real(int column) const {
  return sqlite3_column_double(statement_, column);
}

std::string SqliteRun::text(int column) const {
  const auto* bytes = reinterpret_cast<const char*>(sqlite3_column_text(statement_, column));
  if (bytes == nullptr) return {};
  return {bytes, static_cast<std::size_t>(sqlite3_column_bytes(statement_, column))};
}

bool SqliteRun::null(int column) const {
  return sqlite3_column_type(statement_, column) == SQLITE_NULL;
}

std::span<const std::uint8_t> SqliteRun::bytes(int column) const {
  const auto* bytes = static_cast<const std::uint8_t*>(sqlite3_column_blob(statement_, column));
  if (bytes == nullptr) return {};
  return {bytes, static_cast<std::size_t>(sqlite3_column_bytes(statement_, column))};
}

void SqliteRun::bind(int at, std::int64_t value) {
  if (sqlite3_bind_int64(statement_, at, value) != SQLITE_OK) failed_ = true;
}

void SqliteRun::bind(int at, double value) {
  if (sqlite3_bind_double(statement_, at, value) != SQLITE_OK) failed_ = true;
}

void SqliteRun::bind(int at, std::string_view value) {
  const char* bytes = value.data() != nullptr ? value.data() : "";
  if (sqlite3_bind_text64(statement_, at, bytes, value.size(), SQLITE_STATIC, SQLITE_UTF8) != SQLITE_OK) {
    failed_ = true;
  }
}

void SqliteRun::bind(int at, OrNull value) {
  if (!value.text.empty()) {
    bind(at, value.text);
  } else if (sqlite3_bind_null(statement_, at) != SQLITE_OK) {
    failed_ = true;
  }
}

void SqliteRun::bind(int at, Bytes value) {
  const char* bytes = value.bytes.data() != nullptr ? value.bytes.data() : "";
  if (sqlite3_bind_blob64(statement_, at, bytes, value.bytes.size(), SQLITE_STATIC) != SQLITE_OK) failed_ = true;
}

}  // namespace persona
