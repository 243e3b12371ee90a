#include "bus/frame_scan.hpp"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <random>
#include <string>

#include "bus/message.hpp"
#include "tests/bus/random_json.hpp"

using namespace bus;
using nlohmann::json;

namespace {

std::optional<std::string> type_of(std::string_view frame) {
  std::string scratch;
  const auto type = scan_type(frame, scratch);
  return type ? std::optional<std::string>(*type) : std::nullopt;
}

/// What a full parse says the type is.
std::optional<std::string> parsed_type(const std::string& frame) {
  const json root = json::parse(frame, nullptr, false);
  if (!root.is_object()) return std::nullopt;
  const auto type = root.find("type");
  if (type == root.end() || !type->is_string()) return std::nullopt;
  return type->get<std::string>();
}

bool parsed_malformed_carrier(const std::string& frame) {
  const json root = json::parse(frame, nullptr, false);
  if (!root.is_object() || !root.contains("context") || !root["context"].is_object()) return false;
  const json& context = root["context"];
  return context.contains("session") && !context["session"].is_null() && !context["session"].is_object();
}

std::string mutated(std::string frame, std::mt19937& random) {
  for (unsigned i = 0, many = 1 + random() % 4; i < many && !frame.empty(); ++i) {
    const std::size_t at = random() % frame.size();
    static constexpr std::string_view kBytes = "{}[]\",:\\u0 \xFFn";
    const char byte = kBytes[random() % kBytes.size()];
    switch (random() % 3) {
      case 0:
        frame[at] = byte;
        break;
      case 1:
        frame.erase(at, 1);
        break;
      default:
        frame.insert(at, 1, byte);
        break;
    }
  }
  return frame;
}

}  // namespace

TEST_CASE("the type is found wherever it is, and decoys are not") {
  CHECK(type_of(R"({"type":"a","data":{}})") == "a");
  CHECK(type_of(R"({"data":{"type":"decoy"},"type":"a"})") == "a");
  CHECK(type_of(R"({"type":"a","data":{"type":"decoy"},"context":{"x":[{"type":"decoy"}]}})") == "a");
  CHECK(type_of(R"({"data":"\"type\":\"decoy\"","type":"a"})") == "a");
  CHECK(type_of(R"({"data":"ends in a backslash \\","type":"a"})") == "a");
  CHECK(type_of(" \t\r\n{ \"x\" : [ 1 , 2.5e3 , true ] , \"type\" : \"a\" } ") == "a");
  CHECK(type_of(R"({"types":"x","typ":"y","Type":"z","type":"a"})") == "a");
}

TEST_CASE("of duplicate types the last counts, also when it is no string") {
  CHECK(type_of(R"({"type":"a","type":"b"})") == "b");
  CHECK(type_of(R"({"type":"a","data":{"type":"c"},"type":"b"})") == "b");
  CHECK(type_of(R"({"type":"a","ty\u0070e":"b"})") == "b");
  CHECK(type_of(R"({"type":"a","\u0074\u0079\u0070\u0065":"b"})") == "b");
  CHECK_FALSE(type_of(R"({"type":"a","type":1})").has_value());
}

TEST_CASE("escapes in the value are resolved") {
  CHECK(type_of(R"({"type":"a\u002eb"})") == "a.b");
  CHECK(type_of(R"({"type":"\"\\\/\b\f\n\r\t"})") == "\"\\/\b\f\n\r\t");
  CHECK(type_of(R"({"type":"\u00e9\u20ac\ud83d\ude00"})") == "\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80");
  CHECK_FALSE(type_of(R"({"type":"\ud83d"})").has_value());
  CHECK_FALSE(type_of(R"({"type":"\ude00\ud83d"})").has_value());
  CHECK_FALSE(type_of(R"({"type":"\x"})").has_value());
  CHECK_FALSE(type_of(R"({"type":"\u12g4"})").has_value());
}

TEST_CASE("a frame without a string type at its top has none") {
  for (const char* frame :
       {"", " ", "{", "{}", "[]", "null", "\"type\"", "{\"type\"", "{\"type\":", "{\"type\":\"a", "{\"type\":1}",
        "{\"type\":null}", "{\"type\":{\"type\":\"a\"}}", "[{\"type\":\"a\"}]", "{\"x\" \"type\":\"a\"}",
        "{,\"type\":\"a\"}", "{type:\"a\"}", "{\"data\":{\"type\":\"a\"}}"}) {
    CHECK_FALSE_MESSAGE(type_of(frame).has_value(), frame);
  }
}

TEST_CASE("a plain type is a view into the frame") {
  const std::string frame = R"({"type":"a","data":{}})";
  std::string scratch;
  const auto type = scan_type(frame, scratch);
  REQUIRE(type.has_value());
  CHECK(type->data() == frame.data() + 9);
  CHECK(scratch.empty());
}

TEST_CASE("deep nesting is harmless") {
  const std::string deep = R"({"data":)" + std::string(10u << 20, '[');
  CHECK_FALSE(type_of(deep).has_value());
  CHECK_FALSE(scan_carrier(deep).malformed_carrier);
  CHECK_FALSE(type_of(std::string(10u << 20, '[')).has_value());
  const std::string closed = R"({"data":)" + std::string(100000, '[') + std::string(100000, ']') + R"(,"type":"a"})";
  CHECK(type_of(closed) == "a");
  const std::string suspicious = R"({"type":"a","context":{"session":)" + std::string(10u << 20, '[');
  CHECK_FALSE(scan_carrier(suspicious).malformed_carrier);
}

TEST_CASE("the scanned type is the parsed type, for any object") {
  std::mt19937 random(20240501);
  int with_type = 0;
  for (int i = 0; i < 6000; ++i) {
    const std::string frame = tests::RandomJson(random).frame();
    REQUIRE_MESSAGE(json::accept(frame), frame);
    const auto expected = parsed_type(frame);
    with_type += expected.has_value() ? 1 : 0;
    CHECK_MESSAGE(type_of(frame) == expected, frame);
  }
  CHECK(with_type > 1000);
}

TEST_CASE("the carrier scan agrees with a full parse, for any object") {
  std::mt19937 random(20240502);
  int malformed = 0;
  for (int i = 0; i < 6000; ++i) {
    const std::string frame = tests::RandomJson(random).frame();
    const bool expected = parsed_malformed_carrier(frame);
    malformed += expected ? 1 : 0;
    const CarrierScan scan = scan_carrier(frame);
    CHECK_MESSAGE(scan.malformed_carrier == expected, frame);
    CHECK_MESSAGE(scan.type == parsed_type(frame).value_or(""), frame);
  }
  CHECK(malformed > 100);
}

TEST_CASE("cut and damaged frames are read without harm, and refused for a carrier only when well-formed") {
  std::mt19937 random(20240503);
  for (int i = 0; i < 3000; ++i) {
    const std::string frame = tests::RandomJson(random).frame();
    std::string damaged = mutated(frame, random);
    if (i % 2 == 0) damaged = frame.substr(0, random() % (frame.size() + 1));
    // A copy of its exact size: a sanitizer sees any byte read past the end.
    const std::vector<char> exact(damaged.begin(), damaged.end());
    std::string scratch;
    const auto type = scan_type({exact.data(), exact.size()}, scratch);
    const auto message = Message::parse({exact.data(), exact.size()});
    if (message) CHECK_MESSAGE(type == message->type, damaged);
    CHECK_MESSAGE(scan_carrier({exact.data(), exact.size()}).malformed_carrier == parsed_malformed_carrier(damaged),
                  damaged);
  }
}

TEST_CASE("a carrier must be an object, null, or absent") {
  const auto malformed = [](const char* frame) { return scan_carrier(frame).malformed_carrier; };
  CHECK(malformed(R"({"type":"t","context":{"session":[]}})"));
  CHECK(malformed(R"({"type":"t","context":{"session":"x"}})"));
  CHECK(malformed(R"({"type":"t","context":{"session":0}})"));
  CHECK(malformed(R"({"type":"t","context":{"session":false}})"));
  CHECK(malformed(R"({"type":"t","context":{"s\u0065ssion":1}})"));
  CHECK_FALSE(malformed(R"({"type":"t","context":{"session":{}}})"));
  CHECK_FALSE(malformed(R"({"type":"t","context":{"session":null}})"));
  CHECK_FALSE(malformed(R"({"type":"t","context":{}})"));
  CHECK_FALSE(malformed(R"({"type":"t","context":[]})"));
  CHECK_FALSE(malformed(R"({"type":"t","session":1})"));
  CHECK_FALSE(malformed(R"({"type":"t","data":{"session":1}})"));
  CHECK_FALSE(malformed(R"({"type":"t","context":{"x":{"session":1}}})"));
}

TEST_CASE("of duplicate carriers the last counts") {
  const auto malformed = [](const char* frame) { return scan_carrier(frame).malformed_carrier; };
  CHECK_FALSE(malformed(R"({"context":{"session":1,"session":{}}})"));
  CHECK(malformed(R"({"context":{"session":{},"session":1}})"));
  CHECK_FALSE(malformed(R"({"context":{"session":1},"context":{}})"));
  CHECK_FALSE(malformed(R"({"context":{"session":1},"context":null})"));
  CHECK(malformed(R"({"context":{},"context":{"session":1}})"));
}

TEST_CASE("a frame that is no JSON is never refused for its carrier") {
  CHECK_FALSE(scan_carrier(R"({"type":"t","context":{"session":1})").malformed_carrier);
  CHECK_FALSE(scan_carrier(R"({"type":"t","context":{"session":x}})").malformed_carrier);
  CHECK_FALSE(scan_carrier(R"({"type":"t","context":{"session":1}} trailing)").malformed_carrier);
  CHECK_FALSE(scan_carrier(R"([{"context":{"session":1}}])").malformed_carrier);
  CHECK_FALSE(scan_carrier("").malformed_carrier);
}

TEST_CASE("the carrier scan reads the type") {
  CHECK(scan_carrier(R"({"context":{"session":1},"type":"some.topic"})").type == "some.topic");
  CHECK(scan_carrier(R"({"type":"a\u002eb","context":{}})").type == "a.b");
  CHECK(scan_carrier(R"({"type":7,"context":{"session":1}})").type.empty());
}
