#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "persona/memory/embedding_model.hpp"
#include "persona/recall/recall.hpp"

namespace persona {

/// What an operator should know about looking for meanings.
struct QuestionMeaningsStatus {
  std::uint64_t asked = 0;
  std::uint64_t remembered = 0;      ///< of these, those that the model was not asked for again
  std::uint64_t by_words_alone = 0;  ///< of these, those that the model did not answer, or not in time
  std::string trouble;               ///< why the last one was; empty: it was not
};

/// The embeddings of what is looked for, for searches and for contexts.
///
/// A model in this process answers at once. An endpoint has as long as `timeout` of its address says; what it does not
/// answer is looked for by its words alone. The last questions are remembered. Threading: io thread.
class QuestionMeanings {
 public:
  QuestionMeanings(EmbeddingModel model, LanguageModels& models);
  ~QuestionMeanings();
  QuestionMeanings(const QuestionMeanings&) = delete;
  QuestionMeanings& operator=(const QuestionMeanings&) = delete;

  /// Empty: there is none, words have to do.
  using Found = std::function<void(Embedding)>;
  void of(std::string_view question, Found found);
  /// The asks with their meanings, where they may use them.
  using Filled = std::function<void(std::vector<RecallAsk>)>;
  void fill(std::vector<RecallAsk> asks, Filled filled);

  [[nodiscard]] const QuestionMeaningsStatus& status() const { return status_; }

  static constexpr std::size_t kMostRemembered = 256;

 private:
  void fill(std::vector<RecallAsk> asks, std::size_t from, Filled filled);
  void answered(const std::string& question, ModelResult<LanguageModels::Vectors> answer, const Found& found);
  void remember(const std::string& question, const Embedding& meaning);

  const EmbeddingModel model_;
  LanguageModels& models_;
  std::shared_ptr<QuestionMeanings*> self_;  // callbacks find out through it whether this is still there
  using Remembered = std::list<std::pair<std::string, Embedding>>;  // most recently asked first
  Remembered remembered_;
  std::unordered_map<std::string_view, Remembered::iterator> places_;  // keys are texts of `remembered_`
  QuestionMeaningsStatus status_;
};

}  // namespace persona
