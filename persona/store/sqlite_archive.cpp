#include "persona/store/sqlite_archive.hpp"

#include <algorithm>
#include <utility>

#include "persona/store/sqlite_worker.hpp"

namespace persona {

boost::system::result<std::unique_ptr<SqliteArchive>, std::string> SqliteArchive::open(SqliteSettings settings,
                                                                                       Post post) {
  using Opened = boost::system::result<std::unique_ptr<SqliteArchive>, std::string>;
  auto file = open_store_file(settings);
  if (!file) return Opened(boost::system::in_place_error, file.error());
  // The newest row's number is at the right edge of its table: no more than a few pages are read for it.
  const auto newest = file->connection->number("SELECT coalesce(max(number), 0) FROM turns");
  if (!newest) {
    return Opened(boost::system::in_place_error, file->path.string() + ": damaged: " + file->connection->error());
  }
  auto worker = std::make_unique<Worker>(std::move(settings), std::move(post), std::move(*file));
  auto archive = std::unique_ptr<SqliteArchive>(new SqliteArchive(std::move(worker)));
  archive->next_number_ = static_cast<Number>(*newest) + 1;
  return archive;
}

SqliteArchive::SqliteArchive(std::unique_ptr<Worker> worker) : worker_(std::move(worker)) {}

SqliteArchive::~SqliteArchive() = default;

void SqliteArchive::append(std::vector<Row> rows, Done<void> done) {
  for (const Row& row : rows) next_number_ = std::max(next_number_, row.turn->number + 1);
  AppendRows append;
  append.done = std::move(done);
  append.rows = std::move(rows);
  worker_->queue().push(std::move(append));
}

void SqliteArchive::keep(Row row) {
  next_number_ = std::max(next_number_, row.turn->number + 1);
  worker_->queue().push_heard(std::move(row));
}

void SqliteArchive::erase(ThreadKey thread, std::vector<Number> numbers, Done<void> done) {
  EraseRows erase;
  erase.done = std::move(done);
  erase.thread = std::move(thread);
  erase.numbers = std::move(numbers);
  worker_->queue().push(std::move(erase));
}

void SqliteArchive::read(ThreadKey thread, std::size_t limit, std::optional<std::string> before, Done<TurnPage> done) {
  ReadTurns read;
  read.done = std::move(done);
  read.thread = std::move(thread);
  read.limit = limit;
  read.before = std::move(before);
  worker_->queue().push(std::move(read));
}

void SqliteArchive::threads(ThreadsQuery query, Done<ThreadsPage> done) {
  ReadThreads read;
  read.done = std::move(done);
  read.query = std::move(query);
  worker_->queue().push(std::move(read));
}

void SqliteArchive::keep_active(ConversationKey where, ActivePersona::State state) {
  worker_->queue().push_heard(ActiveChange{std::move(where), std::move(state)});
}

void SqliteArchive::read_active(ConversationKey where, Done<std::optional<ActivePersona::State>> done) {
  ReadActive read;
  read.done = std::move(done);
  read.where = std::move(where);
  worker_->queue().push(std::move(read));
}

void SqliteArchive::status(Done<StoreStatus> done) {
  ReadStatus read;
  read.done = std::move(done);
  worker_->queue().push(std::move(read));
}

void SqliteArchive::flush(std::function<void()> done) {
  worker_->queue().push(Flush{std::move(done)});
}

void SqliteArchive::close() {
  worker_->close();
}

Number SqliteArchive::next_number() const {
  return next_number_;
}

}  // namespace persona
