#include "persona/recall/shaping.hpp"

namespace persona {

RankingWeights ranking_weights(const ShapingSettings&) {
  return {};
}

void shape(const Question&, const ShapingSettings&, Terms&, std::vector<Candidate>& candidates) {
  for (Candidate& candidate : candidates) candidate.score = candidate.words;
}

}  // namespace persona
