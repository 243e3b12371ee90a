#include "daemon/plugin_calls.hpp"

#include <doctest/doctest.h>

#include <string>

namespace {

using nlohmann::json;
using personad::PluginAnswer;
using personad::PluginCalls;
using Line = PluginCalls::Line;
using std::chrono::seconds;

PluginCalls::Time at(int second) {
  return PluginCalls::Time(seconds(second));
}

/// Begins a call whose end is noted.
struct Call {
  Call(PluginCalls& calls, int deadline, json params = json::object())
      : line(calls.begin("get_history", std::move(params), at(deadline), [this](PluginAnswer ended) {
          ++ends;
          answer = std::move(ended);
        })) {}
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;
  std::string id() const { return json::parse(line).at("id").dump(); }

  int ends = 0;
  PluginAnswer answer;
  std::string line;
};

std::string result(const std::string& id, const std::string& value) {
  return R"({"jsonrpc":"2.0","id":)" + id + R"(,"result":)" + value + "}";
}

/// Gives an answer to whom it belongs.
Line deliver(PluginCalls& calls, const std::string& line) {
  auto taken = calls.take(line);
  if (taken.line == Line::answer) taken.done(std::move(taken.answer));
  return taken.line;
}

}  // namespace

TEST_CASE("a call of a plugin is one line of JSON-RPC 2.0, whatever is in its text") {
  PluginCalls calls(64);
  const Call call(calls, 2, {{"session_id", "a\nb\xff"}});
  CHECK(call.line.find('\n') == call.line.size() - 1);
  const auto request = json::parse(call.line, nullptr, false);
  REQUIRE(request.is_object());
  CHECK(request["jsonrpc"] == "2.0");
  CHECK(request["method"] == "get_history");
  CHECK(request["params"]["session_id"] == "a\nb\xEF\xBF\xBD");
}

TEST_CASE("answers of a plugin find their calls in any order, each once") {
  PluginCalls calls(64);
  Call first(calls, 2), second(calls, 2);
  CHECK(deliver(calls, result(second.id(), "2")) == Line::answer);
  CHECK(deliver(calls, result(first.id(), "[1]")) == Line::answer);
  CHECK(deliver(calls, result(first.id(), "[1]")) == Line::unasked);
  CHECK(first.answer.result == json::parse("[1]"));
  CHECK(second.answer.result == 2);
  CHECK(first.ends == 1);
}

TEST_CASE("an error of a plugin has a code and words of one line, cut between characters") {
  PluginCalls calls(64);
  Call call(calls, 2);
  std::string words = "no\nway ";
  for (int i = 0; i < 150; ++i) words += "\xC3\xA4";
  const json line{{"jsonrpc", "2.0"}, {"id", std::stoi(call.id())}, {"error", {{"code", -32601}, {"message", words}}}};
  REQUIRE(deliver(calls, line.dump()) == Line::answer);
  CHECK(call.answer.end == PluginAnswer::End::error);
  CHECK(call.answer.unknown_method());
  CHECK(call.answer.message.starts_with("no way \xC3\xA4"));
  CHECK(call.answer.message.size() <= PluginAnswer::kMaxMessageBytes);
  CHECK_NOTHROW(static_cast<void>(json(call.answer.message).dump()));
}

TEST_CASE("what a plugin writes is told apart: answers, what nobody asked for, and nonsense") {
  PluginCalls calls(64);
  Call call(calls, 2);
  const std::string id = call.id();
  CHECK(deliver(calls, R"({"jsonrpc":"2.0","method":"hello"})") == Line::unasked);
  CHECK(deliver(calls, R"({"jsonrpc":"2.0","method":"hello","id":)" + id + "}") == Line::unasked);
  CHECK(deliver(calls, result("777", "1")) == Line::unasked);
  CHECK(deliver(calls, result("-1", "1")) == Line::unasked);
  CHECK(deliver(calls, result("\"" + id + "\"", "1")) == Line::unasked);
  CHECK(deliver(calls, result("null", "1")) == Line::unasked);
  for (const std::string& line :
       {std::string(), std::string("Traceback"), std::string("[]"), "[" + result(id, "1") + "]", std::string("7"),
        R"({"id":)" + id + R"(,"result":1})", R"({"jsonrpc":"1.0","id":)" + id + R"(,"result":1})",
        R"({"jsonrpc":"2.0","id":)" + id + "}", std::string(R"({"jsonrpc":"2.0","result":1})"),
        R"({"jsonrpc":"2.0","id":)" + id + R"(,"error":"bad"})",
        R"({"jsonrpc":"2.0","id":)" + id + R"(,"error":{"code":"1"}})",
        R"({"jsonrpc":"2.0","id":)" + id + R"(,"result":1,"error":{"code":1,"message":""}})", result(id, "\"\xff\""),
        result(id, std::string(100000, '[') + std::string(100000, ']')), result(id, "1") + " 2",
        std::string("\0\0", 2)}) {
    CAPTURE(line.substr(0, 80));
    CHECK(deliver(calls, line) == Line::nonsense);
  }
  CHECK(call.ends == 0);
  CHECK(deliver(calls, R"({"jsonrpc":"2.0","error":null,"id":)" + id + R"(,"result":null,"more":1})") == Line::answer);
}

TEST_CASE("a call of a plugin whose time is over ends, and its late answer is nobody's") {
  PluginCalls calls(64);
  Call later(calls, 9), sooner(calls, 2);
  CHECK(calls.next_deadline() == at(2));
  CHECK(calls.expire(at(1)).empty());
  const auto over = calls.expire(at(2));
  REQUIRE(over.size() == 1);
  over[0]({});
  CHECK(sooner.ends == 1);
  CHECK(calls.next_deadline() == at(9));
  CHECK(deliver(calls, result(sooner.id(), "1")) == Line::unasked);
  CHECK(deliver(calls, result(later.id(), "1")) == Line::answer);
  CHECK_FALSE(calls.next_deadline());
}

TEST_CASE("calls of a plugin are full at their bound, and have room again once one has ended") {
  PluginCalls calls(2);
  Call first(calls, 2);
  CHECK_FALSE(calls.full());
  Call second(calls, 2);
  CHECK(calls.full());
  CHECK(calls.cancel_newest());
  CHECK_FALSE(calls.full());
  CHECK(calls.abandon().size() == 1);
  CHECK(calls.abandon().empty());
  CHECK_FALSE(calls.cancel_newest());
}
