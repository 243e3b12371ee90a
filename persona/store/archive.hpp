#pragma once
#include <boost/system/result.hpp>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "persona/active_persona.hpp"
#include "persona/import.hpp"
#include "persona/keys.hpp"
#include "persona/memory/character.hpp"
#include "persona/memory/learning.hpp"
#include "persona/memory/recollection.hpp"
#include "persona/recall/embedding_work.hpp"
#include "persona/recall/shaping.hpp"
#include "persona/turn.hpp"

namespace persona {

/// What can go wrong in the store.
enum class StoreError {
  unavailable = 1,  ///< the disk is full, read-only, failing, or the file is damaged; nothing of the call was stored
  busy,             ///< too much is waiting to be written; nothing of the call was stored, try again shortly
  unknown_turn,     ///< no turn of that id in that thread
  bad_cursor,       ///< not a cursor that this store gave
  closed,           ///< the store is shutting down
};
[[nodiscard]] boost::system::error_code make_error_code(StoreError) noexcept;
template <class T>
using StoreResult = boost::system::result<T>;

/// A turn, the thread it belongs to, and what is to be learnt from it: the jobs are there as soon as the row is, also
/// where it waited for the store.
struct Row {
  ThreadKey thread;
  TurnPtr turn;
  LearningKinds learn = {};
};

/// A run of a thread's rows, oldest first in window order, and whether it reaches the thread's first row.
struct TurnPage {
  std::vector<TurnPtr> turns;
  bool from_the_start = false;
};

/// One thread, as an operator sees it.
struct ThreadSummary {
  ThreadKey thread;
  std::uint64_t turns = 0;
  std::uint64_t bytes = 0;  ///< of text
  double first = 0;         ///< unix seconds
  double last = 0;
};
struct ThreadsQuery {
  std::size_t limit = 100;
  std::string cursor;  ///< empty: from the beginning
  std::optional<double> active_since;
  std::optional<std::string> owner;
};
struct ThreadsPage {
  std::vector<ThreadSummary> threads;
  std::string cursor;  ///< empty: no more
};

/// What became of a fact that was to be remembered.
struct Remembered {
  std::string id;
  std::string fact;
  bool duplicate = false;  ///< it was known already: `id` and `fact` are the known one's
};

/// What is known where a character's conversation ends.
struct EndedConversation {
  std::string summary;         ///< of earlier ones; empty: none yet
  std::uint64_t archived = 0;  ///< summaries that were replaced
};

/// Something to learn from a thread, durable until it is done.
struct LearningJob {
  ThreadKey thread;
  LearningKind kind = LearningKind::summary;
  static constexpr std::uint64_t kAnyMarks = ~std::uint64_t{0};
  std::uint64_t marks = 0;  ///< how often it was said that there is something to learn
  std::uint32_t attempts = 0;
  double not_before = 0;  ///< unix seconds
};

/// What the store can say about itself without reading what it keeps.
struct StoreStatus {
  bool ok = true;
  std::string detail;  ///< where it is, or what is wrong
  std::uint64_t threads = 0;
  std::uint64_t turns = 0;    ///< kept up to date by the store, not counted
  std::uint64_t waiting = 0;  ///< rows queued for writing
  std::uint64_t commits = 0;
  std::uint64_t failed_commits = 0;
  std::uint64_t dropped = 0;  ///< heard rows lost because the store failed for too long
  std::uint64_t file_bytes = 0;
};

/// Where turns are kept: verbatim, durable, one thread of rows for each (owner, conversation, persona).
///
/// Every call returns at once; its `done` is called later on the caller's own thread (see the implementation's `Post`).
/// Calls take effect in call order: a read sees every write called before it ("read your own writes"), and `done`s come
/// in call order too. An acknowledged write survives kill -9 (power loss too with full durability).
/// Threading: all calls from one thread. Lifetime: `close`, then destroy; `done`s of unfinished calls get `closed`.
class Archive {
 public:
  template <class T>
  using Done = std::function<void(StoreResult<T>)>;

  virtual ~Archive() = default;

  /// Stores rows, all or none; a row with a number that is stored already replaces it. For what was promised an
  /// answer: fails at once when the disk does.
  virtual void append(std::vector<Row> rows, Done<void> done) = 0;
  /// The same for what was heard and can not be heard again: kept and tried again while the store fails, in bounds.
  virtual void keep(Row row) = 0;
  /// Takes over records from elsewhere, all or none.
  virtual void import(Import records, Done<Imported> done) = 0;
  /// Erases these rows of a thread (those that exist); their bytes are overwritten, not only unlinked. `unavailable`
  /// also when another process is reading, which keeps the bytes from leaving the store's files: nobody is shown the
  /// rows any more then, the files are cleared when it can be done, and the same call again says whether they are.
  virtual void erase(ThreadKey thread, std::vector<Number> numbers, Done<void> done) = 0;

  /// The newest `limit` rows of a thread in window order; with `before`, those before the row of that id.
  virtual void read(ThreadKey thread, std::size_t limit, std::optional<std::string> before, Done<TurnPage> done) = 0;
  virtual void threads(ThreadsQuery query, Done<ThreadsPage> done) = 0;

  /// What a context needs beside the window. Facts come oldest first.
  virtual void recollect(ThreadKey thread, Wants wants, Done<Recollection> done) = 0;
  /// Turns that belong to a question, best first; `from` says whose they are and in which persona's memory.
  virtual void search(ThreadKey from, RecallAsk ask, Done<std::vector<Hit>> done) = 0;
  /// The asks, each with its query `nameless`: without words that are names of speakers in its scope.
  virtual void without_names(ThreadKey from, std::vector<RecallAsk> asks, Done<std::vector<RecallAsk>> done) = 0;
  /// What shapes the order of what is found, from the next search on.
  virtual void set_shaping(ShapingSettings shaping) = 0;

  /// Embeddings are those of this model from now on; a slice of what that takes is done, call again until it is ready.
  virtual void use_embeddings(std::string model, Done<EmbeddingProgress> done) = 0;
  /// Turns that have no embedding yet.
  virtual void unembedded(std::size_t most, Done<UnembeddedTurns> done) = 0;
  /// Stores what that model gave; what does not belong to the turns as they are now, or to the model, is dropped.
  virtual void embedded(std::string model, std::vector<Embedded> turns, Done<EmbeddingProgress> done) = 0;
  /// The next turns that have no embedding get theirs where they are stored: the caller's thread is not held up.
  virtual void embed(std::string model, EmbedText embed, std::size_t most, Done<EmbeddingProgress> done) = 0;

  /// Remembers a fact, unless the same is known already in that thread (see same_fact.hpp). One that was learnt counts
  /// as asked for from then on: it stays when the rows it was learnt from go.
  virtual void remember(ThreadKey thread, Fact fact, Done<Remembered> done) = 0;

  /// A character's step: it is counted, feelings fade, and what the character thinks of is found.
  virtual void step(ThreadKey thread, StepAsk ask, Done<StepFound> done) = 0;
  /// A character's conversation ends with exchange `upto`, and is to be summarised: a job, if there is none yet.
  virtual void end_conversation(ThreadKey thread, Number upto, Done<EndedConversation> done) = 0;

  /// The jobs there are, the longest waiting first.
  virtual void jobs(std::size_t most, Done<std::vector<LearningJob>> done) = 0;
  /// What a thread has to learn from: rows of exchanges before `before` (0: all) that were not looked at yet.
  virtual void unlearned(ThreadKey thread, LearningKind kind, Number before, std::size_t most,
                         Done<Unlearned> done) = 0;
  /// Stores what was learnt and how far, in one step. False: some of the rows it was learnt from are gone meanwhile, or
  /// were learnt from already; nothing was stored.
  virtual void learnt(ThreadKey thread, Learnt learnt, double now, Done<bool> done) = 0;
  /// There is nothing more to learn, unless more was said since `marks`; or, with a time, try again then.
  virtual void job_done(LearningJob job) = 0;
  virtual void job_postponed(LearningJob job) = 0;

  /// Who is active in a conversation, across a restart.
  virtual void keep_active(ConversationKey where, ActivePersona::State state) = 0;
  virtual void read_active(ConversationKey where, Done<std::optional<ActivePersona::State>> done) = 0;

  virtual void status(Done<StoreStatus> done) = 0;
  /// Calls back when everything called before is durable (or has failed).
  virtual void flush(std::function<void()> done) = 0;
  /// Flushes, stops the worker and closes the file. Blocks until then; nothing may be called afterwards.
  virtual void close() = 0;

  /// The next number to give out: above that of every row ever stored, of erased ones too, since how far a thread was
  /// learnt from is told in numbers. Valid from construction.
  [[nodiscard]] virtual Number next_number() const = 0;
};

}  // namespace persona

template <>
struct boost::system::is_error_code_enum<persona::StoreError> : std::true_type {};
