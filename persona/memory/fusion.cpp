#include "persona/memory/fusion.hpp"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <utility>

#include "persona/memory/assembly.hpp"

namespace persona {
namespace {

/// One list made of many, in the order in which texts were first seen.
class Sum {
 public:
  void add(const Recalled& recalled, double score) {
    const auto [at, added] = places_.try_emplace(rendered(recalled), list_.size());
    if (added) {
      list_.push_back(recalled);
      list_.back().score = 0;
    }
    list_[at->second].score += score;
  }
  void add_best(const Recalled& recalled) {
    const auto [at, added] = places_.try_emplace(rendered(recalled), list_.size());
    if (added) list_.push_back(recalled);
    Recalled& kept = list_[at->second];
    if (recalled.score > kept.score) kept = recalled;
  }
  [[nodiscard]] bool has(const Recalled& recalled) const { return places_.contains(rendered(recalled)); }
  std::vector<Recalled> sorted() {
    std::ranges::stable_sort(list_, std::ranges::greater(), &Recalled::score);
    return std::move(list_);
  }

 private:
  std::vector<Recalled> list_;
  std::unordered_map<std::string, std::size_t> places_;
};

std::vector<Recalled> by_score(const std::vector<RankedList>& lists) {
  Sum sum;
  for (const RankedList& list : lists) {
    double best = 0;
    for (const Recalled& one : list.recalled) best = std::max(best, one.score);
    for (const Recalled& one : list.recalled) sum.add(one, best > 0 ? list.weight * one.score / best : 0);
  }
  return sum.sorted();
}

std::vector<Recalled> by_rank(const std::vector<RankedList>& lists, double k) {
  Sum sum;
  for (const RankedList& list : lists) {
    double rank = 0;
    for (const Recalled& one : list.recalled) sum.add(one, list.weight / (k + ++rank));
  }
  return sum.sorted();
}

std::vector<Recalled> by_weight(const std::vector<RankedList>& lists) {
  Sum sum;
  for (const RankedList& list : lists) {
    if (list.recalled.empty()) continue;
    const auto [worst, best] = std::ranges::minmax(list.recalled, {}, &Recalled::score);
    const double span = best.score - worst.score;
    for (const Recalled& one : list.recalled) {
      sum.add(one, list.weight * (span > 0 ? (one.score - worst.score) / span : 1));
    }
  }
  return sum.sorted();
}

std::vector<Recalled> merged(const std::vector<RankedList>& lists, bool dedup) {
  std::vector<Recalled> all;
  Sum sum;
  for (const RankedList& list : lists) {
    for (const Recalled& one : list.recalled) {
      sum.add_best(one);
      all.push_back(one);
    }
  }
  if (dedup) return sum.sorted();
  std::ranges::stable_sort(all, std::ranges::greater(), &Recalled::score);
  return all;
}

std::vector<Recalled> interleaved(const std::vector<RankedList>& lists, bool dedup) {
  std::vector<Recalled> all;
  Sum seen;
  std::size_t longest = 0;
  for (const RankedList& list : lists) longest = std::max(longest, list.recalled.size());
  for (std::size_t rank = 0; rank < longest; ++rank) {
    for (const RankedList& list : lists) {
      if (rank >= list.recalled.size()) continue;
      const Recalled& one = list.recalled[rank];
      if (dedup && seen.has(one)) continue;
      seen.add_best(one);
      all.push_back(one);
    }
  }
  return all;
}

}  // namespace

std::vector<Recalled> fused(const std::vector<RankedList>& lists, const FusionSettings& settings) {
  switch (settings.fusion) {
    case Fusion::score:
      break;
    case Fusion::rrf:
      return by_rank(lists, settings.rrf_k);
    case Fusion::weighted:
      return by_weight(lists);
    case Fusion::merge:
      return merged(lists, settings.dedup);
    case Fusion::priority: {
      const auto first = std::ranges::find_if(lists, [](const RankedList& list) { return !list.recalled.empty(); });
      return first == lists.end() ? std::vector<Recalled>() : first->recalled;
    }
    case Fusion::interleave:
      return interleaved(lists, settings.dedup);
  }
  return by_score(lists);
}

}  // namespace persona
