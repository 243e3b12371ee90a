#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "persona/recall/postings.hpp"

// Ranking turns by the words they share with a question: the first of two steps, which looks at every turn of a scope.
// The second, shaping.hpp, looks closer at the best of them.
//
// Source: Robertson and Zaragoza, The Probabilistic Relevance Framework: BM25 and Beyond (2009), BM25F; Ding and Suel,
// Faster Top-k Document Retrieval Using Block-Max Indexes (2011).
namespace persona {

/// What counts how much. A turn says a term in its own words (its text, the caption of what it shows, its speaker's
/// name) and, in a second and weaker column, in those of its neighbours: people answer without repeating the question.
/// What each is worth was measured; see docs/recall.md.
struct RankingWeights {
  float saturation = 0.6F;  ///< k1: how much a repeated term still adds
  float length = 0.6F;      ///< b: how much long turns are held back, 0 to 1
  float caption = 0.4F;     ///< a term of the caption, as against one of the text
  float name = 0.1F;        ///< a term of the speaker's name
  static constexpr std::size_t kReach = 3;
  std::array<float, kReach> before{0.4F, 0.2F, 0.1F};  ///< a term of the turn that is 1, 2, 3 places before
  std::array<float, kReach> after{0.2F, 0.15F, 0.1F};  ///< 1, 2, 3 places after
  /// How rare a term is goes by the turns it counts in: those that say it and those within so many places.
  std::uint32_t around = kReach;
  /// It counts as being in no more than this share of all turns, so that none counts for nothing.
  float most_common = 0.9F;
};

/// The place of a turn that comes after the last one of its thread. Where an hour lies between them another episode
/// begins: so many places stay free that its turns are no neighbours of the old one's.
[[nodiscard]] std::uint32_t place_after(std::uint32_t last, double last_timestamp, double timestamp) noexcept;

/// Of the turns that a search looks at, and of nothing else: what others keep can not change a score.
struct ScopeStatistics {
  std::uint64_t turns = 0;
  std::uint64_t terms = 0;  ///< of all of them
};

/// A term of the question and where it was said.
struct TermPostings {
  /// In order of owner, thread and place; one list for each form of the word.
  std::vector<std::vector<PostingGroup>> lists;
  float weight = 1;  ///< as against the other terms
};

struct RankedTurn {
  Address at;
  float score = 0;  ///< higher is better; comparable within one search
  friend bool operator==(const RankedTurn&, const RankedTurn&) = default;
};

/// How a term came into a turn's score.
struct TermMatch {
  Frequency own;        ///< in the turn itself
  float near = 0;       ///< what its neighbours add to the term's frequency
  float frequency = 0;  ///< what the turn itself does
  float score = 0;      ///< the term's part in the turn's score
  [[nodiscard]] bool in_own_words() const { return own.said > 0 || own.captioned || own.named; }
};

/// Which places of a thread may be found, in order; where it is not given, all may.
using AllowedPlaces = std::function<std::vector<std::uint32_t>(std::int64_t thread)>;

/// Scores the turns of a scope and keeps the best.
///
/// Threads are taken one after the other; one whose upper bound does not reach the worst of the best so far is not
/// unpacked. Invariant: what is found is what looking at everything would find. Lifetime: within that of the postings.
class Ranking {
 public:
  Ranking(const RankingWeights& weights, const ScopeStatistics& scope, std::vector<TermPostings> terms);

  /// Whether threads that can not be among the best are passed over.
  enum class Pruning : std::uint8_t { on, off };
  /// The best `most` turns that share a term with the question, best first; the newer one where scores are equal.
  [[nodiscard]] std::vector<RankedTurn> best(std::size_t most, const AllowedPlaces& allowed = {},
                                             Pruning pruning = Pruning::on);
  /// How each term came into the scores of turns, in the order of the terms. `turns` are in order, each once.
  [[nodiscard]] std::vector<std::vector<TermMatch>> matches(std::span<const Address> turns) const;

  /// How telling a term is: the logarithm of how rare it is.
  [[nodiscard]] float rarity(std::size_t term) const { return rarity_[term]; }
  /// What a turn would get that says every term endlessly: scores are below it.
  [[nodiscard]] float highest() const;
  /// Threads that `best` unpacked, last time.
  [[nodiscard]] std::size_t unpacked_threads() const { return unpacked_threads_; }

 private:
  class Best;
  struct Cursor;
  struct Span;

  void score_thread(std::span<const Span> spans, const AllowedPlaces& allowed, Best& best);
  void score_window(std::span<const Span> spans, std::uint32_t from, std::uint32_t end);
  void add(const Span& span, std::uint32_t from, std::uint32_t end);
  [[nodiscard]] float bound(std::span<const Span> spans) const;
  [[nodiscard]] float turns_around(const std::vector<PostingGroup>& list) const;
  void match(const PostingGroup& group, std::size_t term, std::span<const Address> turns,
             std::span<std::vector<TermMatch>> matches) const;
  [[nodiscard]] float spread(const Frequency& frequency, LengthCode length) const;
  [[nodiscard]] float part(float rarity, float frequency) const;
  [[nodiscard]] float own(const Frequency& frequency, LengthCode length) const;

  RankingWeights weights_;
  std::array<float, 256> held_back_{};  // by length: what a frequency is divided by
  std::vector<TermPostings> terms_;
  std::vector<float> rarity_;
  float spread_ = 0;  // the most that neighbours can add to a frequency, as a factor
  std::vector<float> frequency_, score_;
  std::size_t unpacked_threads_ = 0;
};

}  // namespace persona
