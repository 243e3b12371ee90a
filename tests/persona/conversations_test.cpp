#include "persona/conversations.hpp"

#include <doctest/doctest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <utility>

#include <algorithm>

#include "persona/memory/foreign_memory.hpp"
#include "tests/fakes/ram_archive.hpp"

using namespace persona;
using namespace std::chrono_literals;
using What = Heard::What;

namespace {

/// Conversations over an archive in RAM, with a clock that stands still until it is told.
struct World {
  RamArchive archive;
  Personas personas;
  RecordingRules rules;
  IdSource ids{7};
  RecorderCounts counts;
  DegradedContexts degraded;
  std::vector<std::string> seen;
  std::vector<std::pair<std::string, Number>> learnable;
  std::optional<std::chrono::steady_clock::time_point> due;
  Moment now{std::chrono::steady_clock::time_point(1000s), std::chrono::system_clock::time_point(1700000000s)};
  Conversations conversations;

  explicit World(ConversationLimits limits = {})
      : conversations(
            {&archive, &personas, &rules, &ids, &counts,
             [this](const ThreadKey&, const TurnPtr& turn) { seen.push_back(turn->content); }, &degraded,
             [this](const ThreadKey& thread, Number before) { learnable.emplace_back(thread.persona, before); },
             [this](std::chrono::steady_clock::time_point at) { due = at; }},
            limits) {}

  Heard heard(What what, std::string text = {}) {
    Heard one;
    one.what = what;
    one.number = conversations.next_number();
    one.at = now;
    one.text = std::move(text);
    return one;
  }
  void user(const ConversationKey& key, const std::string& text) {
    Heard one = heard(What::entry);
    one.utterances = {text};
    conversations.hear(key, std::move(one));
  }
  void assistant(const ConversationKey& key, const std::string& text) {
    conversations.hear(key, heard(What::spoke, text));
  }
  void handled(const ConversationKey& key) { conversations.hear(key, heard(What::handled)); }

  /// The context as one line, `role:content|...`; the archive is not run, so it may be "(waiting)".
  std::string ask(const ConversationKey& key, const std::string& utterance) {
    auto line = std::make_shared<std::string>("(waiting)");
    const Number number = conversations.next_number();
    conversations.open(key, [utterance, number, line](StoreResult<Conversation*> opened) {
      if (!opened) {
        *line = "error: " + opened.error().message();
        return;
      }
      (*opened)->context({(*opened)->persona_id(), utterance, {}, {}, number, {}, true, {}},
                         [line](StoreResult<Context> context) {
                           line->clear();
                           if (!context) {
                             *line = "error: " + context.error().message();
                             return;
                           }
                           for (const auto& message : context->messages) {
                             *line += std::string(name(message.role)) + ":" + message.content + "|";
                           }
                         });
    });
    last = line;
    return *line;
  }
  std::shared_ptr<std::string> last;

  /// Records of turns that alternate, questions first; how many were imported, or 0 while the archive was not run.
  std::shared_ptr<std::size_t> import(const ConversationKey& key, const std::vector<std::string>& contents) {
    Import import;
    for (const std::string& content : contents) {
      TurnRecord record{{key, "default"}, {}};
      record.turn.content = content;
      record.turn.role = import.records.size() % 2 == 0 ? Role::user : Role::assistant;
      import.records.emplace_back(std::move(record));
    }
    auto count = std::make_shared<std::size_t>(0);
    conversations.import(std::move(import), now, [count](StoreResult<Imported> imported) {
      if (imported) *count = imported->imported;
    });
    return count;
  }
};

const ConversationKey kKitchen{"local", "kitchen"};
const ConversationKey kBath{"local", "bath"};

/// A program that says what it was told, and forgets when it is asked to.
class FakeProgram final : public ForeignMemory {
 public:
  void update_history(std::vector<ContextMessage> messages, const std::string& key) override {
    auto& kept = told[key];
    kept.insert(kept.end(), messages.begin(), messages.end());
  }
  void build_conversation_context(const std::string& utterance, const std::string& key,
                                  std::function<void(std::optional<std::vector<ContextMessage>>)> done) override {
    if (silent) return done(std::nullopt);
    std::vector<ContextMessage> messages(1);
    messages[0].role = Role::system;
    messages[0].content = "I am a program.";
    messages.insert(messages.end(), told[key].begin(), told[key].end());
    messages.emplace_back().content = instead.empty() ? utterance : instead;
    waiting = [done = std::move(done), messages] { done(messages); };
    if (!held) std::exchange(waiting, nullptr)();
  }
  void forget(const std::string& key, std::function<void(bool)> done) override {
    told.erase(key);
    done(forgets);
  }
  std::map<std::string, std::vector<ContextMessage>> told;
  std::function<void()> waiting;
  std::string instead;  ///< of the utterance
  bool silent = false, held = false, forgets = true;
};

class FakePrograms final : public ForeignMemories {
 public:
  std::shared_ptr<ForeignMemory> open(const std::string&, const nlohmann::json&, std::string&) override {
    return program;
  }
  std::shared_ptr<FakeProgram> program = std::make_shared<FakeProgram>();
};

/// A world whose default persona has a program for its memory.
struct ForeignWorld : World {
  ForeignWorld() {
    std::string name = (std::filesystem::temp_directory_path() / "personas-XXXXXX").string();
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    std::ofstream(std::filesystem::path(name) / "ada.json") << R"({"name": "Ada", "memory_module": "theirs"})";
    personas.look_for_foreign_memories(&programs);
    std::vector<std::string> warnings = personas.load(name).warnings;
    personas.choose_default("", "", warnings);
    std::filesystem::remove_all(name);
    REQUIRE(warnings.empty());
  }
  FakePrograms programs;
};

TEST_CASE("a program of others is told what is recorded, and its context keeps the rules of all") {
  ForeignWorld world;
  world.user(kKitchen, "hello");
  world.archive.run();
  world.assistant(kKitchen, "hi");
  world.handled(kKitchen);
  world.ask(kKitchen, "now?");
  world.archive.run();
  CHECK(*world.last == "system:I am a program.|user:hello|assistant:hi|user:now?|");
  world.programs.program->instead = "Q: now? A:";
  world.ask(kKitchen, "now?");
  CHECK(world.last->ends_with("|user:Q: now? A:|"));
  world.programs.program->instead = "something else";
  world.ask(kKitchen, "now?");
  CHECK(world.last->ends_with("|user:now?|"));
  world.programs.program->silent = true;
  world.ask(kKitchen, "now?");
  world.archive.run();
  CHECK(*world.last == "user:hello|assistant:hi|user:now?|");
  CHECK(world.degraded.without_program == 1);
}

TEST_CASE("what has to be erased is erased from a program of others too, also while it is asked") {
  ForeignWorld world;
  world.user(kKitchen, "hello");
  world.archive.run();
  world.assistant(kKitchen, "hi");
  world.handled(kKitchen);
  world.user(kKitchen, "4711");
  world.now.steady += 3s;
  world.conversations.tick(world.now);
  world.archive.run();
  REQUIRE(world.programs.program->told.begin()->second.size() == 3);
  world.programs.program->held = true;
  world.ask(kKitchen, "now?");
  world.archive.run();
  Heard delivered = world.heard(What::dispatched, "4711");
  delivered.skill_id = "bank.skill";
  delivered.intent = "response";
  world.programs.program->held = false;
  world.conversations.hear(kKitchen, std::move(delivered));
  world.archive.run();
  std::exchange(world.programs.program->waiting, nullptr)();
  world.archive.run();
  CHECK(world.last->find("4711") == std::string::npos);
  CHECK(world.last->find("hello") != std::string::npos);
  for (const auto& [key, messages] : world.programs.program->told) {
    for (const ContextMessage& message : messages) CHECK(message.content != "4711");
  }
}

}  // namespace

TEST_CASE("what was said while a conversation was being read is taken in arrival order") {
  World world;
  world.user(kKitchen, "one");
  world.assistant(kKitchen, "first");
  world.user(kKitchen, "two");
  world.assistant(kKitchen, "second");
  CHECK(world.ask(kKitchen, "three") == "(waiting)");
  world.archive.run();
  CHECK(*world.last == "user:one|assistant:first|user:two|assistant:second|user:three|");
}

TEST_CASE("once read, a window is followed and a context needs no further reading") {
  World world;
  world.user(kKitchen, "one");
  world.assistant(kKitchen, "first");
  world.archive.run();
  (void)world.ask(kKitchen, "x");
  world.archive.run();
  const int reads = world.archive.reads;
  world.handled(kKitchen);
  world.user(kKitchen, "two");
  world.assistant(kKitchen, "second");
  CHECK(world.ask(kKitchen, "three") == "user:one|assistant:first|user:two|assistant:second|user:three|");
  CHECK(world.archive.reads == reads);
}

TEST_CASE("a context does not count what was heard after it was asked for") {
  World world;
  world.user(kKitchen, "one");
  world.assistant(kKitchen, "first");
  (void)world.ask(kKitchen, "two");
  auto asked = world.last;
  world.handled(kKitchen);
  world.user(kKitchen, "later");
  world.assistant(kKitchen, "late answer");
  world.archive.run();
  CHECK(*asked == "user:one|assistant:first|user:two|");
}

TEST_CASE("the question that is being answered is shown once, at the end") {
  World world;
  world.user(kKitchen, "one");
  world.assistant(kKitchen, "first");
  world.handled(kKitchen);
  world.user(kKitchen, "two");
  world.assistant(kKitchen, "so far");
  (void)world.ask(kKitchen, " two ");
  world.archive.run();
  CHECK(*world.last == "user:one|assistant:first|user:two|");
}

TEST_CASE("two conversations never see each other") {
  World world;
  world.user(kKitchen, "soup");
  world.user(kBath, "soap");
  world.assistant(kBath, "foam");
  world.assistant(kKitchen, "spoon");
  (void)world.ask(kKitchen, "next");
  const auto kitchen = world.last;
  (void)world.ask(kBath, "next");
  world.archive.run();
  CHECK(*kitchen == "user:soup|assistant:spoon|user:next|");
  CHECK(*world.last == "user:soap|assistant:foam|user:next|");
}

TEST_CASE("a conversation that left RAM is read again and goes on") {
  World world({.conversations = 2, .window_bytes = 1 << 20, .waiting = 100});
  world.user(kKitchen, "one");
  world.assistant(kKitchen, "first");
  world.archive.run();
  for (int i = 0; i < 5; ++i) {
    world.user({"local", "other" + std::to_string(i)}, "hello");
    world.archive.run();
  }
  CHECK(world.conversations.size() <= 2);
  (void)world.ask(kKitchen, "two");
  world.archive.run();
  CHECK(*world.last == "user:one|assistant:first|user:two|");
}

TEST_CASE("a conversation that leaves RAM in mid-question records the question") {
  World world({.conversations = 1, .window_bytes = 1 << 20, .waiting = 100});
  world.user(kKitchen, "provisional");
  world.archive.run();
  CHECK(world.archive.stored({kKitchen, "default"}) == 0);
  world.user(kBath, "x");
  world.archive.run();
  CHECK(world.archive.stored({kKitchen, "default"}) == 1);
}

TEST_CASE("a provisional question is recorded when its two seconds are over") {
  World world;
  world.user(kKitchen, "anybody there?");
  world.archive.run();
  CHECK(world.archive.stored({kKitchen, "default"}) == 0);
  REQUIRE(world.due);  // also for one that was still being read when it was said
  CHECK(*world.due == world.now.steady + 2s);
  world.now.steady += 2s;
  world.conversations.tick(world.now);
  world.archive.run();
  CHECK(world.archive.stored({kKitchen, "default"}) == 1);
}

TEST_CASE("a lost connection records what was provisional") {
  World world;
  world.user(kKitchen, "said before the bus went away");
  world.archive.run();
  world.conversations.gap(world.now);
  world.archive.run();
  CHECK(world.archive.stored({kKitchen, "default"}) == 1);
}

TEST_CASE("who is active survives leaving RAM") {
  World world({.conversations = 1, .window_bytes = 1 << 20, .waiting = 100});
  world.conversations.hear(kKitchen, world.heard(What::summoned, "cook"));
  world.archive.run();
  world.user(kBath, "x");
  world.archive.run();
  std::string active = "(nobody)";
  world.conversations.open(kKitchen,
                           [&](StoreResult<Conversation*> opened) { active = (*opened)->active().persona(); });
  world.archive.run();
  CHECK(active == "cook");
}

TEST_CASE("what waits for a conversation is bounded: a request is told to come again, a frame is lost and counted") {
  World world({.conversations = 10, .window_bytes = 1 << 20, .waiting = 2, .heard_bytes = 10000});
  world.user(kKitchen, "one");
  (void)world.ask(kKitchen, "two");
  (void)world.ask(kBath, "two");
  CHECK(world.ask(kKitchen, "three").starts_with("error: "));
  world.user(kKitchen, "four");  // requests do not take the places of what is heard
  CHECK(world.conversations.dropped() == 0);
  world.user(kKitchen, std::string(10000, 'x'));
  CHECK(world.conversations.dropped() == 1);
  CHECK(world.conversations.waiting() == 2);
  world.archive.run();
  CHECK(world.conversations.waiting() == 0);
  CHECK(world.conversations.heard_bytes_waiting() == 0);
}

TEST_CASE("conversations are not begun without end while the archive does not answer") {
  World world({.conversations = 10, .window_bytes = 1 << 20, .waiting = 30, .heard_bytes = 20000});
  for (int i = 0; i < 100; ++i) world.user({"local", "room" + std::to_string(i)}, "one");
  CHECK(world.conversations.size() < 40);
  CHECK(world.conversations.size() + world.conversations.dropped() == 100);
  CHECK(world.conversations.heard_bytes_waiting() <= 20000);
  const auto dropped = world.conversations.dropped();
  world.archive.run();
  CHECK(world.seen.empty());  // provisional
  world.user({"local", "room99"}, "two");
  CHECK(world.conversations.dropped() == dropped);
}

TEST_CASE("whoever waits for a window is answered, however many other conversations are begun meanwhile") {
  World world({.conversations = 2, .window_bytes = 1 << 20, .waiting = 100});
  world.user(kKitchen, "one");
  world.user(kBath, "one");
  world.archive.run();
  world.conversations.personas_changed();  // windows are read again
  CHECK(world.ask(kKitchen, "two") == "(waiting)");
  const auto kitchen = world.last;
  CHECK(world.ask(kBath, "two") == "(waiting)");
  const auto bath = world.last;
  for (int i = 0; i < 20; ++i) world.user({"local", "room" + std::to_string(i)}, "one");
  world.archive.run();
  CHECK(*kitchen == "user:two|");
  CHECK(*bath == "user:two|");
}

TEST_CASE("messages given to be stored are in the next context before they are on disk, and gone when storing fails") {
  World world;
  (void)world.ask(kKitchen, "x");
  world.archive.run();
  std::string outcome = "(waiting)";
  std::vector<NewMessage> messages(2);
  messages[0].content = "question";
  messages[1].role = Role::assistant;
  messages[1].content = "answer";
  const auto give = [&] {
    const Number first = world.conversations.take_numbers(2);
    world.conversations.open(kKitchen, [&](StoreResult<Conversation*> opened) {
      (*opened)->update("default", messages, first, world.now, [&](StoreResult<std::vector<std::string>> ids) {
        outcome = ids ? "stored " + std::to_string(ids->size()) : "failed";
      });
    });
  };
  SUBCASE("stored") {
    give();
    CHECK(outcome == "(waiting)");
    CHECK(world.ask(kKitchen, "next") == "user:question|assistant:answer|user:next|");
    world.archive.run();
    CHECK(outcome == "stored 2");
  }
  SUBCASE("failed") {
    world.archive.broken = true;
    give();
    world.archive.run();
    CHECK(outcome == "failed");
    CHECK(world.ask(kKitchen, "next") == "user:next|");
  }
}

TEST_CASE("an answer given alone joins the newest exchange") {
  World world;
  world.user(kKitchen, "question");
  world.conversations.hear(kKitchen, world.heard(What::unmatched));
  world.handled(kKitchen);
  std::vector<NewMessage> messages(1);
  messages[0].role = Role::assistant;
  messages[0].content = "answer from elsewhere";
  world.conversations.open(kKitchen, [&](StoreResult<Conversation*> opened) {
    (*opened)->update("default", messages, world.conversations.take_numbers(1), world.now, [](auto) {});
  });
  world.archive.run();
  CHECK(world.ask(kKitchen, "next") == "user:question|assistant:answer from elsewhere|user:next|");
}

TEST_CASE("an answer to a prompt is not recorded, wherever the prompt is known from") {
  World world;
  world.user(kKitchen, "open the safe");
  Heard prompt = world.heard(What::spoke, "what is the code?");
  SUBCASE("the session's response mode, on the default session where the entry lacks it") {
    prompt.session.local_default = true;
    prompt.session.response_mode = HeldPrompt{"safe.skill", world.now.wall + 30s};
  }
  SUBCASE("the legacy state map") {
    prompt.session.awaiting = std::vector<std::string>{"safe.skill"};
  }
  SUBCASE("the legacy event") {
    Heard enabled = world.heard(What::prompt_enabled);
    enabled.skill_id = "safe.skill";
    world.conversations.hear(kKitchen, std::move(enabled));
  }
  world.conversations.hear(kKitchen, std::move(prompt));
  Heard pin = world.heard(What::entry);
  pin.session.local_default = true;
  pin.utterances = {"4711"};
  world.conversations.hear(kKitchen, std::move(pin));
  world.now.steady += 10s;
  world.conversations.tick(world.now);
  world.archive.run();
  for (const std::string& text : world.seen) CHECK(text != "4711");
  CHECK(world.counts.prompt_answers == 1);
}

TEST_CASE("a legacy prompt whose end was never heard stops withholding after five minutes") {
  World world;
  Heard enabled = world.heard(What::prompt_enabled);
  enabled.skill_id = "dead.skill";
  world.conversations.hear(kKitchen, std::move(enabled));
  world.archive.run();
  world.now.wall += 6min;
  world.now.steady += 6min;
  world.user(kKitchen, "hello again");
  world.assistant(kKitchen, "hello");
  CHECK(std::ranges::find(world.seen, "hello again") != world.seen.end());
}

TEST_CASE("windows over the limit of memory leave RAM, and are read again when asked for") {
  World world({.conversations = 100, .window_bytes = 1000, .waiting = 10000});
  const std::string text(500, 'x');
  for (int i = 0; i < 4200; ++i) {
    const ConversationKey key{"local", "room" + std::to_string(i % 10)};
    world.user(key, "q");
    world.assistant(key, text);
    world.handled(key);
    if (i % 100 == 0) world.archive.run();
  }
  world.archive.run();
  (void)world.ask({"local", "room3"}, "still there?");
  world.archive.run();
  CHECK(world.last->ends_with("assistant:" + text + "|user:still there?|"));
}

TEST_CASE("what was imported is in the next context, whether its window was there, was being read, or was not") {
  World world;
  world.user(kKitchen, "Hi");
  world.archive.run();
  world.assistant(kKitchen, "Hello");
  world.handled(kKitchen);
  world.archive.run();
  REQUIRE(world.ask(kKitchen, "x") == "user:Hi|assistant:Hello|user:x|");
  auto count = world.import(kKitchen, {"Q1", "A1"});
  CHECK(world.ask(kKitchen, "x") == "user:Hi|assistant:Hello|user:x|");  // not answered yet
  world.archive.run();
  CHECK(*count == 2);
  (void)world.ask(kKitchen, "x");
  world.archive.run();
  CHECK(*world.last == "user:Hi|assistant:Hello|user:Q1|assistant:A1|user:x|");

  world.conversations.personas_changed();
  count = world.import(kKitchen, {"Q2", "A2"});
  (void)world.ask(kKitchen, "x");  // its window is being read when the import is answered
  world.archive.run();
  CHECK(*world.last == "user:Q1|assistant:A1|user:Q2|assistant:A2|user:x|");
  CHECK(*world.import(kBath, {"Q", "A"}) == 0);
  (void)world.ask(kBath, "x");
  world.archive.run();
  CHECK(*world.last == "user:Q|assistant:A|user:x|");
}

TEST_CASE("an import in the middle of an exchange loses nothing of it") {
  World world;
  world.user(kKitchen, "Q");
  world.archive.run();
  world.assistant(kKitchen, "first");
  (void)world.import(kKitchen, {"Imported", "Answer"});
  world.assistant(kKitchen, "second");
  world.archive.run();
  world.assistant(kKitchen, "third");
  (void)world.ask(kKitchen, "x");
  world.archive.run();
  CHECK(*world.last == "user:Q|assistant:first\nsecond\nthird|user:Imported|assistant:Answer|user:x|");
  world.user(kKitchen, "provisional");
  (void)world.import(kKitchen, {"More", "Answers"});
  world.archive.run();
  world.assistant(kKitchen, "spoken");
  world.archive.run();
  (void)world.ask(kKitchen, "x");
  world.archive.run();
  CHECK(world.archive.stored({kKitchen, "default"}) == 10);
  CHECK(*world.last == "user:provisional|assistant:spoken|user:More|assistant:Answers|user:x|");
}

TEST_CASE("a program of others is told what was imported") {
  ForeignWorld world;
  Import import;
  TurnRecord record{{kKitchen, "Ada"}, {}};
  record.turn.content = "Imported";
  import.records.emplace_back(record);
  world.conversations.import(std::move(import), world.now, [](StoreResult<Imported>) {});
  world.archive.run();
  const auto& told = world.programs.program->told.at(foreign_key(kKitchen));
  REQUIRE(told.size() == 1);
  CHECK(told[0].content == "Imported");
}

TEST_CASE("the end of an import is told though nothing else is due") {
  World world;
  (void)world.import(kKitchen, {"Q"});
  world.archive.run();
  REQUIRE(world.due);
  CHECK(world.conversations.imports().imported() == 1);
  CHECK(world.conversations.imports().due() == world.due);
  world.conversations.tick({*world.due, world.now.wall});
  CHECK_FALSE(world.conversations.imports().due());
}
