#include "persona/recall/hits.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace persona {
namespace {

// What the nearest meaning adds, as a share of the best score by words; found by measuring, see docs/recall.md.
constexpr double kMeaning = 0.45;

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

/// Cosines on a scale from their mean (0) to the nearest (1).
class Nearness {
 public:
  explicit Nearness(const std::vector<Candidate>& candidates) {
    double sum = 0, count = 0;
    for (const Candidate& candidate : candidates) {
      if (!candidate.cosine) continue;
      sum += *candidate.cosine;
      most_ = ++count == 1 ? *candidate.cosine : std::max(most_, *candidate.cosine);
    }
    if (count > 0) mean_ = sum / count;
    single_ = count == 1;
  }
  [[nodiscard]] double operator()(const std::optional<double>& cosine) const {
    if (!cosine || (single_ && *cosine <= 0)) return 0;
    return most_ > mean_ ? std::max(0.0, (*cosine - mean_) / (most_ - mean_)) : single_ ? 1 : 0;
  }

 private:
  double mean_ = 0, most_ = 0;
  bool single_ = false;
};

}  // namespace

void fuse(const Question& question, double highest, std::vector<Candidate>& candidates) {
  const Nearness nearness(candidates);
  double best = 0;
  for (const Candidate& candidate : candidates) best = std::max(best, candidate.words);
  if (best <= 0) best = highest > 0 ? highest : 1;  // nobody shares a word with the question
  for (Candidate& candidate : candidates) {
    const bool by_words = question.ask.mode != RecallMode::semantic;
    candidate.score = by_words ? candidate.words + kMeaning * best * nearness(candidate.cosine)
                               : std::max(0.0, candidate.cosine.value_or(0));
  }
}

std::vector<Hit> hits(const Question& question, double highest, std::vector<Candidate> candidates) {
  std::ranges::sort(candidates, [](const Candidate& a, const Candidate& b) {
    return std::tie(a.score, a.turn->number) > std::tie(b.score, b.turn->number);
  });
  const bool any_meaning = std::ranges::any_of(candidates, [](const Candidate& one) { return one.cosine.has_value(); });
  double whole = question.ask.mode == RecallMode::semantic ? 1 : highest * (any_meaning ? 1 + kMeaning : 1);
  if (whole <= 0) whole = 1 + kMeaning;
  std::vector<Hit> found;
  for (Candidate& candidate : candidates) {
    if (candidate.score <= 0) break;
    Hit& hit = found.emplace_back();
    if (question.ask.explained) hit.why = why(question, candidate);
    hit.source = source_of(candidate);
    hit.in_own_words = std::ranges::any_of(candidate.matches, &TermMatch::in_own_words);
    hit.score = std::clamp(candidate.score / whole, 0.0, 1.0);
    hit.raw_score = candidate.score;
    hit.thread = std::move(candidate.thread);
    hit.turn = std::move(candidate.turn);
  }
  return found;
}

}  // namespace persona
