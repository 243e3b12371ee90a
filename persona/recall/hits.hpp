#pragma once
#include <vector>

#include "persona/recall/recall.hpp"
#include "persona/recall/shaping.hpp"

namespace persona {

/// Brings what was found by words and by meaning to one score: that by words, and what the nearness of a meaning adds,
/// as a share of the best score by words. Scores are added, not ranks, so where meanings tell nothing the order of the
/// words stays.
/// `highest`: what no score by words reaches.
void fuse(const Question& question, double highest, std::vector<Candidate>& candidates);

/// The candidates in order, best first: of equal scores the newer one.
[[nodiscard]] std::vector<Hit> hits(const Question& question, double highest, std::vector<Candidate> candidates);

}  // namespace persona
