#include "persona/store/vector_tables.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "persona/store/turn_row.hpp"
#include "persona/store/vector_row.hpp"

namespace persona {
namespace {

using Step = SqliteRun::Step;

constexpr std::size_t kSlice = 1000;  // of vectors that are put away, and of turns that are queued

// Of `meta`: whose vectors these are, of how many dimensions, whether those of another model are still there, and from
// which row down turns have to be queued.
constexpr const char* kModelKey = "embedding_model";
constexpr const char* kDimensionsKey = "embedding_dimensions";
constexpr const char* kBelowKey = "embedding_below";
constexpr const char* kVectorsKey = "vectors";   // counted by triggers
constexpr const char* kWaitingKey = "to_embed";  // as well

constexpr const char* kOwnersThreads =
    "SELECT owner, thread FROM index_statistics WHERE persona = ?1 AND owner = ?2 AND thread > 0";
constexpr const char* kPersonasThreads =
    "SELECT owner, thread FROM index_statistics WHERE persona = ?1 AND owner > 0 AND thread > 0";
constexpr const char* kVectors = "SELECT at, vector FROM vectors WHERE at BETWEEN ?1 AND ?2 ORDER BY at DESC";
constexpr const char* kModel = "SELECT value FROM meta WHERE key = 'embedding_model'";
constexpr const char* kNumber = "SELECT value FROM meta WHERE key = ?1";
constexpr const char* kSet = "INSERT OR REPLACE INTO meta VALUES(?1, ?2)";
constexpr const char* kDrop = "DELETE FROM meta WHERE key = ?1";
constexpr const char* kPutAway = "DELETE FROM vectors WHERE at IN (SELECT at FROM vectors LIMIT ?1) RETURNING 1";
constexpr const char* kLowest =
    "SELECT min(number) FROM (SELECT number FROM turns WHERE number < ?1 ORDER BY number DESC LIMIT ?2)";
constexpr const char* kQueue =
    "INSERT OR IGNORE INTO to_embed SELECT number FROM turns WHERE number >= ?1 AND number < ?2"
    " AND place IS NOT NULL";
constexpr const char* kNext = "SELECT " PERSONAD_TURN_COLUMNS
                              " FROM turns WHERE number IN (SELECT number FROM to_embed ORDER BY number DESC LIMIT ?1)"
                              " ORDER BY number DESC";
constexpr const char* kTurn =
    "SELECT " PERSONAD_TURN_COLUMNS ", thread, place FROM turns WHERE number = ?1 AND place IS NOT NULL";
constexpr const char* kPut = "INSERT OR IGNORE INTO vectors VALUES(?1, ?2)";
constexpr const char* kDone = "DELETE FROM to_embed WHERE number = ?1";

}  // namespace

VectorTables::VectorTables(SqliteConnection& connection)
    : owners_threads_(connection, kOwnersThreads),
      personas_threads_(connection, kPersonasThreads),
      vectors_(connection, kVectors),
      model_(connection, kModel),
      number_(connection, kNumber),
      set_(connection, kSet),
      drop_(connection, kDrop),
      put_away_(connection, kPutAway),
      lowest_(connection, kLowest),
      queue_(connection, kQueue),
      next_(connection, kNext),
      turn_(connection, kTurn),
      put_(connection, kPut),
      done_(connection, kDone) {}

bool VectorTables::number_of(const char* key, std::int64_t otherwise, std::int64_t& number) {
  SqliteRun run(number_, std::string_view(key));
  const auto step = run.step();
  number = step == Step::row ? run.integer(0) : otherwise;
  return step != Step::failed;
}

// Without a model: of whichever is set.
bool VectorTables::state(std::string_view model, EmbeddingProgress& progress, bool& is_model) {
  {
    SqliteRun run(model_);
    const auto step = run.step();
    if (step == Step::failed) return false;
    is_model = step == Step::row && (model.empty() || run.text(0) == model);
  }
  std::int64_t stale = 0;
  std::int64_t below = 0;
  std::int64_t vectors = 0;
  std::int64_t waiting = 0;
  if (!number_of(kStaleKey, 0, stale) || !number_of(kBelowKey, 0, below)) return false;
  if (!number_of(kVectorsKey, 0, vectors) || !number_of(kWaitingKey, 0, waiting)) return false;
  progress.waiting = static_cast<std::uint64_t>(std::max<std::int64_t>(waiting, 0));
  progress.embedded = stale != 0 ? 0 : static_cast<std::uint64_t>(std::max<std::int64_t>(vectors, 0));
  progress.ready = is_model && stale == 0 && below == 0;
  return true;
}

bool VectorTables::begin_anew(std::string_view model) {
  const auto set = [this](const char* key, const auto& value) {
    return SqliteRun(set_, std::string_view(key), value).finish();
  };
  return set(kModelKey, model) && set(kStaleKey, 1) && set(kBelowKey, std::numeric_limits<std::int64_t>::max()) &&
         SqliteRun(drop_, std::string_view(kDimensionsKey)).finish();
}

bool VectorTables::use(std::string_view model, EmbeddingProgress& progress) {
  bool is_model = false;
  if (!state(model, progress, is_model)) return false;
  if (!is_model && !begin_anew(model)) return false;
  if (is_model && progress.ready) return true;
  std::int64_t stale = 0;
  if (!number_of(kStaleKey, 0, stale)) return false;
  bool done = true;
  if (stale != 0 && !put_away(done)) return false;
  if (done && !queue_some(done)) return false;
  return state(model, progress, is_model);
}

bool VectorTables::put_away(bool& done) {
  std::size_t gone = 0;
  SqliteRun run(put_away_, as_limit(kSlice));
  auto step = run.step();
  for (; step == Step::row; step = run.step()) ++gone;
  if (step == Step::failed) return false;
  done = gone < kSlice;
  return !done || SqliteRun(drop_, std::string_view(kStaleKey)).finish();
}

bool VectorTables::queue_some(bool& done) {
  std::int64_t below = 0;
  if (!number_of(kBelowKey, 0, below)) return false;
  std::int64_t lowest = 0;
  {
    SqliteRun run(lowest_, below, as_limit(kSlice));
    if (run.step() != Step::row) return false;
    done = run.null(0);
    lowest = run.integer(0);
  }
  if (done) return SqliteRun(drop_, std::string_view(kBelowKey)).finish();
  return SqliteRun(queue_, lowest, below).finish() && SqliteRun(set_, std::string_view(kBelowKey), lowest).finish();
}

bool VectorTables::unembedded(std::size_t most, UnembeddedTurns& found) {
  bool ignored = false;
  if (!state({}, found.progress, ignored)) return false;
  SqliteRun run(next_, as_limit(most));
  auto step = run.step();
  for (; step == Step::row; step = run.step()) {
    const TurnPtr turn = turn_in(run);
    found.turns.push_back({turn->number, embedded_text(*turn)});
  }
  return step != Step::failed;
}

bool VectorTables::fits(std::size_t dimensions, bool& fits) {
  std::int64_t known = 0;
  if (!number_of(kDimensionsKey, 0, known)) return false;
  fits = known == 0 || known == static_cast<std::int64_t>(dimensions);
  return known != 0 ||
         SqliteRun(set_, std::string_view(kDimensionsKey), static_cast<std::int64_t>(dimensions)).finish();
}

bool VectorTables::embedded(std::string_view model, const std::vector<Embedded>& turns, EmbeddingProgress& progress) {
  bool is_model = false;
  if (!state(model, progress, is_model)) return false;
  if (!progress.ready) return true;
  for (const Embedded& turn : turns) {
    bool fit = true;
    if (!turn.embedding.empty() && !fits(turn.embedding.size(), fit)) return false;
    if (!fit) return begin_anew(model) && state(model, progress, is_model);
    if (!store(turn)) return false;
  }
  return state(model, progress, is_model);
}

// Where the text has no meaning to the model, it has no vector, and is asked for no more.
bool VectorTables::store(const Embedded& embedded) {
  std::int64_t at = 0;
  {
    SqliteRun run(turn_, embedded.number);
    const auto step = run.step();
    if (step == Step::failed) return false;
    if (step == Step::done) return true;
    if (digest_of(embedded_text(*turn_in(run))) != embedded.text) return true;
    const std::int64_t thread = run.integer(kTurnColumns);
    if (thread <= kMostVectorThread) at = address_of(thread, static_cast<std::uint32_t>(run.integer(kTurnColumns + 1)));
  }
  const PackedEmbedding vector = packed(embedded.embedding);
  if (at != 0 && vector.scale != 0 && !SqliteRun(put_, at, Bytes{bytes_of(vector)}).finish()) return false;
  return SqliteRun(done_, embedded.number).finish();
}

bool VectorTables::embed(std::string_view model, const EmbedText& embed, std::size_t most,
                         EmbeddingProgress& progress) {
  UnembeddedTurns next;
  if (!unembedded(most, next)) return false;
  std::vector<Embedded> done;
  done.reserve(next.turns.size());
  for (const Unembedded& turn : next.turns) done.push_back({turn.number, digest_of(turn.text), embed(turn.text)});
  return embedded(model, done, progress);
}

}  // namespace persona
