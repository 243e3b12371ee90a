#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "persona/recall/ranking.hpp"
#include "persona/recall/recall.hpp"
#include "persona/recall/terms.hpp"

namespace persona {

/// What shapes the order of what is found beside the words it shares with the question; each can be switched off.
struct ShapingSettings {
  bool speaker = true;   ///< names of speakers are words of their turns, which count more where the question names them
  bool question = true;  ///< a turn that asks counts less, the one after it more
  bool dates = true;     ///< day, month and year are words of a turn; who asks when is given turns that say a time
  bool captions = true;  ///< words of what a turn shows are words of it
  bool recency = false;  ///< newer turns count more
  friend bool operator==(const ShapingSettings&, const ShapingSettings&) = default;
};

/// What each of them is worth: found by measuring, see docs/recall.md.
struct ShapingWeights {
  double date = 0.5;         ///< of a term's rarity, for each term that is a word of the turn's date
  double speaker = 2.0;      ///< factor for turns of the one speaker whom the question names
  double answer = 0.2;       ///< of the score of the question right before it
  double question = 0.8;     ///< factor for turns that end with a question
  double time = 1.4;         ///< factor for turns that say a time, where the question asks when
  double number = 1.2;       ///< factor for turns that say a number, where the question asks how many
  double length = 0.1;       ///< how much a long turn may gain on a short one; twice the average is long
  double recency = 0.5;      ///< what a turn of this moment gains
  double recency_days = 30;  ///< after so many it gains half of that
};

/// The weights of the first step under these settings.
[[nodiscard]] RankingWeights ranking_weights(const ShapingSettings& settings);

/// A turn that may be found.
struct Candidate {
  Address at;
  ThreadKey thread;
  TurnPtr turn;
  std::vector<TermMatch> matches;    ///< one for each term of the question
  double words = 0;                  ///< the score of the first step; 0: found by its meaning alone
  std::optional<double> cosine;      ///< of its meaning and the question's
  double score = 0;                  ///< by `fuse`, then changed by `shape`
  std::vector<Why::Shape> shapes{};  ///< what changed it
};

/// What is asked, and what the index says about its terms.
struct Question {
  const RecallAsk& ask;
  const std::vector<QueryTerm>& terms;
  std::vector<float> rarity;  ///< of each term
  double average_length = 1;  ///< of the turns of the scope, in words
};

/// The second step: looks closer at the candidates of the first one, in order of their addresses, and sets their
/// scores.
void shape(const Question& question, const ShapingSettings& settings, std::vector<Candidate>& candidates);

}  // namespace persona
