#include "persona/recall/ranking.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

namespace persona {
namespace {

constexpr std::uint32_t kWindow = 8192;  // places that are scored at once: bounds the memory of long threads
constexpr double kEpisodeGap = 3600;     // seconds
// Sums in another order differ in their last digits: a bound must not be below what it bounds.
constexpr float kRounding = 1.0001F;

bool is_better(const RankedTurn& a, const RankedTurn& b) {
  return std::tie(a.score, a.at) > std::tie(b.score, b.at);
}

std::uint32_t first_place(const PostingGroup& group) {
  std::span<const std::uint8_t> body = group.body;
  return static_cast<std::uint32_t>(take_number(body).value_or(0));
}

std::uint32_t last_place(const PostingGroup& group) {
  std::uint32_t last = 0;
  each_posting(group, [&last](std::uint32_t place, Frequency, LengthCode) { last = place; });
  return last;
}

}  // namespace

std::uint32_t place_after(std::uint32_t last, double last_timestamp, double timestamp) noexcept {
  const bool same_episode = std::abs(timestamp - last_timestamp) <= kEpisodeGap;
  return last + 1 + (same_episode ? 0 : static_cast<std::uint32_t>(RankingWeights::kReach));
}

/// The best so far.
class Ranking::Best {
 public:
  explicit Best(std::size_t most) : most_(most) { heap_.reserve(most); }
  void offer(const RankedTurn& turn) {
    if (heap_.size() < most_) {
      heap_.push_back(turn);
    } else if (most_ > 0 && is_better(turn, heap_.front())) {
      std::ranges::pop_heap(heap_, is_better);
      heap_.back() = turn;
    } else {
      return;
    }
    std::ranges::push_heap(heap_, is_better);
  }
  /// A lower score is not among the best.
  [[nodiscard]] float worst() const { return heap_.size() < most_ ? 0 : heap_.front().score; }
  std::vector<RankedTurn> sorted() {
    std::ranges::sort(heap_, is_better);
    return std::move(heap_);
  }

 private:
  std::size_t most_;
  std::vector<RankedTurn> heap_;  // the worst in front
};

/// How far a list was read.
struct Ranking::Cursor {
  std::size_t term = 0;
  std::span<const PostingGroup> rest;
};

/// The groups of one list that belong to one thread.
struct Ranking::Span {
  std::size_t term = 0;
  std::span<const PostingGroup> groups;
};

Ranking::Ranking(const RankingWeights& weights, const ScopeStatistics& scope, std::vector<TermPostings> terms)
    : weights_(weights), terms_(std::move(terms)) {
  const float turns = static_cast<float>(std::max<std::uint64_t>(scope.turns, 1));
  const float average = std::max(1.0F, static_cast<float>(scope.terms) / turns);
  for (std::size_t code = 0; code < held_back_.size(); ++code) {
    const float length = LengthCode::stored(static_cast<std::uint8_t>(code)).terms();
    held_back_[code] = 1 - weights_.length + weights_.length * length / average;
  }
  for (std::size_t i = 0; i < RankingWeights::kReach; ++i) spread_ += weights_.before[i] + weights_.after[i];
  for (const TermPostings& term : terms_) {
    float turns_with = 0;
    for (const auto& list : term.lists) turns_with += turns_around(list);
    turns_with = std::min(turns_with, turns * weights_.most_common);
    rarity_.push_back(term.weight * std::log1p((turns - turns_with + 0.5F) / (turns_with + 0.5F)));
  }
}

// Places that no turn has count as well: at the ends of episodes this takes terms for a little more common.
float Ranking::turns_around(const std::vector<PostingGroup>& list) const {
  float turns = 0;
  std::int64_t thread = 0;
  std::uint32_t end = 0;  // of what was counted
  for (const PostingGroup& group : list) {
    if (group.thread != thread) end = 0;
    thread = group.thread;
    each_posting(group, [&](std::uint32_t place, Frequency, LengthCode) {
      const std::uint32_t from = std::max(end, place > weights_.around ? place - weights_.around : 0);
      end = place + weights_.around + 1;
      turns += static_cast<float>(end - from);
    });
  }
  return turns;
}

float Ranking::part(float rarity, float frequency) const {
  return rarity * (weights_.saturation + 1) * frequency / (frequency + weights_.saturation);
}

float Ranking::own(const Frequency& frequency, LengthCode length) const {
  const float said = static_cast<float>(frequency.said) + (frequency.captioned ? weights_.caption : 0) +
                     (frequency.named ? weights_.name : 0);
  return said / held_back_[length.byte()];
}

// A speaker's name is no word of the neighbours.
float Ranking::spread(const Frequency& frequency, LengthCode length) const {
  Frequency said = frequency;
  said.named = false;
  return own(said, length);
}

float Ranking::highest() const {
  float sum = 0;
  for (const float rarity : rarity_) sum += rarity * (weights_.saturation + 1);
  return sum;
}

float Ranking::bound(std::span<const Span> spans) const {
  float sum = 0;
  for (const Span& span : spans) {
    float most = 0;
    for (const PostingGroup& group : span.groups) {
      const Frequency frequency{group.most_said, group.any_captioned, group.any_named};
      most = std::max(most, own(frequency, group.shortest) + spread_ * spread(frequency, group.shortest));
    }
    sum += part(rarity_[span.term], most);
  }
  return sum * kRounding;
}

std::vector<RankedTurn> Ranking::best(std::size_t most, const AllowedPlaces& allowed, Pruning pruning) {
  std::vector<Cursor> cursors;
  for (std::size_t term = 0; term < terms_.size(); ++term) {
    for (const auto& list : terms_[term].lists) {
      if (!list.empty()) cursors.push_back({term, list});
    }
  }
  Best best(most);
  unpacked_threads_ = 0;
  std::vector<Span> spans;
  const auto key = [](const Cursor& cursor) {
    return std::pair(cursor.rest.front().owner, cursor.rest.front().thread);
  };
  while (!cursors.empty()) {
    const auto next = key(*std::ranges::min_element(cursors, {}, key));
    spans.clear();
    for (Cursor& cursor : cursors) {
      std::size_t groups = 0;
      while (groups < cursor.rest.size() && cursor.rest[groups].owner == next.first &&
             cursor.rest[groups].thread == next.second) {
        ++groups;
      }
      if (groups > 0) spans.push_back({cursor.term, cursor.rest.first(groups)});
      cursor.rest = cursor.rest.subspan(groups);
    }
    std::erase_if(cursors, [](const Cursor& cursor) { return cursor.rest.empty(); });
    if (pruning == Pruning::on && bound(spans) < best.worst()) continue;
    ++unpacked_threads_;
    score_thread(spans, allowed, best);
  }
  return best.sorted();
}

void Ranking::score_thread(std::span<const Span> spans, const AllowedPlaces& allowed, Best& best) {
  constexpr auto kReach = static_cast<std::uint32_t>(RankingWeights::kReach);
  std::uint32_t first = ~std::uint32_t{0};
  std::uint32_t last = 0;
  for (const Span& span : spans) {
    first = std::min(first, first_place(span.groups.front()));
    last = std::max(last, last_place(span.groups.back()));
  }
  first = first > kReach ? first - kReach : 0;
  const std::uint32_t end = last + kReach + 1;
  const PostingGroup& thread = spans.front().groups.front();
  std::optional<std::vector<std::uint32_t>> places;
  if (allowed) places = allowed(thread.thread);
  for (std::uint32_t from = first; from < end; from += kWindow) {
    const std::uint32_t window_end = std::min(end, from + kWindow);
    score_window(spans, from, window_end);
    float worst = best.worst();
    for (std::uint32_t place = from; place < window_end; ++place) {
      const float score = score_[place - from];
      if (score <= 0 || score < worst) continue;
      if (places && !std::ranges::binary_search(*places, place)) continue;
      best.offer({{thread.owner, thread.thread, place}, score});
      worst = best.worst();
    }
  }
}

// Spans of one term stand together.
void Ranking::score_window(std::span<const Span> spans, std::uint32_t from, std::uint32_t end) {
  score_.assign(end - from, 0);
  for (std::size_t i = 0; i < spans.size();) {
    const std::size_t term = spans[i].term;
    frequency_.assign(end - from, 0);
    for (; i < spans.size() && spans[i].term == term; ++i) add(spans[i], from, end);
    const float rarity = rarity_[term];
    for (std::size_t place = 0; place < score_.size(); ++place) score_[place] += part(rarity, frequency_[place]);
  }
}

void Ranking::add(const Span& span, std::uint32_t from, std::uint32_t end) {
  const auto add_at = [&](std::int64_t place, float frequency) {
    if (place >= from && place < end) frequency_[static_cast<std::size_t>(place - from)] += frequency;
  };
  for (std::size_t i = 0; i < span.groups.size(); ++i) {
    const PostingGroup& group = span.groups[i];
    if (first_place(group) >= end + RankingWeights::kReach) break;
    const bool before_window =
        i + 1 < span.groups.size() && first_place(span.groups[i + 1]) + RankingWeights::kReach < from;
    if (before_window) continue;
    each_posting(group, [&](std::uint32_t place, Frequency frequency, LengthCode length) {
      add_at(place, own(frequency, length));
      const float shared = spread(frequency, length);
      for (std::size_t k = 0; k < RankingWeights::kReach; ++k) {
        const auto distance = static_cast<std::int64_t>(k) + 1;
        add_at(place + distance, weights_.before[k] * shared);
        add_at(place - distance, weights_.after[k] * shared);
      }
    });
  }
}

std::vector<std::vector<TermMatch>> Ranking::matches(std::span<const Address> turns) const {
  std::vector<std::vector<TermMatch>> matches(turns.size(), std::vector<TermMatch>(terms_.size()));
  const auto thread_of = [](const auto& one) { return std::pair(one.owner, one.thread); };
  for (std::size_t term = 0; term < terms_.size(); ++term) {
    for (const auto& list : terms_[term].lists) {
      for (std::size_t from = 0; from < turns.size();) {
        const auto same = std::ranges::equal_range(turns.subspan(from), thread_of(turns[from]), {}, thread_of);
        const auto end = from + static_cast<std::size_t>(std::ranges::size(same));
        for (const PostingGroup& group : std::ranges::equal_range(list, thread_of(turns[from]), {}, thread_of)) {
          match(group, term, turns.subspan(from, end - from), std::span(matches).subspan(from, end - from));
        }
        from = end;
      }
    }
    for (auto& turn : matches) turn[term].score = part(rarity_[term], turn[term].frequency + turn[term].near);
  }
  return matches;
}

// Postings and turns are of one thread, and both in order.
void Ranking::match(const PostingGroup& group, std::size_t term, std::span<const Address> turns,
                    std::span<std::vector<TermMatch>> matches) const {
  constexpr auto kReach = static_cast<std::int64_t>(RankingWeights::kReach);
  std::size_t first = 0;  // the first turn that this posting, or one after it, can reach
  each_posting(group, [&](std::uint32_t place, Frequency here, LengthCode length) {
    while (first < turns.size() && std::int64_t{turns[first].place} + kReach < std::int64_t{place}) ++first;
    for (std::size_t i = first; i < turns.size(); ++i) {
      const std::int64_t distance = std::int64_t{turns[i].place} - std::int64_t{place};
      if (distance > kReach) break;
      TermMatch& match = matches[i][term];
      if (distance == 0) {
        match.own = here;
        match.frequency += own(here, length);
        continue;
      }
      const auto k = static_cast<std::size_t>(std::abs(distance) - 1);
      match.near += (distance > 0 ? weights_.before[k] : weights_.after[k]) * spread(here, length);
    }
  });
}

}  // namespace persona
