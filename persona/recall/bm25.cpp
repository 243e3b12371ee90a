#include "persona/recall/bm25.hpp"

#include <algorithm>
#include <cmath>

#include "persona/recall/words.hpp"

namespace persona {
namespace {

constexpr double kSaturation = 1.2;  // k1: how much a repeated word still adds
constexpr double kLength = 0.75;     // b: how much long texts are held back
constexpr double kLeastRarity = 1e-6;

}  // namespace

Bm25::Bm25(std::string_view query) {
  each_word(query, Likeness::case_and_diacritics, [this](std::string_view word) {
    const auto [at, added] = query_.try_emplace(std::string(word), query_.size());
    if (added) repeats_.push_back(0);
    ++repeats_[at->second];
  });
  documents_with_.resize(query_.size());
}

void Bm25::add(std::string_view text) {
  Match match;
  match.document = documents_++;
  match.frequency.resize(query_.size());
  bool any = false;
  each_word(text, Likeness::case_and_diacritics, [&](std::string_view word) {
    ++match.length;
    const auto found = query_.find(word);
    if (found == query_.end()) return;
    any = true;
    if (match.frequency[found->second]++ == 0) ++documents_with_[found->second];
  });
  words_ += match.length;
  if (any) matches_.push_back(std::move(match));
}

std::vector<Bm25::Scored> Bm25::best(std::size_t most) const {
  if (matches_.empty()) return {};
  const double average = static_cast<double>(words_) / static_cast<double>(documents_);
  std::vector<double> rarity(query_.size());
  for (std::size_t word = 0; word < rarity.size(); ++word) {
    const auto with = static_cast<double>(documents_with_[word]);
    rarity[word] = std::max(kLeastRarity, std::log((static_cast<double>(documents_) - with + 0.5) / (with + 0.5)));
    rarity[word] *= static_cast<double>(repeats_[word]);
  }
  std::vector<Scored> scored;
  scored.reserve(matches_.size());
  for (const Match& match : matches_) {
    double score = 0;
    const double held_back = kSaturation * (1 - kLength + kLength * static_cast<double>(match.length) / average);
    for (std::size_t word = 0; word < rarity.size(); ++word) {
      const double frequency = match.frequency[word];
      score += rarity[word] * frequency * (kSaturation + 1) / (frequency + held_back);
    }
    scored.push_back({match.document, score});
  }
  std::ranges::stable_sort(scored, std::ranges::greater(), &Scored::score);
  if (scored.size() > most) scored.resize(most);
  return scored;
}

}  // namespace persona
