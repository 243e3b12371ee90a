#include <doctest/doctest.h>

#include <functional>

#include "tests/persona/recorder_script.hpp"

namespace persona {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr const char* kBank = "bank.skill";
constexpr const char* kOwn = "personad.skill";
constexpr const char* kPersonas = "persona.openvoiceos";

const Lines kAsked{"1 U my balance", "1 A your pin?"};

/// The bank asks for a PIN from inside its handler, in exchange 1 with the id "outer".
void ask_for_a_pin(RecorderScript& play) {
  play.enter("my balance");
  play.matched("outer", kBank, "my balance");
  play.dispatched("outer", kBank, "balance", "my balance");
  play.spoke("outer", "your pin?", kBank);
}

TEST_CASE("an answer to a skill's own prompt is not recorded, nor what is said in that exchange") {
  for (const auto* id : {"u1", ""}) {
    CAPTURE(id);
    RecorderScript play;
    play.recorder.prompt_held(kBank, std::nullopt);
    play.enter("4711");
    play.matched(id, kBank, "4711");
    play.dispatched(id, kBank, "response", "4711");
    play.spoke(id, "4711 is right", kBank);
    play.handled(id);
    play.pass(seconds(5));
    play.tick();
    CHECK(play.records == 0);
    CHECK(play.counts.prompt_answers == 1);
    CHECK(play.recorder.idle());
  }
}

TEST_CASE("what is said late to an answered prompt is not recorded either") {
  RecorderScript play;
  play.recorder.prompt_held(kBank, std::nullopt);
  play.enter("4711");
  play.dispatched("u1", kBank, "response", "4711");
  play.handled("u1");
  play.spoke("u1", "4711 is right", kBank);
  CHECK(play.records == 0);
}

TEST_CASE("a prompt takes one answer, unless it is held again") {
  RecorderScript play;
  play.recorder.prompt_held(kBank, std::nullopt);
  play.enter("4711");
  play.dispatched("u1", kBank, "response", "4711");
  play.handled("u1");
  play.enter("thank you");
  play.unmatched("u2");
  CHECK(play.lines() == Lines{"4 U thank you"});
  play.recorder.prompt_held(kBank, std::nullopt);
  play.enter("0815");
  play.prompt_answered("u3", kBank);
  CHECK(play.lines() == Lines{"4 U thank you"});
  CHECK(play.recorder.open_exchanges() == 2);
  play.enter("thanks");
  play.unmatched("u4");
  CHECK(play.rows.size() == 2);
}

TEST_CASE("a prompt holds until it expires by the clock on the wall") {
  struct Row {
    milliseconds after;
    bool withheld;
  };
  for (const auto& row : {Row{milliseconds(29'000), true}, Row{milliseconds(30'000), true},
                          Row{milliseconds(30'001), false}, Row{milliseconds(90'000), false}}) {
    CAPTURE(row.after.count());
    RecorderScript play;
    play.recorder.prompt_held(kBank, play.now.wall + seconds(30));
    play.pass(row.after - milliseconds(1));  // the entry takes one
    play.enter("4711");
    play.unmatched("u1");
    CHECK(play.rows.empty() == row.withheld);
    CHECK(play.counts.prompt_answers == (row.withheld ? 1u : 0u));
  }
}

TEST_CASE("a prompt is released by the skill that holds it, or by whoever speaks for all") {
  struct Row {
    const char* by;
    bool withheld;
  };
  for (const auto& row : {Row{kBank, false}, Row{"", false}, Row{"other.skill", true}}) {
    CAPTURE(row.by);
    RecorderScript play;
    play.recorder.prompt_held(kBank, std::nullopt);
    play.recorder.prompt_released(row.by);
    play.enter("4711");
    play.unmatched("u1");
    CHECK(play.rows.empty() == row.withheld);
  }
}

TEST_CASE("the last skill to hold the prompt is the one that holds it") {
  RecorderScript play;
  play.recorder.prompt_held(kBank, std::nullopt);
  play.recorder.prompt_held("other.skill", std::nullopt);
  play.recorder.prompt_released(kBank);
  play.enter("4711");
  play.unmatched("u1");
  CHECK(play.rows.empty());
  play.recorder.prompt_held(kPersonas, std::nullopt);
  play.enter("hello");
  play.unmatched("u2");
  CHECK(play.lines() == Lines{"3 U hello"});
}

TEST_CASE("a prompt that a persona holds is conversation") {
  RecorderScript play;
  play.recorder.prompt_held(kPersonas, std::nullopt);
  CHECK(play.recorder.idle());
  play.enter("my name is Ada");
  play.dispatched("u1", kPersonas, "response", "my name is Ada");
  play.spoke("u1", "nice to meet you", kPersonas);
  play.enter("I am 36");
  play.prompt_answered("u2", kPersonas);
  CHECK(play.lines() == Lines{"1 U my name is Ada", "1 A nice to meet you", "4 U I am 36"});
  CHECK(play.counts.prompt_answers == 0);
}

TEST_CASE("an answer to a prompt that is only recognised when it is delivered is erased") {
  struct Row {
    const char* delivery;
    std::function<Number(RecorderScript&, const char*)> deliver;
  };
  const std::vector<Row> table{
      {"dispatch", [](auto& play, auto* id) { return play.dispatched(id, kBank, "response", "4711"); }},
      {"legacy", [](auto& play, auto* id) { return play.prompt_answered(id, kBank); }},
  };
  for (const auto& row : table) {
    for (const auto* id : {"u1", ""}) {
      CAPTURE(row.delivery);
      CAPTURE(id);
      RecorderScript play;
      const auto entry = play.enter("4711");
      play.matched(id, kBank, "4711");
      const auto answer = play.spoke(id, "4711?");
      CHECK(play.rows.size() == 2);
      row.deliver(play, id);
      CHECK(play.rows.empty());
      CHECK(play.erased == std::set<Number>{entry, answer});
      play.spoke(id, "4711 is right", kBank);
      play.matched(id, kBank, "for seven one one");
      play.handled(id);
      CHECK(play.rows.empty());
      CHECK(play.counts.prompt_answers == 1);
    }
  }
}

TEST_CASE("an answer to a prompt that is delivered before anything else was heard of it never makes a row") {
  RecorderScript play;
  play.enter("4711");
  play.prompt_answered("u1", kBank);
  play.pass(seconds(3));
  play.tick();
  play.handled("u1");
  CHECK(play.records == 0);
}

TEST_CASE("a delivery under an id that closed already still erases its exchange") {
  RecorderScript play;
  play.enter("4711");
  play.matched("u1", kBank, "4711");
  play.spoke("u1", "one moment");
  play.handled("u1");
  play.prompt_answered("u1", kBank);
  CHECK(play.rows.empty());
  play.spoke("u1", "4711 is right");
  CHECK(play.rows.empty());
}

TEST_CASE("a delivery whose entry was never heard silences its id") {
  RecorderScript play;
  play.dispatched("lost", kBank, "response", "4711");
  play.spoke("lost", "4711 is right", kBank);
  play.handled("lost");
  play.spoke("lost", "4711, really", kBank);
  CHECK(play.records == 0);
}

TEST_CASE("a skill that asks from inside its handler replies under the outer id, and is not recorded") {
  RecorderScript play;
  ask_for_a_pin(play);
  play.recorder.prompt_held(kBank, std::nullopt);
  play.enter("4711");
  play.prompt_answered("inner", kBank);
  play.spoke("outer", "4711 is right, you have 5", kBank);
  play.handled("inner");
  play.spoke("outer", "anything else?", kBank);
  CHECK(play.lines() == kAsked);
  play.handled("outer");
  CHECK(play.lines() == kAsked);
  CHECK(play.counts.prompt_answers == 1);
}

TEST_CASE("the reply under the outer id is erased where the prompt is found out late") {
  RecorderScript play;
  ask_for_a_pin(play);
  const auto pin = play.enter("4711");
  play.matched("inner", kBank, "4711");
  const auto reply = play.spoke("outer", "4711 is right", kBank);
  CHECK(play.rows.size() == 4);
  play.prompt_answered("inner", kBank);
  CHECK(play.lines() == kAsked);
  CHECK(play.erased == std::set<Number>{pin, reply});
  play.spoke("outer", "you have 5", kBank);
  CHECK(play.lines() == kAsked);
}

TEST_CASE("the silence of the outer exchange ends with the next ordinary entry") {
  RecorderScript play;
  ask_for_a_pin(play);
  play.recorder.prompt_held(kBank, std::nullopt);
  play.enter("4711");
  play.prompt_answered("inner", kBank);
  play.spoke("outer", "4711 is right", kBank);
  play.enter("go on");
  play.spoke("outer", "you have 5", kBank);
  CHECK(play.lines() == Lines{"1 U my balance", "1 A your pin?", "1 A you have 5"});
}

TEST_CASE("the silence of the outer exchange ends when it is handled") {
  RecorderScript play;
  play.enter("my balance");
  play.dispatched("outer", kBank, "balance", "my balance");
  play.recorder.prompt_held(kBank, std::nullopt);
  play.enter("4711");
  play.prompt_answered("inner", kBank);
  play.handled("outer");
  play.spoke("outer", "see you", kBank);
  CHECK(play.lines() == Lines{"1 U my balance", "1 A see you"});
}

TEST_CASE("a second prompt of the same handler is silenced like the first") {
  RecorderScript play;
  play.enter("my balance");
  play.dispatched("outer", kBank, "balance", "my balance");
  for (const auto* secret : {"4711", "0815"}) {
    play.enter(secret);
    play.matched(secret, kBank, secret);
    play.spoke("outer", secret, kBank);
    play.prompt_answered(secret, kBank);
    play.spoke("outer", secret, kBank);
    play.handled(secret);
  }
  CHECK(play.lines() == Lines{"1 U my balance"});
  CHECK(play.counts.prompt_answers == 2);
}

TEST_CASE("a prompt's answer silences no exchange of another skill, and none that began after it") {
  RecorderScript play;
  play.enter("the weather");
  play.dispatched("w", "weather.skill", "now", "the weather");
  play.enter("4711");
  play.matched("pin", kBank, "4711");
  play.enter("my balance");
  play.dispatched("b", kBank, "balance", "my balance");
  play.spoke("b", "you have 5", kBank);
  play.prompt_answered("pin", kBank);
  play.spoke("w", "rain", "weather.skill");
  play.spoke("b", "euros", kBank);
  CHECK(play.lines() == Lines{"1 U the weather", "1 A rain", "5 U my balance", "5 A you have 5", "5 A euros"});
}

TEST_CASE("an answer delivered after the next ordinary entry takes what was said since, and silences no more") {
  RecorderScript play;
  play.enter("my balance");
  play.dispatched("outer", kBank, "balance", "my balance");
  play.enter("4711");
  play.matched("inner", kBank, "4711");
  play.spoke("outer", "4711 is right", kBank);
  play.enter("go on");
  play.prompt_answered("inner", kBank);
  play.spoke("outer", "you have 5", kBank);
  CHECK(play.lines() == Lines{"1 U my balance", "1 A you have 5"});
}

TEST_CASE("an entry under a prompt stays withheld also when another skill takes it") {
  RecorderScript play;
  play.recorder.prompt_held(kBank, std::nullopt);
  play.enter("4711");
  play.matched("u1", "weather.skill", "4711");
  play.dispatched("u1", "weather.skill", "now", "4711");
  play.spoke("u1", "rain in 4711", "weather.skill");
  CHECK(play.records == 0);
}

TEST_CASE("prompt answers are conversation where the operator says so") {
  RecorderScript play;
  play.rules.prompt_answers = true;
  play.recorder.prompt_held(kBank, std::nullopt);
  play.enter("4711");
  play.dispatched("u1", kBank, "response", "4711");
  play.spoke("u1", "right", kBank);
  play.enter("0815");
  play.prompt_answered("u2", kBank);
  CHECK(play.lines() == Lines{"1 U 4711", "1 A right", "4 U 0815"});
  CHECK(play.counts.prompt_answers == 0);
}

TEST_CASE("a prompt answer of a persona without memory is not counted as kept out") {
  RecorderScript play;
  play.recorder.prompt_held(kBank, std::nullopt);
  play.enter({"4711"}, false);
  play.prompt_answered("u1", kBank);
  CHECK(play.records == 0);
  CHECK(play.counts.prompt_answers == 0);
}

TEST_CASE("what is said to our own skill is never recorded, nor what it says") {
  for (const auto* id : {"u1", ""}) {
    CAPTURE(id);
    RecorderScript play;
    play.enter("forget that my code is 4711");
    play.matched(id, kOwn, "forget that my code is 4711");
    play.dispatched(id, kOwn, "forget", "forget that my code is 4711");
    play.spoke(id, "4711 is forgotten", kOwn);
    play.handled(id);
    play.pass(seconds(5));
    play.tick();
    CHECK(play.records == 0);
    CHECK(play.counts.own_skill == 1);
  }
}

TEST_CASE("an exchange that only turns out to be our own skill's is erased") {
  RecorderScript play;
  play.enter("forget my code 4711");
  play.pass(seconds(2));
  play.tick();
  CHECK(play.rows.size() == 1);
  play.matched("u1", kOwn, "forget my code 4711 please");
  CHECK(play.records == 1);
  CHECK(play.rows.empty());
  play.spoke("u1", "done");
  CHECK(play.rows.empty());
}

TEST_CASE("our own skill is silent wherever it speaks") {
  RecorderScript play;
  play.spoke("", "I keep this in memory", kOwn);
  play.spoke("lost", "I keep this in memory", kOwn);
  play.enter("hello");
  play.spoke("u1", "I keep this in memory", kOwn);
  CHECK(play.records == 0);
  CHECK(play.counts.own_skill == 3);
  CHECK(play.counts.unsolicited == 0);
  play.spoke("u1", "hi");
  CHECK(play.lines() == Lines{"3 U hello", "3 A hi"});
}

TEST_CASE("an exchange of our own skill whose entry was never heard is silent") {
  RecorderScript play;
  play.dispatched("lost", kOwn, "forget", "forget my code 4711");
  play.spoke("lost", "4711 is forgotten");
  CHECK(play.records == 0);
}

TEST_CASE("our own skill's prompt is kept out also where prompt answers are recorded") {
  RecorderScript play;
  play.rules.prompt_answers = true;
  play.enter("yes, 4711");
  play.dispatched("u1", kOwn, "response", "yes, 4711");
  play.spoke("u1", "done");
  CHECK(play.records == 0);
  CHECK(play.counts.own_skill == 1);
}

}  // namespace
}  // namespace persona
