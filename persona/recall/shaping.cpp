#include "persona/recall/shaping.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <string_view>

#include "persona/recall/indexed_text.hpp"
#include "persona/recall/time_words.hpp"
#include "persona/recall/words.hpp"
#include "persona/white_space.hpp"

namespace persona {
namespace {

constexpr ShapingWeights kWeights;
constexpr double kDay = 86400;  // seconds

std::vector<std::string> folded_words(std::string_view text) {
  return words_of(text, Likeness::case_and_diacritics);
}

bool ends_with_question(const Turn& turn) {
  const std::string_view text = trimmed(captioned(turn.content).text);
  return text.ends_with('?') || text.ends_with("\uFF1F") || text.ends_with("\u061F");
}

// A query that names somebody has one of the words of the name.
bool names(const Question& question, const std::vector<std::string>& name) {
  return std::ranges::any_of(name, [&](const std::string& word) {
    return std::ranges::find(question.terms, word, &QueryTerm::word) != question.terms.end();
  });
}

/// Changes the scores of candidates, and notes how much by which rule.
class Shaper {
 public:
  Shaper(const Question& question, std::vector<Candidate>& candidates)
      : question_(question),
        candidates_(candidates),
        language_(question.ask.lang.empty() ? Language::english : language_of(question.ask.lang)),
        words_(folded_words(question.ask.query)) {}

  void count_dates();
  void favour_speaker();
  void favour_answers();
  void damp_questions();
  void favour_times();
  void favour_length();
  void favour_recent();

 private:
  static void multiply(Candidate& candidate, std::string_view rule, double factor) {
    if (factor == 1) return;
    candidate.score *= factor;
    candidate.shapes.push_back({rule, factor});
  }
  static void add(Candidate& candidate, std::string_view rule, double more) {
    if (more <= 0) return;
    const double before = candidate.score;
    candidate.score += more;
    candidate.shapes.push_back({rule, before > 0 ? candidate.score / before : 0});
  }
  [[nodiscard]] std::optional<std::string> named_speaker() const;
  template <class Says>
  [[nodiscard]] static bool any_word(const Turn& turn, Says says);

  const Question& question_;
  std::vector<Candidate>& candidates_;
  Language language_;
  std::vector<std::string> words_;
};

void Shaper::count_dates() {
  // Most questions have no such word: then no date has to be taken apart.
  const auto may_be_date = [this](const QueryTerm& term) {
    return std::ranges::all_of(term.word, [](char c) { return c >= '0' && c <= '9'; }) ||
           says_a_time(term.word, language_);
  };
  if (std::ranges::none_of(question_.terms, may_be_date)) return;
  for (Candidate& candidate : candidates_) {
    double rarity = 0;
    const auto date = date_words(candidate.turn->timestamp, language_);
    for (std::size_t i = 0; i < question_.terms.size(); ++i) {
      if (std::ranges::find(date, question_.terms[i].word) != date.end()) rarity += question_.rarity[i];
    }
    add(candidate, "date", kWeights.date * rarity);
  }
}

// Only where it is one: a question about two of them is about neither alone.
std::optional<std::string> Shaper::named_speaker() const {
  std::set<std::string> named;
  for (const Candidate& candidate : candidates_) {
    const std::string& name = candidate.turn->name;
    if (!name.empty() && !named.contains(name) && names(question_, folded_words(name))) named.insert(name);
  }
  return named.size() == 1 ? std::optional(*named.begin()) : std::nullopt;
}

void Shaper::favour_speaker() {
  const auto named = named_speaker();
  if (!named) return;
  for (Candidate& candidate : candidates_) {
    if (candidate.turn->name == *named) multiply(candidate, "speaker", kWeights.speaker);
  }
}

// Candidates stand in order of their places.
void Shaper::favour_answers() {
  double before = 0;
  for (std::size_t i = 1; i < candidates_.size(); ++i) {
    const Candidate& asked = candidates_[i - 1];
    const double its_score = asked.score - before;  // without what it was given as an answer itself
    before = 0;
    const Address& at = candidates_[i].at;
    const bool next = asked.at.owner == at.owner && asked.at.thread == at.thread && asked.at.place + 1 == at.place;
    if (!next || !ends_with_question(*asked.turn)) continue;
    before = kWeights.answer * its_score;
    add(candidates_[i], "answer", before);
  }
}

void Shaper::damp_questions() {
  for (Candidate& candidate : candidates_) {
    if (ends_with_question(*candidate.turn)) multiply(candidate, "question", kWeights.question);
  }
}

template <class Says>
bool Shaper::any_word(const Turn& turn, Says says) {
  const Language language = turn.lang.empty() ? Language::english : language_of(turn.lang);
  bool any = false;
  each_word(captioned(turn.content).text, Likeness::case_and_diacritics,
            [&](std::string_view word) { any = any || says(word, language); });
  return any;
}

void Shaper::favour_times() {
  const bool when = asks_for_a_time(words_, language_);
  const bool how_many = asks_for_a_number(words_, language_);
  if (!when && !how_many) return;
  for (Candidate& candidate : candidates_) {
    if (when && any_word(*candidate.turn, says_a_time)) multiply(candidate, "time", kWeights.time);
    if (how_many && any_word(*candidate.turn, says_a_number)) multiply(candidate, "number", kWeights.number);
  }
}

void Shaper::favour_length() {
  for (Candidate& candidate : candidates_) {
    double words = 0;
    each_word(captioned(candidate.turn->content).text, Likeness::letter_case, [&](std::string_view) { ++words; });
    const double longer = std::min(words / std::max(question_.average_length, 1.0), 2.0);
    multiply(candidate, "length", 1 + kWeights.length * (longer - 1));
  }
}

void Shaper::favour_recent() {
  for (Candidate& candidate : candidates_) {
    const double days = std::max(0.0, question_.ask.now - candidate.turn->timestamp) / kDay;
    multiply(candidate, "recency", 1 + kWeights.recency * std::exp2(-days / kWeights.recency_days));
  }
}

}  // namespace

RankingWeights ranking_weights(const ShapingSettings& settings) {
  RankingWeights weights;
  if (!settings.speaker) weights.name = 0;
  if (!settings.captions) weights.caption = 0;
  return weights;
}

void shape(const Question& question, const ShapingSettings& settings, std::vector<Candidate>& candidates) {
  Shaper shaper(question, candidates);
  if (settings.dates) shaper.count_dates();
  if (settings.speaker) shaper.favour_speaker();
  if (settings.question) shaper.favour_answers();
  if (settings.question) shaper.damp_questions();
  if (settings.dates) shaper.favour_times();
  shaper.favour_length();
  if (settings.recency) shaper.favour_recent();
}

}  // namespace persona
