#include "persona/store/sqlite_archive.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <utility>

#include "persona/store/index_backlog.hpp"
#include "persona/store/sqlite_worker.hpp"

namespace persona {

boost::system::result<std::unique_ptr<SqliteArchive>, std::string> SqliteArchive::open(SqliteSettings settings,
                                                                                       Post post) {
  using Opened = boost::system::result<std::unique_ptr<SqliteArchive>, std::string>;
  auto file = open_store_file(settings);
  if (!file) return Opened(boost::system::in_place_error, file.error());
  // The newest row's number is at the right edge of its table: no more than a few pages are read for it. The newest
  // ones may have been erased.
  const auto newest = file->connection->number(
      "SELECT max(coalesce((SELECT max(number) FROM turns), 0),"
      " coalesce((SELECT value FROM meta WHERE key = 'newest'), 0))");
  const bool outdated = newest && !drop_outdated_index(*file->connection);
  const auto to_index = file->connection->number("SELECT EXISTS(SELECT 1 FROM threads WHERE indexed = 0)");
  if (!newest || outdated || !to_index) {
    return Opened(boost::system::in_place_error, file->path.string() + ": damaged: " + file->connection->error());
  }
  auto worker = std::make_unique<Worker>(std::move(settings), std::move(post), std::move(*file));
  auto archive = std::unique_ptr<SqliteArchive>(new SqliteArchive(std::move(worker)));
  archive->next_number_ = static_cast<Number>(*newest) + 1;
  if (*to_index != 0) archive->index_behind();
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

template <class T>
void SqliteArchive::work(bool writes, std::size_t bytes, std::function<bool(StoreTables&, T&)> run, Done<T> done) {
  const auto found = std::make_shared<T>();
  TableWork work;
  work.writes = writes;
  work.bytes = bytes;
  work.run = [found, run = std::move(run)](StoreTables& tables) {
    *found = T();  // this may be the second time
    return run(tables, *found);
  };
  work.finish = [found, done = std::move(done)](StoreResult<void> result) {
    if (!done) return;
    done(result ? StoreResult<T>(boost::system::in_place_value, std::move(*found))
                : StoreResult<T>(boost::system::in_place_error, result.error()));
  };
  worker_->queue().push(std::move(work));
}

// A slice at a time, so that others get their turn in between.
void SqliteArchive::index_behind() {
  constexpr std::size_t kSlice = 500;  // turns
  const auto run = [](StoreTables& tables, std::size_t& indexed) { return tables.backlog().some(kSlice, indexed); };
  work<std::size_t>(true, 0, run, [this](StoreResult<std::size_t> indexed) {
    if (!indexed || *indexed == 0) return;
    indexed_ += *indexed;
    if (*indexed >= kSlice) return index_behind();
    spdlog::info("memory: an index of {} turns was made", indexed_);
  });
}

void SqliteArchive::import(Import records, Done<Imported> done) {
  next_number_ = std::max(next_number_, records.first + records.records.size());
  const std::size_t bytes = memory_of(records);
  // It may be carried out twice.
  const auto run = [what = std::make_shared<const Import>(std::move(records))](
                       StoreTables& tables, Imported& imported) { return tables.imports().take(*what, imported); };
  work<Imported>(true, bytes, run, std::move(done));
}

void SqliteArchive::recollect(ThreadKey thread, Wants wants, Done<Recollection> done) {
  const auto run = [thread = std::move(thread), wants = std::move(wants)](StoreTables& tables, Recollection& found) {
    if (wants.facts > 0 && !tables.notes().facts(thread, wants.facts, found.facts)) return false;
    if (wants.summary && !tables.notes().summary(thread, found.summary)) return false;
    for (auto ask = wants.recall.begin(); ask != wants.recall.end(); ++ask) {
      // Members of a composite mostly look for the same: it is looked for once.
      const auto same = std::find(wants.recall.begin(), ask, *ask);
      auto& list = found.recalled.emplace_back();
      if (same != ask) {
        list = found.recalled[static_cast<std::size_t>(same - wants.recall.begin())];
      } else if (!tables.search().exchanges(thread, *ask, list)) {
        return false;
      }
    }
    return true;
  };
  work<Recollection>(false, 0, run, std::move(done));
}

void SqliteArchive::search(ThreadKey from, RecallAsk ask, Done<std::vector<Hit>> done) {
  const auto run = [from = std::move(from), ask = std::move(ask)](StoreTables& tables, std::vector<Hit>& found) {
    return tables.search().turns(from, ask, found);
  };
  work<std::vector<Hit>>(false, 0, run, std::move(done));
}

void SqliteArchive::without_names(ThreadKey from, std::vector<RecallAsk> asks, Done<std::vector<RecallAsk>> done) {
  const auto run = [from = std::move(from), asks = std::move(asks)](StoreTables& tables,
                                                                    std::vector<RecallAsk>& nameless) {
    nameless = asks;
    return std::ranges::all_of(nameless, [&](RecallAsk& ask) { return tables.search().take_names(from, ask); });
  };
  work<std::vector<RecallAsk>>(false, 0, run, std::move(done));
}

void SqliteArchive::set_shaping(ShapingSettings shaping) {
  const auto run = [shaping](StoreTables& tables, bool&) {
    tables.search().set_shaping(shaping);
    return true;
  };
  work<bool>(false, 0, run, nullptr);
}

void SqliteArchive::use_embeddings(std::string model, Done<EmbeddingProgress> done) {
  const auto run = [model = std::move(model)](StoreTables& tables, EmbeddingProgress& progress) {
    return tables.vectors().use(model, progress);
  };
  work<EmbeddingProgress>(true, 0, run, std::move(done));
}

void SqliteArchive::unembedded(std::size_t most, Done<UnembeddedTurns> done) {
  const auto run = [most](StoreTables& tables, UnembeddedTurns& found) {
    return tables.vectors().unembedded(most, found);
  };
  work<UnembeddedTurns>(false, 0, run, std::move(done));
}

void SqliteArchive::embedded(std::string model, std::vector<Embedded> turns, Done<EmbeddingProgress> done) {
  std::size_t bytes = 0;
  for (const Embedded& turn : turns) bytes += turn.embedding.size() * sizeof(float);
  const auto run = [model = std::move(model), turns = std::move(turns)](StoreTables& tables,
                                                                        EmbeddingProgress& progress) {
    return tables.vectors().embedded(model, turns, progress);
  };
  work<EmbeddingProgress>(true, bytes, run, std::move(done));
}

void SqliteArchive::embed(std::string model, EmbedText embed, std::size_t most, Done<EmbeddingProgress> done) {
  const auto run = [model = std::move(model), embed = std::move(embed), most](StoreTables& tables,
                                                                              EmbeddingProgress& progress) {
    return tables.vectors().embed(model, embed, most, progress);
  };
  work<EmbeddingProgress>(true, 0, run, std::move(done));
}

void SqliteArchive::remember(ThreadKey thread, Fact fact, Done<Remembered> done) {
  const std::size_t bytes = fact.text.size();
  const auto run = [thread = std::move(thread), fact = std::move(fact)](StoreTables& tables, Remembered& remembered) {
    return tables.notes().remember(thread, fact, remembered);
  };
  work<Remembered>(true, bytes, run, std::move(done));
}

void SqliteArchive::step(ThreadKey thread, StepAsk ask, Done<StepFound> done) {
  const bool writes = ask.search.has_value();
  const auto run = [thread = std::move(thread), ask = std::move(ask)](StoreTables& tables, StepFound& found) {
    Summary summary;
    if (ask.summary && !tables.notes().summary(thread, summary)) return false;
    found.summary = std::move(summary.text);
    if (!ask.search) return true;
    CharacterTables& characters = tables.characters();
    CharacterTables::Step step;
    if (!characters.begin(thread, ask.search->feelings, step)) return false;
    if (step.thread == 0) return true;
    if (looks_for_memories(step.state, *ask.search)) {
      std::vector<Recalled> recalled;
      if (!tables.search().exchanges(thread, ask.search->recall, recalled)) return false;
      if (!characters.choose(recalled, *ask.search, step)) return false;
    }
    return characters.finish(thread, *ask.search, step, found);
  };
  work<StepFound>(writes, 0, run, std::move(done));
}

void SqliteArchive::end_conversation(ThreadKey thread, Number upto, Done<EndedConversation> done) {
  const auto run = [thread = std::move(thread), upto](StoreTables& tables, EndedConversation& found) {
    Summary summary;
    if (!tables.notes().summary(thread, summary) || !tables.characters().archived(thread, found.archived)) return false;
    found.summary = std::move(summary.text);
    return tables.characters().ended(thread, upto) && tables.notes().learn_later(thread, {LearningKind::summary});
  };
  work<EndedConversation>(true, 0, run, std::move(done));
}

void SqliteArchive::jobs(std::size_t most, Done<std::vector<LearningJob>> done) {
  const auto run = [most](StoreTables& tables, std::vector<LearningJob>& found) {
    return tables.notes().jobs(most, found);
  };
  work<std::vector<LearningJob>>(false, 0, run, std::move(done));
}

void SqliteArchive::unlearned(ThreadKey thread, LearningKind kind, Number before, std::size_t most,
                              Done<Unlearned> done) {
  const auto run = [thread = std::move(thread), kind, before, most](StoreTables& tables, Unlearned& found) {
    Summary summary;
    if (kind == LearningKind::summary && !tables.notes().summary(thread, summary)) return false;
    found.summary = std::move(summary.text);
    if (kind == LearningKind::summary && !tables.characters().ended_at(thread, found.asked_upto)) return false;
    return tables.notes().progress(thread, kind, found.progress) && tables.notes().marks(thread, kind, found.marks) &&
           tables.rows_between(thread, found.progress.upto, before, most, found.turns);
  };
  work<Unlearned>(false, 0, run, std::move(done));
}

void SqliteArchive::learnt(ThreadKey thread, Learnt learnt, double now, Done<bool> done) {
  const std::size_t bytes = learnt.summary.size();
  const auto run = [thread = std::move(thread), learnt = std::move(learnt), now](StoreTables& tables, bool& stored) {
    Summary replaced;
    const bool archives = learnt.archives_summary && !learnt.summary.empty();
    if (archives && !tables.notes().summary(thread, replaced)) return false;
    if (!tables.notes().learnt(thread, learnt, now, stored)) return false;
    return !archives || !stored || tables.characters().archive(thread, replaced, now);
  };
  work<bool>(true, bytes, run, std::move(done));
}

void SqliteArchive::job_done(LearningJob job) {
  const auto run = [job = std::move(job)](StoreTables& tables, bool&) { return tables.notes().job_done(job); };
  work<bool>(true, 0, run, nullptr);
}

void SqliteArchive::job_postponed(LearningJob job) {
  const auto run = [job = std::move(job)](StoreTables& tables, bool&) { return tables.notes().job_postponed(job); };
  work<bool>(true, 0, run, nullptr);
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
