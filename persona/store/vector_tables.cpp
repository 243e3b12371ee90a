#include "persona/store/vector_tables.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <string>
#include <utility>

#include "persona/store/turn_row.hpp"

namespace persona {
namespace {

using Step = SqliteRun::Step;

constexpr std::size_t kSlice = 1000;  // of vectors that are put away, and of turns that are queued
constexpr std::size_t kScaleBytes = 4;
constexpr std::int64_t kMostThread = (std::int64_t{1} << 31U) - 1;  // an address is one number

// Of `meta`: whose vectors these are, of how many dimensions, whether those of another model are still there, and from
// which row down turns have to be queued.
constexpr const char* kModelKey = "embedding_model";
constexpr const char* kDimensionsKey = "embedding_dimensions";
constexpr const char* kStaleKey = "embedding_stale";
constexpr const char* kBelowKey = "embedding_below";
constexpr const char* kVectorsKey = "vectors";

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
constexpr const char* kWaiting = "SELECT count(*) FROM to_embed";
constexpr const char* kNext = "SELECT " PERSONAD_TURN_COLUMNS
                              " FROM turns WHERE number IN (SELECT number FROM to_embed ORDER BY number DESC LIMIT ?1)"
                              " ORDER BY number DESC";
constexpr const char* kTurn =
    "SELECT " PERSONAD_TURN_COLUMNS ", thread, place FROM turns WHERE number = ?1 AND place IS NOT NULL";
constexpr const char* kPut = "INSERT OR IGNORE INTO vectors VALUES(?1, ?2)";
constexpr const char* kDone = "DELETE FROM to_embed WHERE number = ?1";

std::int64_t address_of(std::int64_t thread, std::uint32_t place) {
  return thread << 32U | std::int64_t{place};
}

std::string bytes_of(const PackedEmbedding& embedding) {
  std::string bytes;
  const auto scale = std::bit_cast<std::uint32_t>(embedding.scale);
  for (unsigned shift = 0; shift < 8 * kScaleBytes; shift += 8) bytes += static_cast<char>(scale >> shift & 0xFFU);
  bytes.append(reinterpret_cast<const char*>(embedding.values.data()), embedding.values.size());
  return bytes;
}

float scale_in(std::span<const std::uint8_t> bytes) {
  std::uint32_t scale = 0;
  for (std::size_t i = 0; i < kScaleBytes; ++i) scale |= std::uint32_t{bytes[i]} << 8 * i;
  return std::bit_cast<float>(scale);
}

}  // namespace

/// The nearest of the vectors that were shown to it.
class VectorTables::Nearest {
 public:
  Nearest(PackedEmbedding wanted, std::size_t most) : wanted_(std::move(wanted)), most_(most) {}

  [[nodiscard]] bool is_full() const { return looked_at_ >= kMostLookedAt; }

  void look_at(const Address& at, std::span<const std::uint8_t> bytes) {
    if (bytes.size() != kScaleBytes + wanted_.values.size()) return;
    ++looked_at_;
    const std::span values(reinterpret_cast<const std::int8_t*>(bytes.data()) + kScaleBytes, wanted_.values.size());
    const auto product = static_cast<double>(dot(values, wanted_.values));
    const double cosine = product * static_cast<double>(scale_in(bytes)) * static_cast<double>(wanted_.scale);
    if (best_.size() == most_) {
      if (!is_nearer({at, cosine}, best_.front())) return;
      std::ranges::pop_heap(best_, is_nearer);
      best_.pop_back();
    }
    best_.push_back({at, cosine});
    std::ranges::push_heap(best_, is_nearer);
  }

  [[nodiscard]] std::vector<NearTurn> in_order() && {
    std::ranges::sort_heap(best_, is_nearer);
    return std::move(best_);
  }

 private:
  static bool is_nearer(const NearTurn& a, const NearTurn& b) {
    return a.cosine != b.cosine ? a.cosine > b.cosine : a.at > b.at;
  }

  PackedEmbedding wanted_;
  std::size_t most_;
  std::size_t looked_at_ = 0;
  std::vector<NearTurn> best_;  // a heap, its farthest in front
};

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
      waiting_(connection, kWaiting),
      next_(connection, kNext),
      turn_(connection, kTurn),
      put_(connection, kPut),
      done_(connection, kDone) {}

bool VectorTables::nearest(std::string_view persona, const IndexTables::Scope& scope, const Embedding& meaning,
                           std::size_t most, const AllowedPlaces& allowed, std::vector<NearTurn>& found) {
  found.clear();
  PackedEmbedding wanted = packed(meaning);
  if (scope.empty || most == 0 || wanted.scale == 0) return true;
  std::int64_t stale = 0;
  if (!number_of(kStaleKey, 0, stale)) return false;
  if (stale != 0) return true;
  std::vector<Thread> threads;
  if (!threads_of(persona, scope, threads)) return false;
  Nearest nearest(std::move(wanted), most);
  for (const Thread& thread : threads) {
    if (nearest.is_full()) break;
    if (!look_at(thread, allowed, nearest)) return false;
  }
  found = std::move(nearest).in_order();
  return true;
}

// Newest first.
bool VectorTables::threads_of(std::string_view persona, const IndexTables::Scope& scope, std::vector<Thread>& threads) {
  if (scope.first.thread != 0) {
    threads.push_back({scope.first.owner, scope.first.thread});
    return true;
  }
  const auto collect = [&threads](SqliteRun run) {
    auto step = run.step();
    for (; step == Step::row; step = run.step()) threads.push_back({run.integer(0), run.integer(1)});
    return step != Step::failed;
  };
  const bool read = scope.first.owner != 0 ? collect(SqliteRun(owners_threads_, persona, scope.first.owner))
                                           : collect(SqliteRun(personas_threads_, persona));
  std::ranges::sort(threads, std::ranges::greater(), &Thread::id);
  return read;
}

bool VectorTables::look_at(const Thread& thread, const AllowedPlaces& allowed, Nearest& nearest) {
  if (thread.id > kMostThread) return true;
  std::vector<std::uint32_t> places;
  if (allowed) {
    places = allowed(thread.id);
    if (places.empty()) return true;
  }
  const std::uint32_t first = allowed ? places.front() : 0;
  const std::uint32_t last = allowed ? places.back() : std::numeric_limits<std::uint32_t>::max();
  SqliteRun run(vectors_, address_of(thread.id, first), address_of(thread.id, last));
  auto step = run.step();
  for (; step == Step::row && !nearest.is_full(); step = run.step()) {
    const auto place = static_cast<std::uint32_t>(run.integer(0) & 0xFFFFFFFF);
    if (allowed && !std::ranges::binary_search(places, place)) continue;
    nearest.look_at({thread.owner, thread.id, place}, run.bytes(1));
  }
  return step != Step::failed;
}

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
  if (!number_of(kStaleKey, 0, stale) || !number_of(kBelowKey, 0, below)) return false;
  if (!number_of(kVectorsKey, 0, vectors)) return false;
  SqliteRun run(waiting_);
  if (run.step() != Step::row) return false;
  progress.waiting = static_cast<std::uint64_t>(run.integer(0));
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
    if (step != Step::row) return step == Step::done;
    if (digest_of(embedded_text(*turn_in(run))) != embedded.text) return true;
    const std::int64_t thread = run.integer(kTurnColumns);
    if (thread <= kMostThread) at = address_of(thread, static_cast<std::uint32_t>(run.integer(kTurnColumns + 1)));
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
