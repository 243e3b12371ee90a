#include "bus/message.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace bus;
using nlohmann::json;

namespace {

boost::system::error_code error_of(std::string_view frame) {
  const auto result = Message::parse(frame);
  return result.has_error() ? result.error() : boost::system::error_code();
}

Message message(const char* context) {
  Message out;
  out.type = "ask";
  out.context = json::parse(context);
  return out;
}

}  // namespace

TEST_CASE("a frame is a type, its data and its context, and other keys are ignored") {
  const auto parsed = Message::parse(R"({"x":1,"context":{"a":1},"data":{"b":[2]},"type":"some.topic"})");
  REQUIRE(parsed.has_value());
  CHECK(parsed->type == "some.topic");
  CHECK(parsed->data == json::parse(R"({"b":[2]})"));
  CHECK(parsed->context == json::parse(R"({"a":1})"));
}

TEST_CASE("absent data and context are empty objects") {
  const auto parsed = Message::parse(R"({"type":"t"})");
  REQUIRE(parsed.has_value());
  CHECK(parsed->data == json::object());
  CHECK(parsed->context == json::object());
}

TEST_CASE("what is no message says why") {
  CHECK(error_of("") == ParseError::not_json);
  CHECK(error_of("{") == ParseError::not_json);
  CHECK(error_of(R"({"type":"t"} x)") == ParseError::not_json);
  CHECK(error_of(R"({"type":"t","data":{"x":NaN}})") == ParseError::not_json);
  CHECK(error_of(R"({"type":"t","data":{"x":1e999}})") == ParseError::not_json);
  CHECK(error_of(R"({"type":"t","data":{"x":"\ud800"}})") == ParseError::not_json);
  CHECK(error_of("{\"type\":\"t\",\"data\":{\"x\":\"\xFF\"}}") == ParseError::not_json);
  CHECK(error_of("\xEF\xBB\xBF{\"type\":\"t\"}") == ParseError::not_json);
  CHECK(error_of("[]") == ParseError::not_an_object);
  CHECK(error_of("null") == ParseError::not_an_object);
  CHECK(error_of("{}") == ParseError::no_type);
  CHECK(error_of(R"({"type":1})") == ParseError::no_type);
  CHECK(error_of(R"({"type":""})") == ParseError::no_type);
  CHECK(error_of(R"({"type":"a b"})") == ParseError::no_type);
  CHECK(error_of(R"({"type":"t","data":[]})") == ParseError::wrong_data);
  CHECK(error_of(R"({"type":"t","data":null})") == ParseError::wrong_data);
  CHECK(error_of(R"({"type":"t","context":"x"})") == ParseError::wrong_context);
  CHECK(error_of(R"({"type":"t","context":null})") == ParseError::wrong_context);
  CHECK(error_of(R"({"type":"t","context":{"session":"x"}})") == ParseError::wrong_session);
  CHECK(error_of(R"({"type":"t","context":{"session":[]}})") == ParseError::wrong_session);
  CHECK_FALSE(error_of(R"({"type":"t","context":{"session":null}})"));
  CHECK_FALSE(error_of(R"({"type":"t","context":{"session":{}}})"));
}

TEST_CASE("each reason has words of its own") {
  CHECK(make_error_code(ParseError::not_json).message() == "not well-formed JSON");
  CHECK(make_error_code(ParseError::wrong_session).message() == "context.session is not an object");
}

TEST_CASE("a frame that nests too deep is refused, whatever its size") {
  CHECK(error_of(std::string(10u << 20, '[')) == ParseError::not_json);
  const auto nested = [](std::size_t depth) {
    return R"({"type":"t","data":{"x":)" + std::string(depth, '[') + std::string(depth, ']') + "}}";
  };
  CHECK_FALSE(error_of(nested(510)));
  CHECK(error_of(nested(511)) == ParseError::not_json);
  CHECK_FALSE(error_of(R"({"type":"t","data":{"x":")" + std::string(1000, '[') + "\"}}"));
}

TEST_CASE("forward keeps the context unchanged, unknown session fields included") {
  const Message asked = message(R"({"source":"a","destination":"b","session":{"session_id":"s","new":[1]},"k":{}})");
  const Message out = asked.forward("other", json{{"x", 1}});
  CHECK(out.type == "other");
  CHECK(out.data == json::parse(R"({"x":1})"));
  CHECK(out.context == asked.context);
}

TEST_CASE("reply swaps source and destination, and a key that is absent stays absent on the other side") {
  const auto replied = [](const char* context) { return message(context).reply("r", json::object()).context; };
  CHECK(replied(R"({"source":"a","destination":"b","k":1})") ==
        json::parse(R"({"source":"b","destination":"a","k":1})"));
  CHECK(replied(R"({"source":"a"})") == json::parse(R"({"destination":"a"})"));
  CHECK(replied(R"({"destination":"b"})") == json::parse(R"({"source":"b"})"));
  CHECK(replied(R"({"source":"","destination":"b"})") == json::parse(R"({"source":"b"})"));
  CHECK(replied(R"({"source":"a","destination":["b","c"]})") == json::parse(R"({"source":"b","destination":"a"})"));
  CHECK(replied(R"({"source":"a","destination":[]})") == json::parse(R"({"destination":"a"})"));
  CHECK(replied(R"({"source":"a","destination":null})") == json::parse(R"({"destination":"a"})"));
  CHECK(replied("{}") == json::object());
}

TEST_CASE("a response is a reply to the topic with a suffix") {
  const Message out = message(R"({"source":"a","session":{"session_id":"s"}})").response(json{{"ok", true}});
  CHECK(out.type == "ask.response");
  CHECK(out.context == json::parse(R"({"destination":"a","session":{"session_id":"s"}})"));
}

TEST_CASE("a dumped message has its keys in the order type, data, context, and parses to itself") {
  Message out = message(R"({"b":1,"a":"caf\u00e9"})");
  out.data["quote"] = "\"";
  CHECK(out.dump() == "{\"type\":\"ask\",\"data\":{\"quote\":\"\\\"\"},\"context\":{\"a\":\"caf\xC3\xA9\",\"b\":1}}");
  const auto back = Message::parse(out.dump());
  REQUIRE(back.has_value());
  CHECK(back->data == out.data);
  CHECK(back->context == out.context);
}

TEST_CASE("text that is not UTF-8 is replaced, not passed on") {
  Message out = message("{}");
  out.data["bad"] = "\xFF";
  CHECK(out.dump() == "{\"type\":\"ask\",\"data\":{\"bad\":\"\xEF\xBF\xBD\"},\"context\":{}}");
}
