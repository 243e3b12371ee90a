#include <doctest/doctest.h>

#include "tests/persona/recorder_script.hpp"

namespace persona {
namespace {

using std::chrono::seconds;

TEST_CASE("an utterance and its answer are one exchange") {
  RecorderScript play;
  const auto question = play.enter("what time is it");
  play.matched("u1", "time.skill", "what time is it");
  play.dispatched("u1", "time.skill", "when", "what time is it");
  const auto answer = play.spoke("u1", "noon", "time.skill");
  play.handled("u1");

  CHECK(play.lines() == Lines{"1 U what time is it", "1 A noon"});
  const auto& first = play.row(question);
  const auto& second = play.row(answer);
  CHECK(first.exchange_id == first.id);
  CHECK(second.exchange_id == first.id);
  CHECK(second.id != first.id);
  CHECK(first.role == Role::user);
  CHECK(second.role == Role::assistant);
  CHECK(first.lang == "en-US");
  CHECK(second.lang == "en-US");
  CHECK(first.timestamp == doctest::Approx(1'700'000'000.001));
  CHECK(second.timestamp == doctest::Approx(1'700'000'000.004));
  CHECK(first.meta.empty());
  CHECK(second.meta.empty());
  CHECK(play.records == 2);
  CHECK(play.rows.at(question).persona == "ada");
}

TEST_CASE("the stored text is the first that is not blank, verbatim") {
  struct Row {
    std::vector<std::string> utterances;
    const char* stored;
  };
  const std::vector<Row> table{
      {{"hello"}, "hello"},
      {{"  hello \n"}, "  hello \n"},
      {{"", " \t\r\n", "second", "third"}, "second"},
      {{"e\u0301 \U0001F468\u200D\U0001F469\u200D\U0001F467"}, "e\u0301 \U0001F468\u200D\U0001F469\u200D\U0001F467"},
      {{"\u0645\u0631\u062D\u0628\u0627 \u202E"}, "\u0645\u0631\u062D\u0628\u0627 \u202E"},
  };
  for (const auto& row : table) {
    RecorderScript play;
    const auto entry = play.enter(row.utterances);
    play.unmatched("u");
    CHECK(play.row(entry).content == row.stored);
  }
}

TEST_CASE("a NUL in a text is a character like any other") {
  RecorderScript play;
  const std::string text("a\0b", 3);
  const std::string heard("\0", 1);
  const auto entry = play.enter({text});
  play.matched("u", "s", heard);
  const auto answer = play.spoke("u", text);
  CHECK(play.row(entry).content == text);
  CHECK(play.row(entry).meta == R"({"matched":"\u0000"})");
  CHECK(play.row(answer).content == text);
  CHECK(play.recorder.exchange_of({}, text) == entry);
  CHECK_FALSE(play.recorder.exchange_of({}, "a").has_value());
}

TEST_CASE("an entry without a text is counted and begins nothing") {
  RecorderScript play;
  play.enter(std::vector<std::string>{});
  play.enter({"", "  "});
  CHECK(play.counts.empty_entries == 2);
  CHECK(play.recorder.open_exchanges() == 0);
  CHECK(play.recorder.idle());
}

TEST_CASE("a text over the limit is not recorded, its answer is") {
  RecorderScript play;
  play.enter({std::string(5'000'000, 'x'), "short"});
  const auto answer = play.spoke("u1", "that was long");
  play.handled("u1");
  CHECK(play.counts.too_large == 1);
  CHECK(play.lines() == Lines{"1 A that was long"});
  CHECK(play.row(answer).exchange_id == play.row(answer).id);
}

TEST_CASE("a text as long as the limit is recorded, one byte more is not") {
  RecorderScript play;
  play.rules.max_turn_bytes = 4;
  play.enter("1234");
  play.spoke("", "abcd");
  play.spoke("", "abcde");
  CHECK(play.lines() == Lines{"1 U 1234", "1 A abcd"});
  CHECK(play.counts.too_large == 1);
}

TEST_CASE("speech over the limit still ends the wait of its entry") {
  RecorderScript play;
  play.enter("tell me everything");
  play.spoke("u1", std::string(5'000'000, 'x'));
  CHECK(play.lines() == Lines{"1 U tell me everything"});
  CHECK(play.counts.too_large == 1);
}

TEST_CASE("blank speech is no answer") {
  RecorderScript play;
  play.enter("hello");
  play.spoke("u1", "");
  play.spoke("u1", " \n");
  play.spoke("", "  ");
  CHECK(play.lines() == Lines{"1 U hello"});
  CHECK(play.counts.unsolicited == 0);
}

TEST_CASE("a streamed answer of five sentences belongs to one exchange") {
  RecorderScript play;
  play.enter("tell me a story");
  for (const auto* sentence : {"one", "two", "three", "four", "five"}) play.spoke("u1", sentence);
  play.handled("u1");
  CHECK(play.lines() == Lines{"1 U tell me a story", "1 A one", "1 A two", "1 A three", "1 A four", "1 A five"});
}

TEST_CASE("the persona of an exchange is its entry's, whatever is active later") {
  RecorderScript play;
  const auto entry = play.enter("talk to bob");
  play.persona = "bob";
  const auto answer = play.spoke("u1", "hi, bob here");
  CHECK(play.rows.at(entry).persona == "ada");
  CHECK(play.rows.at(answer).persona == "ada");
}

TEST_CASE("an unseen id binds to the oldest unbound entry") {
  RecorderScript play;
  play.enter("first");
  play.enter("second");
  play.spoke("x", "to the first");
  play.spoke("y", "to the second");
  play.spoke("x", "to the first again");
  CHECK(play.lines() ==
        Lines{"1 U first", "1 A to the first", "1 A to the first again", "2 U second", "2 A to the second"});
}

TEST_CASE("an unseen id on a match binds to the entry that says what matched") {
  RecorderScript play;
  play.enter("first");
  play.enter({"second", "sekond"});
  play.matched("x", "s", "second");
  play.dispatched("y", "s", "i", "first");
  play.spoke("x", "to the second");
  play.spoke("y", "to the first");
  CHECK(play.lines() == Lines{"1 U first", "1 A to the first", "2 U second", "2 A to the second"});
}

TEST_CASE("any alternative of an entry is known as its text") {
  RecorderScript play;
  play.enter("first");
  play.enter({"recognise speech", "wreck a nice beach"});
  play.matched("x", "s", "wreck a nice beach");
  play.spoke("x", "done");
  CHECK(play.lines() == Lines{"2 U recognise speech", "2 A done"});
  CHECK(play.row(2).meta == R"({"matched":"wreck a nice beach"})");
}

TEST_CASE("of two entries with the same text the older one is answered first") {
  RecorderScript play;
  play.enter("next");
  play.enter("next");
  play.matched("x", "s", "next");
  play.matched("y", "s", "next");
  play.spoke("y", "track two");
  play.spoke("x", "track one");
  CHECK(play.lines() == Lines{"1 U next", "1 A track one", "2 U next", "2 A track two"});
}

TEST_CASE("a match that was never entered binds to the oldest unbound entry") {
  RecorderScript play;
  play.enter("lights on");
  play.matched("x", "s", "turn the lights on");
  CHECK(play.row(1).content == "lights on");
  CHECK(play.row(1).meta == R"({"matched":"turn the lights on"})");
  CHECK(play.records == 1);
}

TEST_CASE("a matched text that comes after the entry was recorded corrects it under the same id") {
  RecorderScript play;
  play.enter("lights on");
  play.pass(seconds(2));
  play.tick();
  const auto id = play.row(1).id;
  CHECK(play.row(1).meta.empty());
  play.matched("x", "s", "turn the lights on");
  CHECK(play.row(1).meta == R"({"matched":"turn the lights on"})");
  CHECK(play.row(1).id == id);
  play.matched("x", "s", "turn the lights on");
  play.matched("x", "s", "lights on");
  CHECK(play.records == 2);
}

TEST_CASE("a matched text that meta has no room for is left out") {
  RecorderScript play;
  play.enter("lights on");
  play.matched("x", "s", std::string(20'000, 'x'));
  CHECK(play.row(1).meta.empty());
}

TEST_CASE("without ids a frame belongs to the newest open exchange") {
  RecorderScript play;
  play.enter("first");
  play.enter("second");
  play.spoke("", "to the second");
  play.handled("");
  play.spoke("", "to the first");
  play.handled("");
  CHECK(play.lines() == Lines{"1 U first", "1 A to the first", "2 U second", "2 A to the second"});
  CHECK(play.recorder.open_exchanges() == 0);
}

TEST_CASE("without ids a match belongs to the newest entry that says what matched") {
  RecorderScript play;
  play.enter({"first", "fist"});
  play.enter("second");
  play.matched("", "s", "fist");
  CHECK(play.lines() == Lines{"1 U first"});
  play.matched("", "s", "unheard of");
  CHECK(play.lines() == Lines{"1 U first", "2 U second"});
}

TEST_CASE("ten thousand pairs without ids never mix and never reorder") {
  RecorderScript play;
  Lines expected;
  for (int i = 0; i < 10'000; ++i) {
    const auto text = std::to_string(i);
    const auto exchange = std::to_string(play.enter({"q" + text}));
    play.spoke("", "a" + text);
    if (i % 3 != 0) play.handled("");
    expected.push_back(exchange + " U q" + text);
    expected.push_back(exchange + " A a" + text);
    REQUIRE(play.recorder.open_exchanges() <= 64);
  }
  CHECK(play.lines() == expected);
  CHECK(play.records == 20'000);
}

TEST_CASE("ten thousand pairs with ids, many open at once and answered backwards, never mix") {
  RecorderScript play;
  Lines expected;
  constexpr int kAtOnce = 50;
  for (int round = 0; round < 200; ++round) {
    for (int i = 0; i < kAtOnce; ++i) {
      const auto name = std::to_string(round) + "/" + std::to_string(i);
      const auto exchange = std::to_string(play.enter({"q" + name}));
      expected.push_back(exchange + " U q" + name);
      expected.push_back(exchange + " A a" + name);
    }
    for (int i = kAtOnce; i-- > 0;) {
      const auto name = std::to_string(round) + "/" + std::to_string(i);
      play.matched(name, "s", "q" + name);
    }
    for (int i = kAtOnce; i-- > 0;) {
      const auto name = std::to_string(round) + "/" + std::to_string(i);
      play.spoke(name, "a" + name);
      play.handled(name);
    }
  }
  CHECK(play.lines() == expected);
}

TEST_CASE("an exchange inside another keeps its own answer") {
  RecorderScript play;
  play.rules.prompt_answers = true;
  play.enter("book a table");
  play.matched("outer", "table.skill", "book a table");
  play.dispatched("outer", "table.skill", "book", "book a table");
  play.spoke("outer", "for how many?");
  play.enter("four");
  play.matched("inner", "table.skill", "four");
  play.spoke("inner", "four, fine");
  play.handled("inner");
  play.spoke("outer", "booked");
  play.handled("outer");
  CHECK(play.lines() == Lines{"1 U book a table", "1 A for how many?", "1 A booked", "5 U four", "5 A four, fine"});
}

TEST_CASE("an exchange with an id is never joined by a frame without one") {
  RecorderScript play;
  play.enter("hello");
  play.matched("u1", "s", "hello");
  const auto alarm = play.spoke("", "your egg is ready");
  CHECK(play.lines() == Lines{"1 U hello", "3 A your egg is ready"});
  CHECK(play.row(alarm).meta == R"({"unsolicited":true})");
  play.handled("");
  CHECK(play.recorder.open_exchanges() == 1);
}

TEST_CASE("speech that nobody asked for is a row of its own") {
  RecorderScript play;
  play.persona = "bob";
  const auto one = play.spoke("", "your egg is ready");
  const auto two = play.spoke("", "your tea is ready");
  CHECK(play.lines() == Lines{"1 A your egg is ready", "2 A your tea is ready"});
  CHECK(play.row(one).exchange_id == play.row(one).id);
  CHECK(play.row(two).exchange_id == play.row(two).id);
  CHECK(play.row(one).meta == R"({"unsolicited":true})");
  CHECK(play.rows.at(one).persona == "bob");
  CHECK(play.counts.unsolicited == 2);
  CHECK(play.recorder.idle());
}

TEST_CASE("speech that nobody asked for is not recorded for a persona without memory") {
  RecorderScript play;
  play.spoke("", "your egg is ready", {}, false);
  CHECK(play.rows.empty());
  CHECK(play.counts.unsolicited == 0);
}

TEST_CASE("speech over the limit that nobody asked for is counted and not recorded") {
  RecorderScript play;
  play.spoke("", std::string(5'000'000, 'x'));
  CHECK(play.rows.empty());
  CHECK(play.counts.too_large == 1);
  CHECK(play.counts.unsolicited == 0);
}

TEST_CASE("all speech under an id whose question was never heard is one exchange") {
  RecorderScript play;
  const auto first = play.spoke("lost", "as I said");
  play.persona = "bob";
  const auto second = play.spoke("lost", "it is noon");
  play.handled("lost");
  const auto third = play.spoke("lost", "exactly");
  CHECK(play.lines() == Lines{"1 A as I said", "1 A it is noon", "1 A exactly"});
  CHECK(play.row(second).exchange_id == play.row(first).id);
  CHECK(play.row(first).meta.empty());
  CHECK(play.rows.at(third).persona == "ada");
  CHECK(play.counts.unsolicited == 0);
}

TEST_CASE("a persona without memory keeps nothing of speech whose question was never heard") {
  RecorderScript play;
  play.spoke("lost", "as I said", {}, false);
  play.spoke("lost", "it is noon");
  CHECK(play.rows.empty());
}

TEST_CASE("other frames under an unknown id change nothing where no entry waits") {
  RecorderScript play;
  play.matched("x", "s", "hello");
  play.dispatched("x", "s", "i", "hello");
  play.unmatched("x");
  play.handled("x");
  play.cancelled("x");
  play.unmatched("");
  play.handled("");
  play.cancelled("");
  CHECK(play.rows.empty());
  CHECK(play.recorder.idle());
  CHECK_FALSE(play.recorder.exchange_with_id("x").has_value());
}

TEST_CASE("the exchange of a persona without memory is followed but never recorded") {
  RecorderScript play;
  play.enter({"hello"}, false);
  play.matched("u1", "s", "hullo");
  play.spoke("u1", "hi");
  CHECK(play.recorder.exchange_of("u1", {}) == Number{1});
  CHECK(play.recorder.exchange_of({}, "hullo") == Number{1});
  play.handled("u1");
  play.spoke("u1", "hi again");
  play.enter({std::string(5'000'000, 'x')}, false);
  CHECK(play.rows.empty());
  CHECK(play.counts.too_large == 0);
  CHECK(play.recorder.open_exchanges() == 1);
}

TEST_CASE("a request is about the exchange with its id, else about the newest open one with its words") {
  RecorderScript play;
  const auto first = play.enter({" what now? ", "watt now"});
  const auto second = play.enter("what now?");
  CHECK(play.recorder.exchange_of({}, "what now?") == second);
  CHECK(play.recorder.exchange_of({}, "\twhat now?\n") == second);
  CHECK(play.recorder.exchange_of({}, "watt now") == first);
  CHECK_FALSE(play.recorder.exchange_of({}, "What now?").has_value());
  CHECK_FALSE(play.recorder.exchange_of({}, "").has_value());
  CHECK_FALSE(play.recorder.exchange_of({}, " ").has_value());
  play.matched("x", "s", "what is next");
  CHECK(play.recorder.exchange_of({}, "what is next") == first);
  CHECK(play.recorder.exchange_of("x", "what now?") == first);
  CHECK(play.recorder.exchange_of("unknown", "what now?") == second);
  CHECK(play.recorder.exchange_with_id("x") == first);
  play.handled("x");
  CHECK_FALSE(play.recorder.exchange_of("x", "what is next").has_value());  // it is history now
  CHECK(play.recorder.exchange_with_id("x") == first);
  CHECK_FALSE(play.recorder.exchange_of({}, "what is next").has_value());
}

TEST_CASE("a recorder can be moved in mid-exchange") {
  RecorderScript play;
  play.enter("hello");
  play.matched("u1", "s", "hello");
  TurnRecorder moved(std::move(play.recorder));
  play.recorder = std::move(moved);
  play.spoke("u1", "hi");
  CHECK(play.lines() == Lines{"1 U hello", "1 A hi"});
}

}  // namespace
}  // namespace persona
