#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "persona/recall/ranking.hpp"
#include "persona/recall/recall.hpp"
#include "persona/recall/terms.hpp"

namespace persona {

/// What shapes the order of what is found beside the words it shares with the question; each can be switched off.
struct ShapingSettings {
  bool speaker =
      true;  ///< names of speakers are words of their turns, and a turn of whom the question names counts more
  bool question = true;  ///< a turn that asks counts less, the one after it more
  bool dates =
      true;  ///< days, months and years of a turn count as words of it; questions for a time prefer turns that say one
  bool captions = true;  ///< so do the words of what a turn shows
  bool recency = false;  ///< newer turns count a little more
  friend bool operator==(const ShapingSettings&, const ShapingSettings&) = default;
};

/// The weights of the first step under these settings.
[[nodiscard]] RankingWeights ranking_weights(const ShapingSettings& settings);

/// A turn that may be found.
struct Candidate {
  Address at;
  ThreadKey thread;
  TurnPtr turn;
  std::vector<TermMatch> matches;  ///< one for each term of the question
  double words = 0;                ///< the score of the first step; 0: found by its meaning alone
  double score = 0;
  std::vector<Why::Shape> shapes;
  std::optional<double> cosine;
};

/// What is asked, and what the index says about its terms.
struct Question {
  const RecallAsk& ask;
  const std::vector<QueryTerm>& terms;
  std::vector<float> rarity;  ///< of each term
  float average_length = 1;   ///< of the turns of the scope, in terms
};

/// The second step: looks at the candidates of the first one by one, and sets their scores.
void shape(const Question& question, const ShapingSettings& settings, Terms& terms, std::vector<Candidate>& candidates);

}  // namespace persona
