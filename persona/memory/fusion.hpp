#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "persona/recall/recall.hpp"

// Making one list of what several memories recalled.
//
// Source: ovos-memory-plugins; Cormack, Clarke and Buettcher, Reciprocal Rank Fusion (2009).
namespace persona {

enum class Fusion : std::uint8_t {
  score,       ///< weight x score / best score of its list, added up: a weak list cannot outvote a strong one
  rrf,         ///< weight / (rrf_k + rank), added up
  weighted,    ///< weight x score on a scale from the worst (0) to the best (1) of its list, added up
  merge,       ///< by raw score
  priority,    ///< the first list that is not empty
  interleave,  ///< the first of each, then the second of each
};

struct RankedList {
  double weight = 1;
  std::vector<Recalled> recalled;  ///< best first
};

struct FusionSettings {
  Fusion fusion = Fusion::score;
  double rrf_k = 60;
  bool dedup = true;  ///< for `merge` and `interleave`; the others always do
};

/// Best first, each with the score it has in the fused list. The same text twice is one; where scores are equal, the
/// one that came first stays first.
[[nodiscard]] std::vector<Recalled> fused(const std::vector<RankedList>& lists, const FusionSettings& settings);

}  // namespace persona
