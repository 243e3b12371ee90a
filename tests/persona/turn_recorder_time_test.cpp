#include <doctest/doctest.h>

#include <functional>

#include "tests/persona/recorder_script.hpp"

namespace persona {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;

TEST_CASE("an entry is not recorded before something is made of it") {
  RecorderScript play;
  play.enter("hello");
  play.pass(milliseconds(1999));
  play.tick();
  CHECK(play.rows.empty());
}

TEST_CASE("each sign that an entry is being dealt with records it once") {
  struct Row {
    const char* sign;
    std::function<void(RecorderScript&)> give;
  };
  const std::vector<Row> table{
      {"matched", [](auto& play) { play.matched("u1", "s", "hello"); }},
      {"dispatched", [](auto& play) { play.dispatched("u1", "s", "i", "hello"); }},
      {"unmatched", [](auto& play) { play.unmatched("u1"); }},
      {"spoken to", [](auto& play) { play.spoke("u1", "hi"); }},
      {"spoken to without a word", [](auto& play) { play.spoke("u1", ""); }},
      {"handled", [](auto& play) { play.handled("u1"); }},
      {"matched, no id", [](auto& play) { play.matched("", "s", "hello"); }},
      {"dispatched, no id", [](auto& play) { play.dispatched("", "s", "i", "hello"); }},
      {"unmatched, no id", [](auto& play) { play.unmatched(""); }},
      {"spoken to, no id", [](auto& play) { play.spoke("", "hi"); }},
      {"handled, no id", [](auto& play) { play.handled(""); }},
      {"gap", [](auto& play) { play.gap(); }},
  };
  for (const auto& row : table) {
    CAPTURE(row.sign);
    RecorderScript play;
    const auto entry = play.enter("hello");
    const auto entered = play.now.unix_seconds();
    play.pass(seconds(1));
    row.give(play);
    REQUIRE(play.rows.contains(entry));
    CHECK(play.row(entry).content == "hello");
    CHECK(play.row(entry).timestamp == entered);
    const auto records = play.records;
    row.give(play);
    play.pass(seconds(5));
    play.tick();
    CHECK(play.row(entry).content == "hello");
    CHECK(play.records - records <= 1);  // at most one more answer
  }
}

TEST_CASE("an entry that nothing is heard of is recorded when it is exactly two seconds old") {
  RecorderScript play;
  play.enter("hello");
  const auto entered = play.now.steady;
  CHECK(play.recorder.deadline() == entered + seconds(2));
  play.pass(milliseconds(1999));
  play.tick();
  CHECK(play.rows.empty());
  play.pass(milliseconds(1));
  play.tick();
  CHECK(play.lines() == Lines{"1 U hello"});
  CHECK(play.recorder.deadline() == entered + seconds(60));
}

TEST_CASE("two seconds count also where only a frame tells the time") {
  RecorderScript play;
  play.enter("hello");
  play.pass(seconds(2));
  play.enter("anyone?");
  CHECK(play.lines() == Lines{"1 U hello"});
}

TEST_CASE("a cancelled entry never leaves a row, nor does what is said about it") {
  for (const auto* id : {"u1", ""}) {
    CAPTURE(id);
    RecorderScript play;
    play.enter("call mum");
    play.cancelled(id);
    play.handled(id);
    CHECK(play.records == 0);
    CHECK(play.counts.cancelled == 1);
    CHECK(play.recorder.open_exchanges() == 0);
    play.pass(seconds(10));
    play.tick();
    CHECK(play.records == 0);
  }
}

TEST_CASE("an exchange cancelled after it was recorded is erased, with all its rows") {
  RecorderScript play;
  const auto entry = play.enter("call mum");
  play.matched("u1", "phone", "call mum");
  const auto answer = play.spoke("u1", "calling");
  play.cancelled("u1");
  CHECK(play.rows.empty());
  CHECK(play.erased == std::set<Number>{entry, answer});
  CHECK(play.counts.cancelled == 1);
}

TEST_CASE("later frames of a cancelled id are dropped") {
  RecorderScript play;
  play.enter("call mum");
  play.cancelled("u1");
  play.enter("hello");
  play.matched("u1", "phone", "call mum");
  play.spoke("u1", "calling");
  play.cancelled("u1");
  play.handled("u1");
  CHECK(play.records == 0);
  CHECK(play.counts.cancelled == 1);
  play.spoke("u2", "hi");
  CHECK(play.lines() == Lines{"3 U hello", "3 A hi"});
}

TEST_CASE("speech without an id does not join a cancelled exchange") {
  RecorderScript play;
  play.enter("call mum");
  play.cancelled("");
  play.spoke("", "your egg is ready");
  CHECK(play.lines() == Lines{"3 A your egg is ready"});
  CHECK(play.counts.unsolicited == 1);
}

TEST_CASE("the handled of a cancelled exchange without an id closes no other") {
  RecorderScript play;
  play.enter("tell me a story");
  play.enter("no wait");
  play.cancelled("");
  play.handled("");
  play.spoke("", "once upon a time");
  CHECK(play.lines() == Lines{"1 U tell me a story", "1 A once upon a time"});
  CHECK(play.counts.unsolicited == 0);
}

TEST_CASE("a request is not about a cancelled exchange's words") {
  RecorderScript play;
  play.enter("hello");
  play.cancelled("");
  CHECK_FALSE(play.recorder.exchange_of({}, "hello").has_value());
}

TEST_CASE("handled closes an exchange, and what is said late under its id still joins it") {
  RecorderScript play;
  play.enter("hello");
  play.spoke("u1", "hi");
  play.handled("u1");
  CHECK(play.recorder.open_exchanges() == 0);
  CHECK(play.recorder.idle());
  play.enter("bye");
  play.spoke("u2", "see you");
  play.spoke("u1", "how are you?");
  CHECK(play.lines() == Lines{"1 U hello", "1 A hi", "1 A how are you?", "4 U bye", "4 A see you"});
}

TEST_CASE("a closed exchange without an id takes no more frames") {
  RecorderScript play;
  play.enter("hello");
  play.spoke("", "hi");
  play.handled("");
  play.spoke("", "your egg is ready");
  CHECK(play.lines() == Lines{"1 U hello", "1 A hi", "4 A your egg is ready"});
}

TEST_CASE("an id is known for an hour after the last frame that carried it") {
  RecorderScript play;
  play.enter("hello");
  play.spoke("u1", "hi");
  play.handled("u1");
  play.pass(hours(1) - seconds(1));
  play.spoke("u1", "are you there?");
  play.pass(hours(1) - milliseconds(2));
  play.tick();
  CHECK(play.recorder.exchange_with_id("u1") == Number{1});
  play.pass(milliseconds(2));
  play.tick();
  CHECK_FALSE(play.recorder.exchange_with_id("u1").has_value());
  play.spoke("u1", "hello?");
  CHECK(play.lines() == Lines{"1 U hello", "1 A hi", "1 A are you there?", "5 A hello?"});
}

TEST_CASE("an exchange closes when nothing was heard of it for a minute") {
  RecorderScript play;
  play.enter("hello");
  play.spoke("", "hi");
  const auto spoken = play.now.steady;
  CHECK(play.recorder.deadline() == spoken + seconds(60));
  play.pass(milliseconds(59'999));
  play.tick();
  CHECK(play.recorder.open_exchanges() == 1);
  play.pass(milliseconds(1));
  play.tick();
  CHECK(play.recorder.open_exchanges() == 0);
  CHECK_FALSE(play.recorder.deadline().has_value());
  play.spoke("", "your egg is ready");
  CHECK(play.row(3).meta == R"({"unsolicited":true})");
}

TEST_CASE("an exchange that closed by silence is rejoined by its id") {
  RecorderScript play;
  play.enter("think hard");
  play.matched("u1", "s", "think hard");
  play.pass(seconds(90));
  play.spoke("u1", "42");
  CHECK(play.lines() == Lines{"1 U think hard", "1 A 42"});
  CHECK(play.recorder.open_exchanges() == 0);
}

TEST_CASE("a gap records what was provisional and closes what was answered") {
  RecorderScript play;
  play.enter("first");
  play.spoke("u1", "one");
  play.enter("second");
  play.enter("third");
  play.spoke("", "three");
  play.gap();
  CHECK(play.lines() == Lines{"1 U first", "1 A one", "3 U second", "4 U third", "4 A three"});
  CHECK(play.recorder.open_exchanges() == 1);
  play.gap();
  play.spoke("", "two");
  CHECK(play.lines() == Lines{"1 U first", "1 A one", "3 U second", "3 A two", "4 U third", "4 A three"});
  play.spoke("u1", "one more");
  CHECK(play.row(7).exchange == 1);
  play.pass(seconds(60));
  play.tick();
  CHECK(play.recorder.open_exchanges() == 0);
}

TEST_CASE("the oldest exchange closes when there are too many, and is recorded first") {
  RecorderScript play;
  play.rules.max_open = 3;
  for (const auto* text : {"one", "two", "three"}) play.enter(text);
  CHECK(play.rows.empty());
  play.enter("four");
  CHECK(play.lines() == Lines{"1 U one"});
  CHECK(play.recorder.open_exchanges() == 3);
  play.spoke("x", "to the oldest that is open");
  CHECK(play.lines() == Lines{"1 U one", "2 U two", "2 A to the oldest that is open"});
}

TEST_CASE("known ids are bounded, the longest closed is forgotten first") {
  RecorderScript play;
  play.rules.max_open = 2;
  for (int i = 0; i < 20; ++i) {
    const auto id = std::to_string(i);
    play.enter("hello");
    play.spoke(id, "hi");
    play.handled(id);
  }
  int known = 0;
  for (int i = 0; i < 20; ++i) known += play.recorder.exchange_with_id(std::to_string(i)).has_value() ? 1 : 0;
  CHECK(known == 8);
  CHECK_FALSE(play.recorder.exchange_with_id("11").has_value());
  CHECK(play.recorder.exchange_with_id("12").has_value());
}

TEST_CASE("a recorder is idle when nothing is open and no skill holds the prompt") {
  RecorderScript play;
  CHECK(play.recorder.idle());
  play.recorder.prompt_held("pin.skill", std::nullopt);
  CHECK_FALSE(play.recorder.idle());
  play.recorder.prompt_released();
  CHECK(play.recorder.idle());
  play.enter("hello");
  CHECK_FALSE(play.recorder.idle());
  play.handled("u1");
  CHECK(play.recorder.idle());
  play.recorder.prompt_held("pin.skill", play.now.wall + seconds(30));
  play.pass(seconds(31));
  play.tick();
  CHECK(play.recorder.idle());
}

}  // namespace
}  // namespace persona
