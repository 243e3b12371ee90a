#include "daemon/turn_json.hpp"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

using namespace personad;
using nlohmann::json;

namespace {

std::string wrong(const json& message) {
  const auto read = read_message(message, "messages[0]", 1000);
  const auto* bad = std::get_if<BadMessage>(&read);
  return bad != nullptr ? bad->words : "(fine)";
}

}  // namespace

TEST_CASE("a message with every field is read as it is") {
  const json message = {
      {"role", "assistant"},
      {"content", nullptr},
      {"name", "Cook"},
      {"type", "speech"},
      {"lang", "de-DE"},
      {"timestamp", 1700000000.5},
      {"meta", {{"a", 1}}},
      {"tool_calls", json::array({{{"id", "c1"}, {"name", "clock"}, {"arguments", json::object()}}})}};
  const auto read = read_message(message, "m", 1000);
  const auto& fine = std::get<persona::NewMessage>(read);
  CHECK(fine.role == persona::Role::assistant);
  CHECK(fine.null_content);
  CHECK(fine.name == "Cook");
  CHECK(fine.timestamp == 1700000000.5);
  CHECK(fine.meta == R"({"a":1})");
  CHECK(json::parse(fine.tool_calls)[0]["name"] == "clock");
}

TEST_CASE("what is wrong with a message is said with the field's name") {
  CHECK(wrong(json::array()) == "messages[0] must be an object");
  CHECK(wrong({{"content", "x"}}).starts_with("messages[0].role is missing"));
  CHECK(wrong({{"role", "robot"}, {"content", "x"}}).starts_with("messages[0].role must be one of"));
  CHECK(wrong({{"role", "user"}}) == "messages[0].content is missing");
  CHECK(wrong({{"role", "user"}, {"content", nullptr}}).find("may be null only with tool_calls") != std::string::npos);
  CHECK(wrong({{"role", "user"}, {"content", 5}}) == "messages[0].content must be a string");
  CHECK(wrong({{"role", "tool"}, {"content", "5"}}).find("tool_call_id is missing") != std::string::npos);
  CHECK(wrong({{"role", "user"}, {"content", "x"}, {"meta", 1}}) == "messages[0].meta must be an object");
  CHECK(wrong({{"role", "user"}, {"content", "x"}, {"lang", nullptr}}) == "messages[0].lang must be a string");
  CHECK(wrong({{"role", "user"}, {"content", "x"}, {"timestamp", "yesterday"}}).find("RFC 3339") != std::string::npos);
  CHECK(wrong({{"role", "user"}, {"content", "x"}, {"tool_calls", json::array()}}).find("non-empty") !=
        std::string::npos);
  CHECK(wrong({{"role", "assistant"}, {"tool_calls", json::array({{{"id", 1}}})}}).find("must hold objects") !=
        std::string::npos);
}

TEST_CASE("a text over the limit is too large, not merely bad") {
  const auto read = read_message({{"role", "user"}, {"content", std::string(1001, 'x')}}, "m", 1000);
  REQUIRE(std::holds_alternative<BadMessage>(read));
  CHECK(std::get<BadMessage>(read).too_large);
}

TEST_CASE("a time is unix seconds or RFC 3339, in UTC whatever the offset") {
  CHECK(time_of(1700000000) == 1700000000.0);
  CHECK(time_of("2023-11-14T22:13:20Z") == 1700000000.0);
  CHECK(time_of("2023-11-14T23:13:20.250+01:00") == 1700000000.25);
  CHECK(time_of("2023-11-14T16:43:20-05:30") == 1700000000.0);
  for (const json& bad :
       {json("2023-13-01T00:00:00Z"), json("2023-02-30T00:00:00Z"), json("2023-11-14"), json("2023-11-14T22:13:20"),
        json("2023-11-14T25:13:20Z"), json(-1), json(1e20), json(true), json(""), json("2023-11-14T22:13:20Zx")}) {
    CAPTURE(bad.dump());
    CHECK_FALSE(time_of(bad));
  }
}

TEST_CASE("a turn is shown with what it has and without what it has not") {
  persona::Turn turn;
  turn.id = "T";
  turn.exchange_id = "T";
  turn.timestamp = 1.5;
  turn.content = std::string("a\0b", 3);
  CHECK(
      to_json(turn) ==
      json{{"id", "T"}, {"exchange", "T"}, {"role", "user"}, {"timestamp", 1.5}, {"content", std::string("a\0b", 3)}});
  turn.meta = "{broken";
  CHECK(to_json(turn)["meta"].is_null());
}

TEST_CASE("the calls of a context's message are flat, or nested with their arguments as text") {
  persona::ContextMessage message;
  message.role = persona::Role::assistant;
  message.null_content = true;
  message.tool_calls = R"([{"id":"c1","name":"clock","arguments":{"zone":"UTC"}}])";
  CHECK(
      to_json(message) ==
      json::parse(
          R"({"role":"assistant","content":null,"tool_calls":[{"id":"c1","name":"clock","arguments":{"zone":"UTC"}}]})"));
  CHECK(to_json(message, CallForm::nested) ==
        json::parse(R"({"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function",
                        "function":{"name":"clock","arguments":"{\"zone\":\"UTC\"}"}}]})"));
  message.tool_calls = "damaged";
  CHECK(to_json(message, CallForm::nested)["tool_calls"] == json::array());
}
