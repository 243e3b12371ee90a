#include "persona/memory/context.hpp"

#include <doctest/doctest.h>

#include "persona/white_space.hpp"
#include "tests/persona/memory/turns.hpp"

namespace persona {
namespace {

using testing::call;
using testing::result;
using testing::row;
using testing::rows;
using testing::shown;

std::string settled(const std::vector<TurnPtr>& turns) {
  auto history = fold(turns, {});
  settle(history);
  return shown(history);
}

TEST_CASE("a question that got no answer is replaced by the next one") {
  CHECK(shown(fold(rows({{Role::user, "a?"}, {Role::user, "b?"}, {Role::assistant, "b"}}), {})) ==
        "user:b?|assistant:b");
}

TEST_CASE("sentences of an answer, and speech nobody asked for, are one message with a newline between them") {
  const auto turns = rows({{Role::user, "a?"}, {Role::assistant, "one"}, {Role::assistant, "two"}});
  CHECK(shown(fold(turns, {})) == "user:a?|assistant:one\ntwo");
  auto with_alarm = turns;
  with_alarm.push_back(row(9, 9, Role::assistant, "ding"));
  CHECK(shown(fold(with_alarm, {})) == "user:a?|assistant:one\ntwo\nding");
}

TEST_CASE("an empty answer adds no stray newline") {
  CHECK(shown(fold(rows({{Role::user, "a?"}, {Role::assistant, ""}, {Role::assistant, "x"}, {Role::assistant, ""}}),
                   {})) == "user:a?|assistant:x");
}

TEST_CASE("merged answers carry the name of the first") {
  Turn named = *row(2, 1, Role::assistant, "one");
  named.name = "Ada";
  const std::vector<TurnPtr> turns{row(1, 1, Role::user, "a?"), std::make_shared<const Turn>(named),
                                   row(3, 1, Role::assistant, "two")};
  const auto messages = fold(turns, {});
  REQUIRE(messages.size() == 2);
  CHECK(messages[1].name == "Ada");
}

TEST_CASE("the exchange that is left out goes with what is spoken of its answer, others with the same words stay") {
  const auto turns =
      rows({{Role::user, "time?"}, {Role::assistant, "noon"}, {Role::user, "time?"}, {Role::assistant, "one"}});
  ContextQuery query;
  query.left_out = 3;
  CHECK(shown(fold(turns, query)) == "user:time?|assistant:noon");
}

TEST_CASE("rows that came after the question do not count, also in an earlier exchange") {
  std::vector<TurnPtr> turns{row(1, 1, Role::user, "a?"), row(4, 1, Role::assistant, "late"),
                             row(2, 2, Role::user, "b?")};
  ContextQuery query;
  query.as_of = 3;
  CHECK(shown(fold(turns, query)) == "user:b?");
  query.as_of = 5;
  CHECK(shown(fold(turns, query)) == "user:a?|assistant:late|user:b?");
}

TEST_CASE("a call with all its results stays, in whatever order they came") {
  const std::vector<TurnPtr> turns{row(1, 1, Role::user, "a?"), call(2, 1, R"([{"id":"x"},{"id":"y"}])"),
                                   result(3, 1, "y", "2"), result(4, 1, "x", "1"), row(5, 1, Role::assistant, "a")};
  CHECK(settled(turns) == R"(user:a?|assistant:calls[{"id":"x"},{"id":"y"}]|tool:2|tool:1|assistant:a)");
  CHECK(fold(turns, {})[1].null_content);
}

TEST_CASE("a call without all its results goes with those it has, and what is left joins up") {
  const std::vector<TurnPtr> turns{row(1, 1, Role::user, "a?"), row(2, 1, Role::assistant, "let me see"),
                                   call(3, 1, R"([{"id":"x"},{"id":"y"}])"), result(4, 1, "y", "2"),
                                   row(5, 1, Role::assistant, "a")};
  CHECK(settled(turns) == "user:a?|assistant:let me see\na");
}

TEST_CASE("when a dropped call was the only answer, its question goes too") {
  const std::vector<TurnPtr> turns{row(1, 1, Role::user, "a?"), call(2, 1, R"([{"id":"x"}])", "text"),
                                   row(3, 3, Role::user, "b?"), row(4, 3, Role::assistant, "b")};
  CHECK(settled(turns) == "user:b?|assistant:b");
}

TEST_CASE("a result that is not of the call before it goes, and so does one that comes twice") {
  const std::vector<TurnPtr> turns{
      row(1, 1, Role::user, "a?"), result(2, 1, "z", "stray"), call(3, 1, R"([{"id":"x"}])"),  result(4, 1, "x", "1"),
      result(5, 1, "x", "again"),  result(6, 1, "q", "other"), row(7, 1, Role::assistant, "a")};
  CHECK(settled(turns) == R"(user:a?|assistant:calls[{"id":"x"}]|tool:1|assistant:a)");
}

TEST_CASE("calls that no result can complete go") {
  for (const char* calls :
       {"not json", "{}", R"([{"name":"no id"}])", R"([{"id":5}])", R"([{"id":"x"},{"id":"x"}])", R"(["x"])"}) {
    CAPTURE(calls);
    const std::vector<TurnPtr> turns{row(1, 1, Role::user, "a?"), call(2, 1, calls), result(3, 1, "x", "1"),
                                     row(4, 1, Role::assistant, "a")};
    CHECK(settled(turns) == "user:a?|assistant:a");
  }
}

TEST_CASE("an empty list of calls is an ordinary answer") {
  const std::vector<TurnPtr> turns{row(1, 1, Role::user, "a?"), call(2, 1, "[]", "a"), row(3, 1, Role::assistant, "b")};
  CHECK(settled(turns) == "user:a?|assistant:a\nb");
}

TEST_CASE("a cut between a call and its results leaves neither") {
  std::vector<TurnPtr> turns{row(1, 1, Role::user, "a?"), call(2, 1, R"([{"id":"x"}])"),
                             result(3, 1, "x", "1"),      row(4, 1, Role::assistant, "a"),
                             row(5, 5, Role::user, "b?"), row(6, 5, Role::assistant, "b")};
  auto history = fold(turns, {});
  cut(history, 4);
  CHECK(shown(history) == "user:b?|assistant:b");
}

TEST_CASE("instructions stay where answers without a question and questions without an answer go") {
  CHECK(settled(rows({{Role::assistant, "orphan"},
                      {Role::system, "be kind"},
                      {Role::user, "a?"},
                      {Role::assistant, "a"},
                      {Role::user, "b?"},
                      {Role::developer, "be brief"},
                      {Role::user, "c?"}})) == "system:be kind|user:a?|assistant:a|developer:be brief");
}

TEST_CASE("only ASCII white space is trimmed, and a text of nothing else is empty") {
  CHECK(trimmed(" \v\f a b \r\n") == "a b");
  CHECK(trimmed(" \t") == "");
  CHECK(trimmed("") == "");
  CHECK(trimmed("\u00a0x") == "\u00a0x");
}

}  // namespace
}  // namespace persona
