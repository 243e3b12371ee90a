#include <doctest/doctest.h>

#include <map>

#include "tests/system/assistant.hpp"

using namespace system_tests;

namespace {

constexpr int kSessions = 200;
constexpr int kPairsEach = 50;

std::string session_name(int session) {
  return "session-" + std::to_string(session);
}
std::string question(int session, int pair) {
  return "question " + std::to_string(pair) + " of " + std::to_string(session);
}
std::string answer(int session, int pair) {
  return "answer " + std::to_string(pair) + " of " + std::to_string(session);
}

/// The first place where a history is not what was said; empty: it is.
std::string first_difference(const Lines& history, int session) {
  for (int pair = 0; pair < kPairsEach; ++pair) {
    const auto at = static_cast<std::size_t>(2 * pair);
    if (at + 1 >= history.size()) return "it ends before pair " + std::to_string(pair);
    if (history[at] != "user: " + question(session, pair)) return history[at];
    if (history[at + 1] != "assistant: " + answer(session, pair)) return history[at + 1];
  }
  return history.size() == 2 * kPairsEach ? std::string() : history[2 * kPairsEach];
}

}  // namespace

TEST_CASE("ten thousand exchanges over two hundred sessions at full speed neither mix nor change order") {
  DaemonProcess personad;
  Assistant speaker(personad.url());
  Assistant asker(personad.url());
  for (int pair = 0; pair < kPairsEach; ++pair) {
    for (int session = 0; session < kSessions; ++session) {
      speaker.say({session_name(session)}, question(session, pair));
      speaker.speak({session_name(session)}, answer(session, pair));
    }
  }
  // What the speaker asks comes after all that it said.
  for (int session = 0; session < kSessions; ++session) {
    const Lines history = speaker.history({session_name(session)});
    INFO("session ", session, ", ", history.size(), " rows");
    REQUIRE(first_difference(history, session) == "");
  }
  const int last = kPairsEach - 1;
  for (const int session : {0, 77, kSessions - 1}) {
    CHECK(asker.context({session_name(session)}, "and now?") ==
          Lines{"user: " + question(session, last - 1), "assistant: " + answer(session, last - 1),
                "user: " + question(session, last), "assistant: " + answer(session, last), "user: and now?"});
  }
  const auto status = asker.result("ovos.memory.status", nlohmann::json::object());
  CHECK(status["counts"]["turns"] == 2 * kSessions * kPairsEach);
  CHECK(status["counts"]["threads"] == kSessions);
}

TEST_CASE("exchanges of one session that are said back to back keep their order") {
  DaemonProcess personad;
  Assistant bus(personad.url());
  const Where where{"one"};
  Lines expected;
  for (int i = 0; i < 1000; ++i) {
    bus.exchange(where, "q" + std::to_string(i), {"a" + std::to_string(i)});
    expected.push_back("user: q" + std::to_string(i));
    expected.push_back("assistant: a" + std::to_string(i));
  }
  CHECK(bus.history(where) == expected);
}
