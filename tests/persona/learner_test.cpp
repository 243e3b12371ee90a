#include "persona/learner.hpp"

#include <doctest/doctest.h>

#include <deque>
#include <fstream>

#include "tests/persona/store/store.hpp"

namespace persona {
namespace {

using testing::kThread;
using testing::Store;
using testing::TemporaryFolder;
using testing::turn;

/// A model that answers when the test says so.
class ScriptedModel final : public LanguageModels {
 public:
  void chat(ChatAsk ask, Answer done) override { asked.push_back({std::move(ask), std::move(done)}); }
  void embed(ModelAddress, std::vector<std::string>, std::function<void(ModelResult<Vectors>)>) override {}

  void answer(ModelResult<std::string> with) {
    REQUIRE_FALSE(asked.empty());
    auto next = std::move(asked.front());
    asked.pop_front();
    next.done(std::move(with));
  }
  struct Asked {
    ChatAsk ask;
    Answer done;
  };
  std::deque<Asked> asked;
};

constexpr const char* kEntity = R"({"name": "Ada", "memory_module": "ovos-memory-plugin-entity"})";
constexpr const char* kLongterm = R"({"name": "Ada", "memory_module": "ovos-memory-plugin-longterm",
  "ovos-memory-plugin-longterm": {"summarize_every": 2, "recent_window": 1}})";

constexpr const char* kSummarizing = R"({"name": "Ada", "memory_module": "summarizing_memory",
  "summarizing_memory": {"min_conversation_length": 3, "maximum_local_tokens": 200, "summary_limit_pct": 0.1}})";

/// A store, a persona that learns, and a learner.
struct School {
  TemporaryFolder folder;
  Store store;
  Personas personas;
  ScriptedModel model;
  std::optional<std::chrono::steady_clock::time_point> due;
  std::unique_ptr<Learner> learner;
  Moment now = Moment::now();
  Number next = 1;

  explicit School(const char* persona) : store(folder) {
    std::filesystem::create_directories(folder.path() / "personas");
    std::ofstream(folder.path() / "personas" / "ada.json") << persona;
    REQUIRE(personas.load(folder.path() / "personas").warnings.empty());
    restart();
  }
  void restart() {
    learner = std::make_unique<Learner>(
        store.archive(), personas, model, [this] { return now; },
        [this](std::chrono::steady_clock::time_point at) { due = at; });
  }
  void say(const std::string& question, const std::string& answer) {
    const Number asked = next++, answered = next++;
    LearningKinds kinds;
    for (const Learning* learning : personas.of_id("Ada").memory->learnings()) kinds.add(learning->kind());
    REQUIRE(store.append({{kThread, turn(asked, question, asked), {}},
                          {kThread, turn(answered, answer, asked, Role::assistant), kinds}}));
    learner->learn(kThread, 0);
  }
  /// The conversation with the character ends.
  EndedConversation end() {
    std::optional<EndedConversation> ended;
    store.archive().end_conversation(kThread, next++, [&](StoreResult<EndedConversation> got) { ended = *got; });
    learner->learn(kThread, 0);
    store.tasks().run_until([&] { return ended.has_value(); });
    return *ended;
  }
  void pass(std::chrono::steady_clock::duration time) {
    now.steady += time;
    now.wall += std::chrono::duration_cast<std::chrono::system_clock::duration>(time);
  }
  /// Everything that was put to the store is done, and what follows from it.
  void settle() {
    for (int i = 0; i < 20; ++i) store.flush();
  }
  Recollection known() {
    Wants wants;
    wants.facts = 100;
    wants.summary = true;
    std::optional<Recollection> found;
    store.archive().recollect(kThread, wants, [&](StoreResult<Recollection> got) {
      REQUIRE(got.has_value());
      found = *got;
    });
    store.tasks().run_until([&] { return found.has_value(); });
    return *found;
  }
  std::string facts() {
    std::string line;
    for (const Fact& fact : known().facts) line.append(line.empty() ? "" : "; ").append(fact.text);
    return line;
  }
  std::size_t jobs() {
    std::optional<std::size_t> count;
    store.archive().jobs(100, [&](StoreResult<std::vector<LearningJob>> got) { count = got->size(); });
    store.tasks().run_until([&] { return count.has_value(); });
    return *count;
  }
};

ModelError failure(ModelError::Kind kind) {
  ModelError error;
  error.kind = kind;
  error.words = "down";
  return error;
}

TEST_CASE("facts are learnt from one exchange after the other, and from none twice") {
  School school(kEntity);
  school.say("I am Bob", "Hello Bob");
  school.settle();
  REQUIRE(school.model.asked.size() == 1);
  CHECK(school.model.asked[0].ask.prompt.starts_with("Exchange:\nUser: I am Bob\nAssistant: Hello Bob\n\n"));
  school.say("I like tea", "Noted");
  school.settle();
  CHECK(school.model.asked.size() == 1);  // one question at a time for a conversation
  school.model.answer(R"(Sure: ["Name is Bob", "name is bob!"])");
  school.settle();
  REQUIRE(school.model.asked.size() == 1);
  CHECK(school.model.asked[0].ask.prompt.find("I like tea") != std::string::npos);
  school.model.answer(R"(["Likes tea"])");
  school.settle();
  CHECK(school.model.asked.empty());
  CHECK(school.facts() == "Name is Bob; Likes tea");
  CHECK(school.jobs() == 0);
  school.learner->learn(kThread, 0);
  school.settle();
  CHECK(school.model.asked.empty());
}

TEST_CASE("a model that does not answer is asked again later, and a restart goes on with what is due") {
  School school(kEntity);
  school.say("I am Bob", "Hello");
  school.settle();
  school.model.answer(failure(ModelError::Kind::unreachable));
  school.settle();
  CHECK(school.model.asked.empty());
  CHECK(school.jobs() == 1);
  REQUIRE(school.due.has_value());
  CHECK(school.learner->status().trouble == "down");
  school.pass(*school.due - school.now.steady);
  school.learner->tick();
  school.settle();
  CHECK(school.model.asked.size() == 1);
  school.model.asked.clear();  // the process ends while the model is asked

  school.restart();
  school.pass(std::chrono::hours(1));
  school.learner->resume();
  school.settle();
  REQUIRE(school.model.asked.size() == 1);
  school.model.answer(R"(["Name is Bob"])");
  school.settle();
  CHECK(school.facts() == "Name is Bob");
  CHECK(school.jobs() == 0);
}

TEST_CASE("a rolling summary takes in what is older than the recent exchanges") {
  School school(kLongterm);
  school.say("1?", "one");
  school.settle();
  CHECK(school.model.asked.empty());
  school.say("2?", "two");
  school.settle();
  REQUIRE(school.model.asked.size() == 1);
  CHECK(school.model.asked[0].ask.prompt ==
        "New conversation:\nuser: 1?\nassistant: one\n\nWrite a concise updated summary of what was discussed. Be "
        "brief.");
  school.model.answer("They counted.");
  school.settle();
  CHECK(school.known().summary.text == "They counted.");
  CHECK(school.known().summary.progress.upto == 1);
  school.say("3?", "three");
  school.settle();
  CHECK(school.model.asked.empty());
  school.say("4?", "four");
  school.settle();
  REQUIRE(school.model.asked.size() == 1);
  CHECK(
      school.model.asked[0].ask.prompt.starts_with("Previous summary:\nThey counted.\n\nNew conversation:\nuser: 2?"));
}

TEST_CASE("what was forgotten while the model thought about it is not learnt") {
  School school(kEntity);
  school.say("My code is 4711", "Noted");
  school.say("I like tea", "Nice");
  school.settle();
  REQUIRE(school.store.erase(kThread, {1, 2}));
  school.model.answer(R"(["Code is 4711"])");
  school.settle();
  CHECK(school.facts() == "");
  REQUIRE(school.model.asked.size() == 1);
  CHECK(school.model.asked[0].ask.prompt.find("4711") == std::string::npos);
  school.model.answer(R"(["Likes tea"])");
  school.settle();
  CHECK(school.facts() == "Likes tea");
}

TEST_CASE("a fact goes with the last row it was learnt from, one that was asked to be remembered stays") {
  School school(kEntity);
  school.say("I am Bob", "Hello");
  school.settle();
  school.model.answer(R"(["Name is Bob"])");
  school.settle();
  std::optional<Remembered> remembered;
  Fact asked{"f1", "Likes tea", 1, "asked", {}};
  school.store.archive().remember(kThread, asked, [&](StoreResult<Remembered> got) { remembered = *got; });
  school.store.tasks().run_until([&] { return remembered.has_value(); });
  CHECK(school.facts() == "Name is Bob; Likes tea");
  REQUIRE(school.store.erase(kThread, {1, 2}));
  CHECK(school.facts() == "Likes tea");
}

TEST_CASE("a summary that used a forgotten row goes, and is made anew from the rest") {
  School school(kLongterm);
  for (const char* text : {"a", "b", "c", "d"}) school.say(text, "ok");
  school.settle();
  REQUIRE(school.model.asked.size() == 1);
  school.model.answer("About a to c.");
  school.settle();
  CHECK(school.known().summary.text == "About a to c.");
  REQUIRE(school.store.erase(kThread, {1, 2}));
  CHECK(school.known().summary.text == "");
  CHECK(school.jobs() == 1);
  school.learner->resume();
  school.settle();
  REQUIRE(school.model.asked.size() == 1);
  CHECK(school.model.asked[0].ask.prompt.find("user: b\n") != std::string::npos);
  CHECK(school.model.asked[0].ask.prompt.find("user: a\n") == std::string::npos);
}

TEST_CASE("answers that are of no use are asked for again, and given up after a while") {
  School school(kEntity);
  school.say("I am Bob", "Hello");
  school.settle();
  int asked = 0;
  while (!school.model.asked.empty()) {
    ++asked;
    school.model.answer(failure(ModelError::Kind::unusable));
    school.settle();
    school.pass(std::chrono::hours(1));
    school.learner->tick();
    school.settle();
  }
  CHECK(asked == 8);
  CHECK(school.learner->status().given_up == 1);
  CHECK(school.jobs() == 0);
}

TEST_CASE("only exchanges before the oldest open one are learnt from") {
  School school(kEntity);
  school.say("I am Bob", "Hello");
  school.settle();
  school.model.asked.clear();
  school.restart();
  school.learner->learn(kThread, 1);
  school.settle();
  CHECK(school.model.asked.empty());
  school.learner->learn(kThread, 3);
  school.settle();
  CHECK(school.model.asked.size() == 1);
}

TEST_CASE("a character's conversation is summarised behind it where it ends, and no part of it twice") {
  School school(kSummarizing);
  school.say("hello", "my thane");
  school.say("a dragon!", "run");
  school.settle();
  CHECK(school.model.asked.empty());  // it goes on
  CHECK(school.end().summary.empty());
  school.settle();
  REQUIRE(school.model.asked.size() == 1);
  CHECK(school.model.asked[0].ask.prompt.ends_with(
      "the player: hello\nAda: my thane\nthe player: a dragon!\nAda: run\n"));
  CHECK(school.end().summary.empty());  // again, while the model thinks
  school.model.answer("They met.");
  school.settle();
  CHECK(school.model.asked.empty());
  CHECK(school.end().summary == "They met.");
  school.settle();
  CHECK(school.model.asked.empty());
  CHECK(school.jobs() == 0);
}

TEST_CASE("a conversation that ended is summarised after a restart, when the model was away before") {
  School school(kSummarizing);
  school.say("hello", "my thane");
  school.say("a dragon!", "run");
  (void)school.end();
  school.settle();
  REQUIRE(school.model.asked.size() == 1);
  school.model.answer(failure(ModelError::Kind::unreachable));
  school.settle();
  CHECK(school.jobs() == 1);
  school.restart();
  school.pass(std::chrono::hours(1));
  school.learner->resume();
  school.settle();
  REQUIRE(school.model.asked.size() == 1);
  school.model.answer("They met.");
  school.settle();
  CHECK(school.known().summary.text == "They met.");
  CHECK(school.jobs() == 0);
}

TEST_CASE("a character's summaries that grew too long become one, and the old ones are archived") {
  School school(kSummarizing);
  std::string much;
  for (int i = 0; i < 30; ++i) much += "They met and drank mead. ";
  for (int conversation = 0; conversation < 2; ++conversation) {
    school.say("hello", "my thane");
    school.say("a dragon!", "run");
    (void)school.end();
    school.settle();
    REQUIRE(school.model.asked.size() == 1);
    school.model.answer(conversation == 0 ? "Short." : much);
    school.settle();
  }
  REQUIRE(school.model.asked.size() == 1);
  CHECK(school.model.asked[0].ask.prompt.find("Short.\n\nThey met and drank mead.") != std::string::npos);
  school.model.answer("Mead, often.");
  school.settle();
  CHECK(school.model.asked.empty());
  const EndedConversation ended = school.end();
  CHECK(ended.summary == "Mead, often.");
  CHECK(ended.archived == 1);
}

TEST_CASE("what the model makes of a summary that was forgotten meanwhile is not learnt") {
  School school(kSummarizing);
  school.say("my code is 4711", "noted");
  school.say("and a dragon!", "run");
  (void)school.end();
  school.settle();
  school.model.answer("Code 4711.");
  school.settle();
  school.say("hello again", "my thane");
  school.say("more mead", "yes");
  (void)school.end();
  school.settle();
  REQUIRE(school.model.asked.size() == 1);
  REQUIRE(school.store.erase(kThread, {1, 2}));
  school.model.answer("More mead.");
  school.settle();
  CHECK(school.known().summary.text == "");
  REQUIRE(school.model.asked.size() == 1);  // anew, from the rest
  CHECK(school.model.asked[0].ask.prompt.find("4711") == std::string::npos);
  CHECK(school.model.asked[0].ask.prompt.find("and a dragon!") != std::string::npos);
  school.model.answer("A dragon and mead.");
  school.settle();
  CHECK(school.known().summary.text == "A dragon and mead.");
}

TEST_CASE("while an exchange is open its job stays, so that a crash loses nothing") {
  School school(kEntity);
  REQUIRE(school.store.append(
      {{kThread, turn(1, "I am Bob", 1), {}}, {kThread, turn(2, "Hello", 1, Role::assistant), {LearningKind::facts}}}));
  school.learner->learn(kThread, 1);
  school.settle();
  CHECK(school.model.asked.empty());
  CHECK(school.jobs() == 1);
}

TEST_CASE("a job that was marked anew while its thread was looked at is not done") {
  School school(kEntity);
  school.say("I am Bob", "Hello");
  school.settle();
  REQUIRE(school.store.append({{kThread, turn(3, "Hello again", 1, Role::assistant), {LearningKind::facts}}}));
  school.store.archive().job_done({kThread, LearningKind::facts, 1, 0, 0});
  CHECK(school.jobs() == 1);
  school.store.archive().job_done({kThread, LearningKind::facts, 2, 0, 0});
  CHECK(school.jobs() == 0);
}

TEST_CASE("an exchange that closes while its thread is looked at keeps its job until it was learnt from") {
  School school(kEntity);
  REQUIRE(school.store.append(
      {{kThread, turn(1, "I am Bob", 1), {}}, {kThread, turn(2, "Hello", 1, Role::assistant), {LearningKind::facts}}}));
  school.learner->learn(kThread, 1);  // it is open, so there is nothing to learn yet
  school.learner->learn(kThread, 0);  // and closes before the store has said so
  school.settle();
  CHECK(school.model.asked.size() == 1);
  CHECK(school.jobs() == 1);
}

TEST_CASE("answers of no use are counted in a row: an outage before them does not count") {
  School school(kEntity);
  school.say("I am Bob", "Hello");
  school.settle();
  for (int i = 0; i < 10; ++i) {
    school.model.answer(failure(ModelError::Kind::unreachable));
    school.settle();
    school.pass(std::chrono::hours(1));
    school.learner->tick();
    school.settle();
  }
  school.model.answer(failure(ModelError::Kind::unusable));
  school.settle();
  CHECK(school.learner->status().given_up == 0);
  CHECK(school.jobs() == 1);
}

TEST_CASE("jobs of a persona that learns nothing any more are dropped, and keep no place") {
  School school(R"({"name": "Ada"})");
  for (int i = 0; i < 20; ++i) {
    const ThreadKey thread{{"local", "room " + std::to_string(i)}, "Ada"};
    const Number number = static_cast<Number>(i) + 1;
    REQUIRE(school.store.append({{thread, turn(number, "x"), {LearningKind::facts}}}));
  }
  CHECK(school.jobs() == 20);
  school.learner->resume();
  school.settle();
  CHECK(school.jobs() == 0);
  CHECK(school.learner->status().waiting == 0);
}

TEST_CASE("while all places are taken nobody is woken up for those that are due") {
  School school(kEntity);
  std::vector<ThreadKey> threads;
  for (int i = 0; i < 10; ++i) {
    threads.push_back({{"local", "room " + std::to_string(i)}, "Ada"});
    const Number number = 2 * static_cast<Number>(i) + 1;
    REQUIRE(
        school.store.append({{threads.back(), turn(number, "x", number), {}},
                             {threads.back(), turn(number + 1, "y", number, Role::assistant), {LearningKind::facts}}}));
  }
  school.learner->resume();
  school.settle();
  CHECK(school.model.asked.size() == Learner::kMostAtOnce);
  CHECK(school.learner->status().asking == Learner::kMostAtOnce);
  school.due.reset();
  school.learner->tick();
  CHECK_FALSE(school.due.has_value());
  for (int i = 0; i < 10; ++i) {
    school.model.answer("[]");
    school.settle();
  }
  CHECK(school.jobs() == 0);
}

TEST_CASE("a question that the model rejects is passed over in the end, and others are asked") {
  School school(kEntity);
  school.say("far too long", "indeed");
  school.say("I am Bob", "Hello");
  school.settle();
  while (!school.model.asked.empty() && school.model.asked[0].ask.prompt.find("far too long") != std::string::npos) {
    school.model.answer(failure(ModelError::Kind::rejected));
    school.settle();
    school.pass(std::chrono::hours(1));
    school.learner->tick();
    school.settle();
  }
  REQUIRE(school.model.asked.size() == 1);
  school.model.answer(R"(["Name is Bob"])");
  school.settle();
  CHECK(school.facts() == "Name is Bob");
}

TEST_CASE("rows without answers do not keep those behind them from being learnt from") {
  School school(kEntity);
  std::vector<Row> rows;
  for (Number number = 1; number <= 70; ++number) rows.push_back({kThread, turn(number, "hello?", number)});
  REQUIRE(school.store.append(rows));
  school.next = 71;
  school.say("I am Bob", "Hello");
  school.settle();
  REQUIRE(school.model.asked.size() == 1);
  CHECK(school.model.asked[0].ask.prompt.find("I am Bob") != std::string::npos);
}

}  // namespace
}  // namespace persona
