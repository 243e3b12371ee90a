#include <doctest/doctest.h>

#include "tests/persona/store/store.hpp"

namespace persona {
namespace {

using testing::bytes_in;
using testing::kThread;
using testing::OtherConnection;
using testing::Store;
using testing::TemporaryFolder;
using testing::turn;

/// A character's thread in a store, step by step.
struct Game {
  TemporaryFolder folder;
  std::unique_ptr<Store> store = std::make_unique<Store>(folder);
  MemorySearch search;

  Game() {
    search.recall.query = "dragon";
    search.before = search.after = 1;
    search.feelings = {0, 0, true};
  }
  void restart() {
    store->archive().close();
    store.reset();
    store = std::make_unique<Store>(folder);
  }
  void say(Number number, const std::string& text, const char* meta = "", const ThreadKey& thread = kThread) {
    Turn said =
        *turn(number, text, number % 2 == 0 ? number - 1 : number, number % 2 == 0 ? Role::assistant : Role::user);
    said.meta = meta;
    REQUIRE(store->append({{thread, std::make_shared<const Turn>(said)}}));
  }
  StepFound step(const ThreadKey& thread = kThread) {
    StepAsk ask;
    ask.search = search;
    std::optional<StepFound> found;
    store->archive().step(thread, ask, [&](StoreResult<StepFound> got) {
      REQUIRE(got.has_value());
      found = *got;
    });
    store->tasks().run_until([&] { return found.has_value(); });
    return *found;
  }
  std::string shown(const ThreadKey& thread = kThread) {
    std::string numbers;
    for (const TurnPtr& turn : step(thread).turns) {
      numbers.append(numbers.empty() ? "" : " ").append(std::to_string(turn->number));
    }
    return numbers;
  }
  EndedConversation end(Number upto) {
    std::optional<EndedConversation> ended;
    store->archive().end_conversation(kThread, upto, [&](StoreResult<EndedConversation> got) {
      REQUIRE(got.has_value());
      ended = *got;
    });
    store->tasks().run_until([&] { return ended.has_value(); });
    return *ended;
  }
  bool learn(Learnt learnt) {
    std::optional<bool> stored;
    store->archive().learnt(kThread, std::move(learnt), 1, [&](StoreResult<bool> got) { stored = got.value(); });
    store->tasks().run_until([&] { return stored.has_value(); });
    return *stored;
  }
  std::string sql(const char* query) { return OtherConnection(folder.file()).text(query); }
};

Learnt summary(std::string text, Progress progress, std::vector<Number> turns = {}) {
  Learnt learnt;
  learnt.summary = std::move(text);
  learnt.progress = progress;
  learnt.turns = std::move(turns);
  return learnt;
}

TEST_CASE("a step finds what was said about the same, and what was said around it") {
  Game game;
  CHECK(game.shown().empty());  // nothing was ever said
  for (const char* text : {"hello", "hi", "nice weather", "yes", "I saw a dragon", "run", "the inn", "good mead"}) {
    static Number number = 0;
    game.say(++number, text);
  }
  CHECK(game.shown() == "4 5 6 7");
  game.search.before = 0;
  game.search.after = 9;
  CHECK(game.shown() == "5 6 7 8");
  game.search.present = {6};
  CHECK(game.shown() == "5 7 8");
}

TEST_CASE("between two searches the same is in mind, also across a restart") {
  Game game;
  game.search.update_interval = 3;
  game.say(1, "I saw a dragon");
  game.say(2, "run");
  CHECK(game.shown() == "1 2");
  game.search.recall.query = "mead";
  game.say(3, "more mead");
  game.say(4, "here you are");
  game.search.before = game.search.after = 0;
  CHECK(game.shown() == "1 2");
  game.restart();
  CHECK(game.shown() == "3 4");
  CHECK(game.shown() == "3 4");
  CHECK(game.sql("SELECT steps FROM characters") == "4");
}

TEST_CASE("what was forgotten is not in mind any more") {
  Game game;
  game.search.update_interval = 100;
  for (Number i = 1; i <= 4; ++i) game.say(i, "dragon number " + std::to_string(i));
  CHECK(game.shown() == "1 2 3 4");
  REQUIRE(game.store->erase(kThread, {3, 4}));
  CHECK(game.shown() == "1 2");
}

TEST_CASE("a number that comes back in another conversation does not bring that one to mind") {
  Game game;
  game.search.update_interval = 100;
  for (Number i = 1; i <= 4; ++i) game.say(i, "dragon number " + std::to_string(i));
  CHECK(game.shown() == "1 2 3 4");
  REQUIRE(game.store->erase(kThread, {3, 4}));
  game.say(3, "a secret dragon", "", {{"local", "another"}, "Ada"});
  CHECK(game.shown() == "1 2");
}

TEST_CASE("a character thinks of its own conversation alone, unless its settings say more") {
  Game game;
  const ThreadKey other{{"local", "cellar"}, "Ada"};
  game.say(1, "a dragon in the kitchen");
  game.say(2, "run");
  game.say(3, "a dragon in the cellar", "", other);
  game.say(4, "hide", "", other);
  CHECK(game.shown() == "1 2");
  CHECK(game.shown(other) == "3 4");
  game.search.recall.scope = RecallScope::owner;
  CHECK(game.shown() == "1 2 3 4");
}

TEST_CASE("emotions are summed, each message once, and fade with each step") {
  Game game;
  game.search.feelings = {0.5, 0.5, true};
  game.say(1, "I like you", R"({"emotions": {"happy": 0.5, "sad": 0.25}})");
  game.say(2, "I like you too", R"({"emotions": {"happy": 0.5}})");
  CHECK(game.step().emotions == Emotions{{"happy", 1}, {"sad", 0.25}});
  CHECK(game.step().emotions == Emotions{{"happy", 0.5}, {"sad", 0.125}});
  game.restart();
  game.say(3, "bye", R"({"emotions": {"sad": 1}})");
  CHECK(game.step().emotions == Emotions{{"happy", 0.25}, {"sad", 1.0625}});
  for (int i = 0; i < 20; ++i) (void)game.step();
  CHECK(game.step().emotions.empty());
  CHECK(game.sql("SELECT count(*) FROM feelings") == "0");
}

TEST_CASE("without empathy only the character's own messages are felt") {
  Game game;
  game.search.feelings = {0, 0, false};
  game.say(1, "I hate you", R"({"emotions": {"angry": 1}})");
  game.say(2, "oh", R"({"emotions": {"sad": 1}})");
  CHECK(game.step().emotions == Emotions{{"sad", 1}});
}

TEST_CASE("feelings are right however long a game lasts") {
  Game game;
  game.search.feelings = {1, 1, true};  // all of it is gone at the next step
  for (Number i = 1; i <= 6; ++i) {
    game.say(i, "well", R"({"emotions": {"calm": 0.5}})");
    CHECK(game.step().emotions == Emotions{{"calm", 0.5}});
  }
  game.search.feelings = {0.9, 0.9, true};
  for (int i = 0; i < 300; ++i) (void)game.step();
  game.say(7, "well", R"({"emotions": {"calm": 0.5}})");
  CHECK(game.step().emotions.at("calm") == doctest::Approx(0.5));
}

TEST_CASE("a feeling goes with the message that it came from") {
  Game game;
  game.say(1, "I like you", R"({"emotions": {"happy": 1}})");
  game.say(2, "go away", R"({"emotions": {"furious-at-thane": 1}})");
  CHECK(game.step().emotions.size() == 2);
  REQUIRE(game.store->erase(kThread, {2}));
  CHECK(game.step().emotions == Emotions{{"happy", 1}});
  CHECK(bytes_in(game.folder.store()).find("furious-") == std::string::npos);
  game.say(2, "stay", R"({"emotions": {"calm": 1}})");  // its number comes back
  CHECK(game.step().emotions == Emotions{{"calm", 1}, {"happy", 1}});
}

TEST_CASE("where a conversation ends there is a job, and what is known already") {
  Game game;
  CHECK(game.end(9).summary.empty());  // nothing was ever said
  game.say(1, "hello");
  game.say(2, "hi");
  EndedConversation ended = game.end(9);
  CHECK(ended.summary.empty());
  CHECK(ended.archived == 0);
  CHECK(game.sql("SELECT count(*) FROM jobs") == "1");
  CHECK(game.learn(summary("They met.", {1, 1}, {1, 2})));
  CHECK(game.end(9).summary == "They met.");
}

TEST_CASE("a summary that another one replaces is archived, one that is added to is not") {
  Game game;
  game.say(1, "hello");
  game.say(2, "hi");
  CHECK(game.learn(summary("They met.", {1, 1}, {1, 2})));
  game.say(3, "fight!");
  CHECK(game.learn(summary("They met.\n\nThey fought.", {3, 3}, {3})));
  CHECK(game.end(9).archived == 0);
  Learnt shorter = summary("They met and fought.", {3, 4});
  shorter.archives_summary = true;
  shorter.after = Progress{3, 3};
  CHECK(game.learn(shorter));
  CHECK_FALSE(game.learn(shorter));
  CHECK(game.end(9).archived == 1);
  CHECK(game.end(9).summary == "They met and fought.");
  CHECK(game.sql("SELECT summary FROM archived_summaries") == "They met.\n\nThey fought.");
}

TEST_CASE("summaries go with the messages that they were made of, archived ones too, to the last byte") {
  Game game;
  for (Number i = 1; i <= 4; ++i) game.say(i, "message " + std::to_string(i));
  CHECK(game.learn(summary("They spoke of oranges.", {1, 1}, {1, 2})));
  Learnt shorter = summary("Of bananas, in short.", {1, 2});
  shorter.archives_summary = true;
  CHECK(game.learn(shorter));
  CHECK(game.end(9).archived == 1);
  REQUIRE(game.store->erase(kThread, {1}));
  const EndedConversation after = game.end(9);
  CHECK(after.summary.empty());
  CHECK(after.archived == 0);
  const std::string bytes = bytes_in(game.folder.store());
  CHECK(bytes.find("oranges") == std::string::npos);
  CHECK(bytes.find("bananas") == std::string::npos);
}

TEST_CASE("what builds upon a summary that was forgotten meanwhile is not stored") {
  Game game;
  for (Number i = 1; i <= 4; ++i) game.say(i, "message " + std::to_string(i));
  CHECK(game.learn(summary("They spoke of oranges.", {1, 1}, {1, 2})));
  REQUIRE(game.store->erase(kThread, {1}));
  Learnt more = summary("They spoke of oranges. And then of more.", {3, 3}, {3, 4});
  more.after = Progress{1, 1};
  CHECK_FALSE(game.learn(more));
  Learnt shorter = summary("Of oranges.", {1, 2});
  shorter.after = Progress{1, 1};
  shorter.archives_summary = true;
  CHECK_FALSE(game.learn(shorter));
  CHECK(game.end(9).summary.empty());
}

TEST_CASE("nothing of a character is left of a thread that is gone") {
  Game game;
  game.say(1, "a dragon", R"({"emotions": {"afraid": 1}})");
  game.say(2, "run");
  (void)game.step();
  (void)game.end(9);
  REQUIRE(game.store->erase(kThread, {1, 2}));
  game.store->flush();
  for (const char* count : {"SELECT count(*) FROM characters", "SELECT count(*) FROM feelings",
                            "SELECT count(*) FROM ended_conversations", "SELECT count(*) FROM jobs"}) {
    CAPTURE(count);
    CHECK(game.sql(count) == "0");
  }
}

}  // namespace
}  // namespace persona
