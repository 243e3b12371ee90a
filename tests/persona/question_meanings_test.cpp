#include "persona/question_meanings.hpp"

#include <doctest/doctest.h>

#include <deque>

#include "tests/fakes/meanings.hpp"

namespace persona {
namespace {

/// A model that answers when the test says so.
class ScriptedModel final : public LanguageModels {
 public:
  void chat(ChatAsk, Answer) override {}
  void embed(ModelAddress, std::vector<std::string> texts, std::function<void(ModelResult<Vectors>)> done) override {
    asked.push_back({std::move(texts), std::move(done)});
  }
  void answer() {
    Vectors vectors;
    for (const std::string& text : asked.front().texts) vectors.push_back(tests::meaning_of(text));
    reply(std::move(vectors));
  }
  void fail(const char* words) {
    ModelError error;
    error.kind = ModelError::Kind::timed_out;
    error.words = words;
    reply(error);
  }
  void reply(ModelResult<Vectors> with) {
    REQUIRE_FALSE(asked.empty());
    auto next = std::move(asked.front());
    asked.pop_front();
    next.done(std::move(with));
  }
  struct Asked {
    std::vector<std::string> texts;
    std::function<void(ModelResult<Vectors>)> done;
  };
  std::deque<Asked> asked;
};

EmbeddingModel endpoint() {
  EmbeddingModel model;
  model.name = "a model";
  model.query_prefix = "query: ";
  return model;
}

/// The meanings that were found so far, in order.
struct Answers {
  std::vector<Embedding> all;
  QuestionMeanings::Found next() {
    return [this](Embedding found) { all.push_back(std::move(found)); };
  }
};

RecallAsk ask_for(std::string query, RecallMode mode = RecallMode::automatic) {
  RecallAsk ask;
  ask.query = std::move(query);
  ask.mode = mode;
  return ask;
}

TEST_CASE("a model in this process answers at once, with the prefix of questions") {
  ScriptedModel models;
  EmbeddingModel model = endpoint();
  std::vector<std::string> texts;
  model.in_process = [&](std::string_view text) {
    texts.emplace_back(text);
    return tests::meaning_of(text);
  };
  QuestionMeanings meanings(model, models);
  Answers answers;
  meanings.of(" the dog ", answers.next());
  REQUIRE(answers.all.size() == 1);
  CHECK(answers.all[0] == tests::meaning_of("dog"));
  CHECK(texts == std::vector<std::string>{"query: the dog"});
  CHECK(models.asked.empty());
}

TEST_CASE("an endpoint is asked once for the same question, and its answer remembered") {
  ScriptedModel models;
  QuestionMeanings meanings(endpoint(), models);
  Answers answers;
  meanings.of("the dog", answers.next());
  REQUIRE(models.asked.size() == 1);
  CHECK(models.asked[0].texts == std::vector<std::string>{"query: the dog"});
  CHECK(answers.all.empty());
  models.answer();
  meanings.of("the dog", answers.next());
  CHECK(models.asked.empty());
  REQUIRE(answers.all.size() == 2);
  CHECK(answers.all[1] == tests::meaning_of("dog"));
  CHECK(meanings.status().asked == 2);
  CHECK(meanings.status().remembered == 1);
}

TEST_CASE("of many questions those that were asked last are remembered") {
  ScriptedModel models;
  QuestionMeanings meanings(endpoint(), models);
  Answers answers;
  const auto ask = [&](std::size_t i) {
    meanings.of("dog " + std::to_string(i), answers.next());
    const bool asked = !models.asked.empty();
    if (asked) models.answer();
    return asked;
  };
  for (std::size_t i = 0; i < QuestionMeanings::kMostRemembered; ++i) CHECK(ask(i));
  CHECK_FALSE(ask(0));  // which is the newest one now
  CHECK(ask(QuestionMeanings::kMostRemembered));
  CHECK_FALSE(ask(0));
  CHECK(ask(1));
}

TEST_CASE("what an endpoint does not answer is looked for by its words alone, and asked for again next time") {
  ScriptedModel models;
  QuestionMeanings meanings(endpoint(), models);
  Answers answers;
  meanings.of("the dog", answers.next());
  models.fail("no answer in time");
  REQUIRE(answers.all.size() == 1);
  CHECK(answers.all[0].empty());
  CHECK(meanings.status().by_words_alone == 1);
  CHECK(meanings.status().trouble == "no answer in time");
  meanings.of("the dog", answers.next());
  models.answer();
  CHECK_FALSE(answers.all[1].empty());
  CHECK(meanings.status().trouble.empty());
}

TEST_CASE("nothing is asked for nothing") {
  ScriptedModel models;
  QuestionMeanings meanings(endpoint(), models);
  Answers answers;
  meanings.of("  ", answers.next());
  REQUIRE(answers.all.size() == 1);
  CHECK(answers.all[0].empty());
  CHECK(models.asked.empty());
}

TEST_CASE("of several asks those that may use meanings get theirs, each question asked for once") {
  ScriptedModel models;
  QuestionMeanings meanings(endpoint(), models);
  std::vector<RecallAsk> got;
  meanings.fill({ask_for("dog", RecallMode::lexical), ask_for("dog"), ask_for("tea", RecallMode::semantic),
                 ask_for("dog"), ask_for("rain"), ask_for("tea")},
                [&](std::vector<RecallAsk> asks) { got = std::move(asks); });
  models.answer();
  models.fail("down");
  models.answer();
  REQUIRE(got.size() == 6);
  CHECK(got[0].meaning.empty());
  CHECK(got[1].meaning == tests::meaning_of("dog"));
  CHECK(got[2].meaning.empty());
  CHECK(got[2].mode == RecallMode::automatic);  // not answered: words have to do
  CHECK(got[3].meaning == tests::meaning_of("dog"));
  CHECK(got[4].meaning == tests::meaning_of("rain"));
  CHECK(got[5].meaning.empty());
  CHECK(models.asked.empty());  // also not for what was not answered a moment ago
}

TEST_CASE("an answer that comes after the end leaves words alone") {
  ScriptedModel models;
  auto meanings = std::make_unique<QuestionMeanings>(endpoint(), models);
  std::vector<RecallAsk> got;
  meanings->fill({ask_for("dog"), ask_for("tea")}, [&](std::vector<RecallAsk> asks) { got = std::move(asks); });
  meanings.reset();
  models.answer();
  REQUIRE(got.size() == 2);
  CHECK(got[1].meaning.empty());
}

}  // namespace
}  // namespace persona
