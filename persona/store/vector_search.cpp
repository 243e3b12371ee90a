#include <algorithm>
#include <limits>
#include <utility>

#include "persona/store/vector_row.hpp"
#include "persona/store/vector_tables.hpp"

// The side of the vectors that searches see: the nearest of a scope.
namespace persona {
namespace {

using Step = SqliteRun::Step;

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
  if (thread.id > kMostVectorThread) return true;
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

}  // namespace persona
