#include "persona/recall/hits.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace persona {
namespace {

constexpr double kMeaning = 0.3;  // what the nearest meaning adds to a score whose best by words is 1

Why why(const Question& question, const Candidate& candidate) {
  Why why;
  for (std::size_t i = 0; i < candidate.matches.size(); ++i) {
    const TermMatch& match = candidate.matches[i];
    if (match.score <= 0) continue;
    why.terms.push_back({question.terms[i].word, match.score, match.own.said > 0, match.own.captioned, match.own.named,
                         match.near > 0});
  }
  why.words = candidate.words;
  why.shapes = candidate.shapes;
  why.cosine = candidate.cosine;
  return why;
}

Hit::Source source_of(const Candidate& candidate) {
  if (candidate.words <= 0) return Hit::Source::semantic;
  return candidate.cosine ? Hit::Source::both : Hit::Source::lexical;
}

/// Cosines on a scale from the farthest candidate (0) to the nearest (1).
class Scale {
 public:
  explicit Scale(const std::vector<Candidate>& candidates) {
    for (const Candidate& candidate : candidates) {
      if (!candidate.cosine) continue;
      least_ = std::min(least_, *candidate.cosine);
      most_ = std::max(most_, *candidate.cosine);
    }
  }
  [[nodiscard]] double operator()(const std::optional<double>& cosine) const {
    return cosine && most_ > least_ ? (*cosine - least_) / (most_ - least_) : 0;
  }

 private:
  double least_ = 1, most_ = -1;
};

}  // namespace

std::vector<Hit> hits(const Question& question, std::vector<Candidate> candidates, double highest) {
  const Scale nearness(candidates);
  double best = 0;
  bool any_meaning = false;
  for (const Candidate& candidate : candidates) {
    best = std::max(best, candidate.score);
    any_meaning = any_meaning || candidate.cosine;
  }
  const bool by_words = question.ask.mode != RecallMode::semantic;
  for (Candidate& candidate : candidates) {
    if (!by_words) {
      candidate.score = candidate.cosine.value_or(0);
    } else if (any_meaning) {
      candidate.score = (best > 0 ? candidate.score / best : 0) + kMeaning * nearness(candidate.cosine);
    }
  }
  std::ranges::sort(candidates, [](const Candidate& a, const Candidate& b) {
    return std::tie(a.score, a.turn->number) > std::tie(b.score, b.turn->number);
  });
  const double whole = !by_words ? 1 : any_meaning ? 1 + kMeaning : highest;
  std::vector<Hit> found;
  for (Candidate& candidate : candidates) {
    Hit& hit = found.emplace_back();
    if (question.ask.explained) hit.why = why(question, candidate);
    hit.source = source_of(candidate);
    hit.in_own_words = std::ranges::any_of(candidate.matches, &TermMatch::in_own_words);
    hit.score = whole > 0 ? std::clamp(candidate.score / whole, 0.0, 1.0) : 0;
    hit.raw_score = candidate.score;
    hit.thread = std::move(candidate.thread);
    hit.turn = std::move(candidate.turn);
  }
  return found;
}

}  // namespace persona
