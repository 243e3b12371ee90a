#include "persona/embedder.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <deque>

#include "tests/fakes/meanings.hpp"
#include "tests/persona/store/store.hpp"

namespace persona {
namespace {

using namespace std::chrono_literals;
using testing::kThread;
using testing::row;
using testing::Store;
using testing::TemporaryFolder;
using Kind = ModelError::Kind;

/// A model that answers when the test says so.
class ScriptedModel final : public LanguageModels {
 public:
  using Texts = std::vector<std::string>;
  void chat(ChatAsk, Answer) override {}
  void embed(ModelAddress, Texts texts, std::function<void(ModelResult<Vectors>)> done) override {
    asked.push_back({std::move(texts), std::move(done)});
  }
  /// Answers the oldest question; with so many dimensions more than usual.
  void answer(std::size_t more = 0) {
    Vectors vectors;
    for (const std::string& text : asked.front().texts) {
      vectors.push_back(tests::meaning_of(text));
      vectors.back().resize(vectors.back().size() + more, 0.0F);
    }
    reply(std::move(vectors));
  }
  void fail(Kind kind, std::string words = "down") {
    ModelError error;
    error.kind = kind;
    error.words = std::move(words);
    reply(error);
  }
  void reply(ModelResult<Vectors> with) {
    REQUIRE_FALSE(asked.empty());
    auto next = std::move(asked.front());
    asked.pop_front();
    next.done(std::move(with));
  }
  struct Asked {
    Texts texts;
    std::function<void(ModelResult<Vectors>)> done;
  };
  std::deque<Asked> asked;
};

EmbeddingModel endpoint(std::string fingerprint = "m") {
  EmbeddingModel model;
  model.name = "a model";
  model.fingerprint = std::move(fingerprint);
  model.passage_prefix = "passage: ";
  return model;
}

/// A store, and what gives its turns their embeddings.
struct Workshop {
  TemporaryFolder folder;
  std::unique_ptr<Store> store = std::make_unique<Store>(folder);
  ScriptedModel model;
  std::optional<std::chrono::steady_clock::time_point> due;
  Moment now = Moment::now();
  std::unique_ptr<Embedder> embedder;
  Number next = 1;

  explicit Workshop(const EmbeddingModel& with = endpoint()) { start(with); }
  void start(const EmbeddingModel& with) {
    due.reset();
    embedder = std::make_unique<Embedder>(
        store->archive(), with, model, [this] { return now; },
        [this](std::chrono::steady_clock::time_point at) { due = at; });
  }
  void say(const std::string& text, std::size_t times = 1) {
    std::vector<Row> rows;
    for (std::size_t i = 0; i < times; ++i) rows.push_back(row(next++, text));
    store->archive().append(std::move(rows), [](StoreResult<void>) {});
    embedder->wake();
    settle();
  }
  void settle() {
    for (int i = 0; i < 12; ++i) store->flush();
  }
  void answer(std::size_t more = 0) {
    model.answer(more);
    settle();
  }
  void fail(Kind kind) {
    model.fail(kind);
    settle();
  }
  void pass(std::chrono::steady_clock::duration time) {
    now.steady += time;
    embedder->tick();
    settle();
  }
  std::size_t asked_texts() { return model.asked.empty() ? 0 : model.asked.front().texts.size(); }
  const EmbedderStatus& status() { return embedder->status(); }
};

TEST_CASE("what is said is embedded behind, with the prefix of passages, one question at a time") {
  Workshop shop;
  shop.say("my dog");
  REQUIRE(shop.model.asked.size() == 1);
  CHECK(shop.model.asked[0].texts == ScriptedModel::Texts{"passage: my dog"});
  shop.say("my tea");
  shop.say("my car");
  CHECK(shop.model.asked.size() == 1);
  shop.answer();
  REQUIRE(shop.model.asked.size() == 1);
  CHECK(shop.model.asked[0].texts == ScriptedModel::Texts{"passage: my car", "passage: my tea"});
  shop.answer();
  CHECK(shop.model.asked.empty());
  CHECK(shop.status().embedded == 3);
  CHECK(shop.status().waiting == 0);
}

TEST_CASE("a model in this process embeds without a question to anybody") {
  EmbeddingModel model = endpoint();
  model.in_process = tests::meaning_of;
  Workshop shop(model);
  shop.say("my dog", 200);
  CHECK(shop.status().embedded == 200);
  CHECK(shop.status().waiting == 0);
  shop.say("my tea");
  CHECK(shop.status().embedded == 201);
  CHECK(shop.model.asked.empty());
}

TEST_CASE("an endpoint that is down loses nothing, is tried again after longer and longer, and then catches up") {
  Workshop shop;
  shop.say("my dog");
  shop.fail(Kind::unreachable);
  CHECK(shop.status().trouble == "down");
  CHECK(shop.status().waiting == 1);
  shop.say("my tea");  // it is not asked for every turn that is said
  CHECK(shop.model.asked.empty());
  REQUIRE(shop.due.has_value());
  std::vector<std::chrono::steady_clock::duration> waits;
  for (int i = 0; i < 9; ++i) {
    waits.push_back(*shop.due - shop.now.steady);
    shop.pass(waits.back() - 1ms);
    CHECK(shop.model.asked.empty());
    shop.pass(1ms);
    REQUIRE(shop.model.asked.size() == 1);
    shop.fail(i == 4 ? Kind::timed_out : Kind::unreachable);
  }
  CHECK(std::ranges::is_sorted(waits));
  CHECK(waits.front() == 1s);
  CHECK(waits.back() == 60s);
  shop.pass(60s);
  while (!shop.model.asked.empty()) shop.answer();
  CHECK(shop.status().embedded == 2);
  CHECK(shop.status().trouble.empty());
  CHECK(shop.status().failed == 10);
}

TEST_CASE("a restart goes on with what waits, and asks for nothing that is there") {
  Workshop shop;
  shop.say("my dog");
  shop.answer();
  shop.say("my tea");
  shop.model.asked.clear();  // the process ends before the answer
  shop.embedder.reset();
  shop.store.reset();
  shop.store = std::make_unique<Store>(shop.folder);
  shop.start(endpoint());
  shop.embedder->wake();
  shop.settle();
  REQUIRE(shop.model.asked.size() == 1);
  CHECK(shop.model.asked[0].texts == ScriptedModel::Texts{"passage: my tea"});
  shop.answer();
  CHECK(shop.status().embedded == 2);
}

TEST_CASE("another model: everything is embedded anew") {
  Workshop shop;
  shop.say("my dog");
  shop.say("my tea");
  while (!shop.model.asked.empty()) shop.answer();
  shop.start(endpoint("another"));
  shop.embedder->wake();
  shop.settle();
  REQUIRE(shop.model.asked.size() == 1);
  CHECK(shop.model.asked[0].texts.size() == 2);
  CHECK(shop.status().embedded == 0);
  CHECK(shop.status().waiting == 2);
  shop.answer();
  CHECK(shop.status().embedded == 2);
}

TEST_CASE("vectors of another length than before are stored with no others: everything is embedded anew, later") {
  Workshop shop;
  shop.say("my dog");
  shop.answer();
  shop.say("my tea");
  shop.answer(3);
  CHECK(shop.model.asked.empty());
  CHECK_FALSE(shop.status().trouble.empty());
  shop.pass(1s);
  CHECK(shop.asked_texts() == 2);
  shop.answer(3);
  CHECK(shop.status().embedded == 2);
}

TEST_CASE("a text that is refused by itself is given up, the others are not") {
  Workshop shop;
  shop.say("a");  // so that the first question is short
  shop.answer();
  shop.say("poison", 1);
  shop.say("my dog", 3);
  const auto refuses = [&] {
    const auto& texts = shop.model.asked.front().texts;
    return std::ranges::find(texts, "passage: poison") != texts.end();
  };
  for (int i = 0; i < 60 && (!shop.model.asked.empty() || shop.status().waiting > 0); ++i) {
    if (shop.model.asked.empty()) {
      shop.pass(60s);
    } else if (refuses()) {
      shop.fail(Kind::rejected);
    } else {
      shop.answer();
    }
  }
  CHECK(shop.status().given_up == 1);
  CHECK(shop.status().waiting == 0);
  CHECK(shop.status().embedded == 3);
}

TEST_CASE("an endpoint that refuses every text is down, and no text is given up for that") {
  for (const Kind kind : {Kind::rejected, Kind::unusable, Kind::refused}) {
    Workshop shop;
    shop.say("my dog", 3);
    for (int i = 0; i < 30; ++i) {
      if (!shop.model.asked.empty()) shop.fail(kind);
      shop.pass(600s);
    }
    CHECK(shop.status().given_up == 0);
    CHECK(shop.status().waiting == 3);
    CHECK(shop.status().trouble == "down");
    for (int i = 0; i < 10 && shop.status().waiting > 0; ++i) {
      if (!shop.model.asked.empty()) shop.answer();
      shop.pass(600s);
    }
    CHECK(shop.status().embedded == 3);
  }
}

TEST_CASE("an endpoint is asked for as many texts as it answers in a moment") {
  Workshop shop;
  shop.say("my dog", 1000);
  std::vector<std::size_t> sizes;
  for (int i = 0; i < 6; ++i) {
    sizes.push_back(shop.asked_texts());
    shop.now.steady += i < 4 ? 10ms : 2s;
    shop.answer();
  }
  CHECK(sizes == std::vector<std::size_t>{8, 16, 32, 64, 64, 32});
}

TEST_CASE("it looks now and then whether something came that nobody told it of") {
  Workshop shop;
  shop.say("my dog");
  shop.answer();
  shop.store->archive().append({row(shop.next++, "my tea")}, [](StoreResult<void>) {});
  REQUIRE(shop.due.has_value());
  shop.pass(*shop.due - shop.now.steady);
  CHECK(shop.asked_texts() == 1);
}

TEST_CASE("after it was stopped nothing is asked any more") {
  Workshop shop;
  shop.say("my dog");
  shop.embedder->stop();
  shop.fail(Kind::closed);
  shop.say("my tea");
  CHECK(shop.model.asked.empty());
}

}  // namespace
}  // namespace persona
