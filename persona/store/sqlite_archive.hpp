#pragma once
#include <boost/system/result.hpp>
#include <chrono>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>

#include "persona/store/archive.hpp"

namespace persona {

class StoreTables;

struct SqliteSettings {
  std::filesystem::path folder;  ///< created with mode 0700 when missing; every file in it is 0600
  bool full_durability = false;  ///< fsync each commit: survives power loss as well
  std::size_t max_waiting_rows = 100000;
  std::size_t max_waiting_bytes = 64u << 20;
  std::size_t cache_bytes = 8u << 20;  ///< at the most: pages that searches and new turns need again
  std::chrono::milliseconds wait_for_lock{5000};  ///< held by another process
  std::chrono::milliseconds retry_after{1000};    ///< heard rows, while the store fails
};

/// The archive in one SQLite file (WAL) with one worker thread and group commit: what is queued when the worker wakes
/// becomes one transaction.
///
/// Errors: `open` says in words what is wrong and with which file (not writable, damaged, written by a newer version).
/// A failed commit is rolled back: appends fail with `unavailable`, heard rows wait and are tried again every second.
/// Locked by another process (a backup, a second daemon): waits up to five seconds, then counts as failed.
class SqliteArchive final : public Archive {
 public:
  /// Runs a task on the caller's thread; may be called from the worker at any time until `close` returns.
  using Post = std::function<void(std::function<void()>)>;

  [[nodiscard]] static boost::system::result<std::unique_ptr<SqliteArchive>, std::string> open(SqliteSettings settings,
                                                                                               Post post);
  ~SqliteArchive() override;

  void append(std::vector<Row> rows, Done<void> done) override;
  void keep(Row row) override;
  void import(Import records, Done<Imported> done) override;
  void erase(ThreadKey thread, std::vector<Number> numbers, Done<void> done) override;
  void read(ThreadKey thread, std::size_t limit, std::optional<std::string> before, Done<TurnPage> done) override;
  void threads(ThreadsQuery query, Done<ThreadsPage> done) override;
  void recollect(ThreadKey thread, Wants wants, Done<Recollection> done) override;
  void search(ThreadKey from, RecallAsk ask, Done<std::vector<Hit>> done) override;
  void without_names(ThreadKey from, std::vector<RecallAsk> asks, Done<std::vector<RecallAsk>> done) override;
  void set_shaping(ShapingSettings shaping) override;
  void use_embeddings(std::string model, Done<EmbeddingProgress> done) override;
  void unembedded(std::size_t most, Done<UnembeddedTurns> done) override;
  void embedded(std::string model, std::vector<Embedded> turns, Done<EmbeddingProgress> done) override;
  void embed(std::string model, EmbedText embed, std::size_t most, Done<EmbeddingProgress> done) override;
  void remember(ThreadKey thread, Fact fact, Done<Remembered> done) override;
  void step(ThreadKey thread, StepAsk ask, Done<StepFound> done) override;
  void end_conversation(ThreadKey thread, Number upto, Done<EndedConversation> done) override;
  void jobs(std::size_t most, Done<std::vector<LearningJob>> done) override;
  void unlearned(ThreadKey thread, LearningKind kind, Number before, std::size_t most, Done<Unlearned> done) override;
  void learnt(ThreadKey thread, Learnt learnt, double now, Done<bool> done) override;
  void job_done(LearningJob job) override;
  void job_postponed(LearningJob job) override;
  void keep_active(ConversationKey where, ActivePersona::State state) override;
  void read_active(ConversationKey where, Done<std::optional<ActivePersona::State>> done) override;
  void status(Done<StoreStatus> done) override;
  void flush(std::function<void()> done) override;
  void close() override;
  [[nodiscard]] Number next_number() const override;

 private:
  class Worker;
  /// Puts work on the tables into the queue; `run` fills in what `done` is given.
  template <class T>
  void work(bool writes, std::size_t bytes, std::function<bool(StoreTables&, T&)> run, Done<T> done);
  explicit SqliteArchive(std::unique_ptr<Worker> worker);
  void index_behind();
  std::unique_ptr<Worker> worker_;
  Number next_number_ = 1;
  std::size_t indexed_ = 0;  // turns, of those that had waited for it
};

}  // namespace persona
