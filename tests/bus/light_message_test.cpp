#include <doctest/doctest.h>

#include <random>
#include <string>

#include "bus/json_check.hpp"
#include "bus/message.hpp"
#include "bus/session.hpp"
#include "tests/bus/random_json.hpp"

using namespace bus;
using nlohmann::json;

namespace {

constexpr std::size_t kDeep = 1000;

/// The same text with one byte changed, lost or doubled.
std::string damaged(std::string text, std::mt19937& random) {
  static constexpr char kBytes[] = "\"\\{}[]:,0e-+.tnu \x01\xC3\xE2\x82\xFF";
  const std::size_t at = random() % text.size();
  switch (random() % 3) {
    case 0:
      text[at] = kBytes[random() % (sizeof kBytes - 1)];
      break;
    case 1:
      text.erase(at, 1);
      break;
    default:
      text.insert(at, 1, kBytes[random() % (sizeof kBytes - 1)]);
  }
  return text;
}

}  // namespace

TEST_CASE("a message parsed lightly answers with its session byte for byte") {
  const std::string session = R"({ "z":1, "session_id":"s","lang":"pt\u002dPT","deep":{"a":[1,{"b":null}]},"n":1.50 })";
  const auto message = Message::parse_lightly(R"({"type":"ask","data":{"x":1},"context":{"source":"a","session":)" +
                                              session + R"(,"destination":"b"}})");
  REQUIRE(message.has_value());
  CHECK(message->context["session"] == json{{"session_id", "s"}, {"lang", "pt-PT"}});
  CHECK(message->data == json{{"x", 1}});
  const std::string answer = message->response({{"result", 1}}).dump();
  CHECK(answer.find("\"session\":" + session) != std::string::npos);
  const auto parsed = Message::parse(answer);
  REQUIRE(parsed.has_value());
  CHECK(parsed->type == "ask.response");
  CHECK(parsed->context["source"] == "b");
  CHECK(parsed->context["destination"] == "a");
  CHECK(parsed->context["session"] == json::parse(session));
}

TEST_CASE("a message parsed lightly says of its session what one parsed in full says") {
  const std::string frame =
      R"({"type":"t","context":{"session":{"x":"y","persona_id":"p","response_mode":{"skill_id":"k","expires_at":5},)"
      R"("utterance_states":{"a":"response"},"lang":"de","session\u005fid":"escaped"}}})";
  const Session full = Session::of_context(Message::parse(frame)->context);
  const Session light = Session::of_context(Message::parse_lightly(frame)->context);
  CHECK(light.session_id == "escaped");
  CHECK(light.session_id == full.session_id);
  CHECK(light.lang == "de");
  CHECK(light.persona_id == full.persona_id);
  CHECK(light.response_mode->skill_id == full.response_mode->skill_id);
  CHECK(light.awaiting_response == full.awaiting_response);
}

TEST_CASE("a light parse takes and refuses what a full one does, and means the same") {
  std::mt19937 random(7);
  int taken = 0;
  for (int i = 0; i < 30000; ++i) {
    std::string session = tests::RandomJson(random).frame();
    if (i % 2 == 1) session = damaged(std::move(session), random);
    const std::string more = i % 5 == 0 ? R"(,"session":{"session_id":"again"})" : "";
    const std::string frame =
        R"({"context":{"source":"a","session":)" + session + more + R"(,"k":1},"type":"t","data":{}})";
    INFO(frame);
    const auto full = Message::parse(frame);
    const auto light = Message::parse_lightly(frame);
    REQUIRE(full.has_value() == light.has_value());
    if (!full) {
      REQUIRE(full.error() == light.error());
      continue;
    }
    ++taken;
    REQUIRE(json::parse(light->response({}).dump()) == json::parse(full->response({}).dump()));
  }
  CHECK(taken > 10000);
}

TEST_CASE("text is JSON exactly where the parser says so") {
  for (const char* text : {"",
                           " ",
                           "{}",
                           "[]",
                           "[1]",
                           " [1 , 2 ] ",
                           "[1,]",
                           "[,1]",
                           "{\"a\":1,}",
                           "{\"a\"}",
                           "{1:2}",
                           "[}",
                           "{]",
                           "tru",
                           "true",
                           "truex",
                           "null",
                           "nul",
                           "-",
                           "-0",
                           "01",
                           "1.",
                           ".5",
                           "1e5",
                           "1e",
                           "1e+",
                           "1e-400",
                           "1e400",
                           "-1E+2",
                           "\"",
                           "\"a",
                           "\"a\"",
                           "\"\\x\"",
                           "\"\\u12\"",
                           "\"\\u00e9\"",
                           "\"\\ud800\"",
                           "\"\\ud800\\udc00\"",
                           "\"\\udc00\"",
                           "\"\\ud800\\u0041\"",
                           "\"\x01\"",
                           "\"\x7f\"",
                           "\"\xC3\xA9\"",
                           "\"\xC3\"",
                           "\"\xC0\x80\"",
                           "\"\xE0\x80\x80\"",
                           "\"\xED\xA0\x80\"",
                           "\"\xF4\x90\x80\x80\"",
                           "\"\xF0\x9F\x98\x80\"",
                           "\"\x80\"",
                           "\xC3\xA9",
                           "{} {}",
                           "[] x",
                           "\"a\"\"b\"",
                           "[[[]]]",
                           "{\"a\":{\"b\":[{}]}}",
                           "NaN",
                           "[Infinity]"}) {
    INFO(text);
    CHECK(is_json(text, kDeep) == json::accept(text));
  }
  CHECK(is_json(std::string(400, '1'), kDeep) == json::accept(std::string(400, '1')));
  CHECK(is_json(std::string("\"\0\"", 3), kDeep) == json::accept(std::string("\"\0\"", 3)));
}

TEST_CASE("text that nests too deep is refused, however deep it goes") {
  const auto nested = [](std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); };
  CHECK(is_json(nested(10), 10));
  CHECK_FALSE(is_json(nested(11), 10));
  CHECK_FALSE(is_json(nested(1000000), 500));
}
