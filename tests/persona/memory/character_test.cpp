#include "persona/memory/character.hpp"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "persona/memory/chroma.hpp"
#include "persona/memory/settings.hpp"
#include "tests/persona/memory/turns.hpp"

namespace persona {
namespace {

using nlohmann::json;
using testing::row;
using testing::rows;
using testing::window_of;

MadeMemory made(const char* module, json settings = json::object(), json more = json::object()) {
  json file{{"name", "Lydia"}, {"memory_module", module}, {module, std::move(settings)}};
  file.update(more);
  return make_memory(file);
}

ContextMessage seen(Role role, std::string content) {
  ContextMessage message;
  message.role = role;
  message.content = std::move(content);
  return message;
}

std::vector<Number> numbers(const std::vector<TurnPtr>& turns) {
  std::vector<Number> all;
  for (const TurnPtr& turn : turns) all.push_back(turn->number);
  return all;
}

TEST_CASE("a character is who its persona file says, and any other persona is none") {
  for (const char* module : {"chromadb_memory", "summarizing_memory"}) {
    CAPTURE(module);
    const MadeMemory lydia =
        made(module, json::object(), {{"race", "Nord"}, {"gender", "Female"}, {"base_id", "0A2C8E"}, {"ref_id", 666}});
    CHECK(lydia.warning.empty());
    REQUIRE(lydia.memory);
    REQUIRE(lydia.memory->character() != nullptr);
    const CharacterProperties& who = lydia.memory->character()->properties();
    CHECK(who.name == "Lydia");
    CHECK(who.race == "Nord");
    CHECK(who.gender == "Female");
    CHECK(who.base_id == "0A2C8E");
    CHECK(who.ref_id == "666");
    CHECK(made(module, json::object(), {{"race", {1}}}).warning == "race: expected a text; it is left out");
  }
  CHECK(made("ovos-memory-plugin-recency").memory->character() == nullptr);
  CHECK(made("ovos-memory-plugin-recency", json::object(), {{"race", {1}}}).warning.empty());
}

TEST_CASE("the place of memories is what the settings say, and that of Pantella where they say nothing") {
  const auto place = [](const char* module, json settings) {
    return made(module, std::move(settings)).memory->character()->place();
  };
  for (const std::string module : {"chromadb_memory", "summarizing_memory"}) {
    CAPTURE(module);
    CHECK(place(module.c_str(), json::object()).offset == 1);
    CHECK(place(module.c_str(), json::object()).direction == MemoryPlace::Direction::topdown);
    const MemoryPlace given = place(
        module.c_str(), module == "chromadb_memory"
                            ? json{{"chromadb_memory_depth", 3}, {"chromadb_memory_direction", "bottomup"}}
                            : json{{"summarizing_memory_depth", 3}, {"summarizing_memory_direction", "bottomup"}});
    CHECK(given.offset == 3);
    CHECK(name(given.direction) == "bottomup");
  }
  CHECK(
      made("chromadb_memory", {{"chromadb_memory_direction", "sideways"}}).warning.find("chromadb_memory_direction") !=
      std::string::npos);
}

TEST_CASE("the defaults of a chromadb_memory are those of Pantella") {
  std::string warning;
  const json none = json::object();
  const auto settings = ChromaMemory::Settings::read(SettingsReader(none, "chromadb_memory", warning));
  CHECK(settings.query_size == 5);
  CHECK(settings.logical_memories == 5);
  CHECK(settings.messages_before == 4);
  CHECK(settings.messages_after == 4);
  CHECK(settings.update_interval == 1);
  CHECK(settings.reload_buffer == 20);
  CHECK(settings.feelings.decay_min == 0.005);
  CHECK(settings.feelings.decay_max == 0.01);
  CHECK(settings.feelings.for_others);
  CHECK(settings.scope == RecallScope::session);
  CHECK(warning.empty());
}

TEST_CASE("settings are read as Pantella writes them") {
  std::string warning;
  const auto read = [&](const json& given) {
    return ChromaMemory::Settings::read(SettingsReader(given, "chromadb_memory", warning));
  };
  CHECK(read({{"memory_update_interval", 2.0}}).update_interval == 2);
  CHECK(read({{"chromedb_query_size", 3}}).query_size == 3);
  CHECK(read({{"chromadb_query_size", 2}, {"chromedb_query_size", 3}}).query_size == 2);
  CHECK_FALSE(read({{"empathy", 0.0}}).feelings.for_others);
  CHECK_FALSE(read({{"empathy", false}}).feelings.for_others);
  CHECK(read({{"empathy", true}}).feelings.for_others);
  CHECK(warning.empty());
  CHECK(read({{"emotional_decay_min", 0.5}, {"emotional_decay_max", 0.25}}).feelings.decay_max == 0.5);
  CHECK_FALSE(warning.empty());
}

TEST_CASE("the newest messages that the game sees are what is looked for") {
  const auto memory = made("chromadb_memory", {{"chromadb_query_size", 2}}).memory;
  const std::vector<ContextMessage> newest{seen(Role::user, "one"), seen(Role::assistant, "two"),
                                           seen(Role::system, "be kind"), seen(Role::user, "three")};
  const StepAsk ask = memory->character()->before_step(window_of({}), newest, 99);
  REQUIRE(ask.search);
  CHECK(ask.search->recall.query == "two\nthree\n");
  CHECK(ask.search->recall.most == 5);
  CHECK(ask.search->recall.as_of == 99);
  CHECK(ask.search->present.empty());
}

TEST_CASE("where the game says nothing, the newest rows are what is looked for") {
  const auto memory = made("chromadb_memory", {{"chromadb_query_size", 2}}).memory;
  const Window window = window_of(rows({{Role::user, "a"}, {Role::assistant, "b"}, {Role::user, "c"}}));
  const StepAsk ask = memory->character()->before_step(window, {}, 0);
  CHECK(ask.search->recall.query == "b\nc\n");
}

TEST_CASE("what the game sees anyway is no memory") {
  const auto memory = made("chromadb_memory").memory;
  const Window window = window_of(rows({{Role::user, "hello"},
                                        {Role::assistant, "hi"},
                                        {Role::user, "a dragon"},
                                        {Role::assistant, "run"},
                                        {Role::user, "hello"}}));
  const std::vector<ContextMessage> newest{seen(Role::assistant, "run"), seen(Role::user, "hello")};
  const StepAsk ask = memory->character()->before_step(window, newest, 0);
  CHECK(ask.search->present == std::vector<Number>{5, 4});  // not the greeting of long ago
  CHECK(ask.search->recall.left_out == std::vector<Number>{5, 3});
}

TEST_CASE("memories are introduced by the character's name, and nothing is where there are none") {
  const auto memory = made("chromadb_memory").memory;
  StepFound found;
  CHECK(memory->character()->memories(found).introduction.empty());
  found.turns = rows({{Role::user, "a dragon"}});
  CHECK(memory->character()->memories(found).introduction == "Lydia remembers what was said earlier:");
}

TEST_CASE("memories are what was said, each once, in the order of time") {
  Turn early = *row(9, 9, Role::user, "the first");
  early.timestamp = 1;
  const std::vector<TurnPtr> turns{row(4, 4, Role::user, "d"),         row(2, 2, Role::assistant, "b"),
                                   row(3, 3, Role::system, "be kind"), row(4, 4, Role::user, "d"),
                                   row(5, 5, Role::assistant, " "),    row(6, 6, Role::user, "seen"),
                                   std::make_shared<const Turn>(early)};
  const std::vector<Number> present{6};
  CHECK(numbers(as_memories(turns, present)) == std::vector<Number>{9, 2, 4});
}

TEST_CASE("memories are looked for at every so many steps, and while there are none") {
  MemorySearch search;
  search.update_interval = 3;
  CharacterState state;
  state.steps = 1;
  CHECK(looks_for_memories(state, search));
  state.memories = {7};
  CHECK_FALSE(looks_for_memories(state, search));
  state.steps = 3;
  CHECK(looks_for_memories(state, search));
}

TEST_CASE("feelings fade by a share between the two limits at each step, and the same way each time") {
  const FeelingRules rules{0.1, 0.2, true};
  CharacterState state = first_state({{"local", "s"}, "Lydia"});
  CharacterState again = first_state({{"local", "s"}, "Lydia"});
  CharacterState other = first_state({{"local", "t"}, "Lydia"});
  double before = 1;
  bool same_as_other = true;
  for (int i = 0; i < 1000; ++i) {
    take_step(state, rules);
    take_step(again, rules);
    take_step(other, rules);
    const double kept = state.remains / before;
    REQUIRE(kept <= 0.9 + 1e-9);
    REQUIRE(kept >= 0.8 - 1e-9);
    before = state.remains;
    same_as_other = same_as_other && state.remains == other.remains;
    if (state.remains < 1e-50) before = state.remains = again.remains = other.remains = 1;
  }
  CHECK(state.steps == 1000);
  CHECK(state.generator == again.generator);
  CHECK(state.remains == again.remains);
  CHECK_FALSE(same_as_other);
}

TEST_CASE("emotions are the numbers under emotions of a message's meta") {
  CHECK(emotions_in(R"({"emotions": {"happy": 0.5, "sad": 1, "odd": "x", "": 1}})") ==
        Emotions{{"happy", 0.5}, {"sad", 1}});
  for (const char* none : {"", "broken", "[]", "{}", R"({"emotions": [1]})", R"({"emotions": null})"}) {
    CAPTURE(none);
    CHECK(emotions_in(none).empty());
  }
  CHECK(emotions_in(R"({"emotions": {"happy": 1e300}})").at("happy") == 1e6);
  json many;
  for (int i = 0; i < 1000; ++i) many["emotions"]["e" + std::to_string(i)] = 1;
  CHECK(emotions_in(many.dump()).size() == 64);
}

}  // namespace
}  // namespace persona
