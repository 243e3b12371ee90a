#include "persona/question_meanings.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <utility>

namespace persona {
namespace {

const std::string& of_meaning(const RecallAsk& ask) {
  return ask.nameless.empty() ? ask.query : ask.nameless;
}

}  // namespace

QuestionMeanings::QuestionMeanings(EmbeddingModel model, LanguageModels& models)
    : model_(std::move(model)), models_(models), self_(std::make_shared<QuestionMeanings*>(this)) {}

QuestionMeanings::~QuestionMeanings() {
  *self_ = nullptr;
}

void QuestionMeanings::of(std::string_view question, Found found) {
  question = embedded_part(question);
  if (question.empty()) return found({});
  ++status_.asked;
  if (model_.in_process) return found(model_.in_process(model_.query_prefix + std::string(question)));
  if (const auto known = places_.find(question); known != places_.end()) {
    ++status_.remembered;
    remembered_.splice(remembered_.begin(), remembered_, known->second);
    return found(remembered_.front().second);
  }
  std::string text(question);
  models_.embed(model_.address, {model_.query_prefix + text},
                [self = self_, text, found = std::move(found)](ModelResult<LanguageModels::Vectors> answer) {
                  if (*self == nullptr) return found({});
                  (*self)->answered(text, std::move(answer), found);
                });
}

void QuestionMeanings::answered(const std::string& question, ModelResult<LanguageModels::Vectors> answer,
                                const Found& found) {
  if (const auto* error = std::get_if<ModelError>(&answer)) {
    ++status_.by_words_alone;
    const bool anew = status_.trouble.empty() && error->kind != ModelError::Kind::closed;
    status_.trouble = error->words;
    if (anew) spdlog::warn("what is looked for is looked for by its words alone: {}: {}", model_.name, error->words);
    return found({});
  }
  if (!std::exchange(status_.trouble, {}).empty()) {
    spdlog::info("what is looked for is looked for by its meaning again");
  }
  Embedding meaning = std::move(std::get<LanguageModels::Vectors>(answer).front());
  remember(question, meaning);
  found(std::move(meaning));
}

void QuestionMeanings::remember(const std::string& question, const Embedding& meaning) {
  if (places_.contains(question)) return;  // two asked at the same time
  if (remembered_.size() == kMostRemembered) {
    places_.erase(remembered_.back().first);
    remembered_.pop_back();
  }
  remembered_.emplace_front(question, meaning);
  places_.emplace(remembered_.front().first, remembered_.begin());
}

void QuestionMeanings::fill(std::vector<RecallAsk> asks, Filled filled) {
  fill(std::move(asks), 0, std::move(filled));
}

// What is looked for several times, as the members of a composite do, is asked for once. Where there is no meaning,
// words have to do for those as well who asked for meanings alone.
void QuestionMeanings::fill(std::vector<RecallAsk> asks, std::size_t from, Filled filled) {
  const auto uses_meaning = [](const RecallAsk& ask) { return ask.mode != RecallMode::lexical; };
  const auto is_to_ask = [&](const RecallAsk& ask) {
    const auto same = [&](const RecallAsk& other) {
      return uses_meaning(other) && of_meaning(other) == of_meaning(ask);
    };
    return uses_meaning(ask) && std::ranges::find_if(asks, same) - asks.begin() == &ask - asks.data();
  };
  while (from < asks.size() && !is_to_ask(asks[from])) ++from;
  if (from == asks.size()) return filled(std::move(asks));
  const std::string question = of_meaning(asks[from]);
  of(question, [self = self_, asks = std::move(asks), from, question,
                filled = std::move(filled)](const Embedding& meaning) mutable {
    for (std::size_t i = from; i < asks.size(); ++i) {
      if (of_meaning(asks[i]) != question || asks[i].mode == RecallMode::lexical) continue;
      asks[i].meaning = meaning;
      if (meaning.empty()) asks[i].mode = RecallMode::automatic;
    }
    if (*self == nullptr) return filled(std::move(asks));
    (*self)->fill(std::move(asks), from + 1, std::move(filled));
  });
}

}  // namespace persona
