#pragma once
#include <vector>

#include "persona/recall/recall.hpp"
#include "persona/recall/shaping.hpp"

namespace persona {

/// Makes one list of what was found by words and by meaning, best first: of equal scores the newer one.
///
/// Scores are added, not ranks: a turn's score by words as a share of the best one, and what its meaning adds. So where
/// meanings tell nothing the order of the words stays.
/// `highest`: what no score by words reaches.
[[nodiscard]] std::vector<Hit> hits(const Question& question, std::vector<Candidate> candidates, double highest);

}  // namespace persona
