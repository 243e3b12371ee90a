#include <doctest/doctest.h>

#include <deque>
#include <sstream>

#include "daemon/ctl/commands.hpp"
#include "daemon/ctl/render.hpp"

using namespace personad::ctl;
using nlohmann::json;

namespace {

/// Answers what it was told to, and keeps what it was asked.
class FakeConnection : public Connection {
 public:
  struct Request {
    std::string type;
    json data;
  };

  Reply ask(std::string_view type, json data) override {
    requests.push_back({std::string(type), std::move(data)});
    if (replies.empty()) return {.result = {}, .failure = Failure{Exit::no_connection, "nobody"}};
    auto reply = std::move(replies.front());
    replies.pop_front();
    return reply;
  }
  Failure tail(const std::string&, const OnTurn& on_turn) override {
    for (const auto& turn : turns) on_turn(turn);
    return {Exit::no_connection, "it ended"};
  }

  std::deque<Reply> replies;
  std::vector<Request> requests;
  std::vector<json> turns;
};

struct Ran {
  Exit exit = Exit::ok;
  std::string out;
  std::string err;
};

Ran run(const Wishes& wishes, FakeConnection& connection) {
  std::ostringstream out;
  std::ostringstream err;
  const auto exit = run_command(wishes, connection, out, err);
  return {exit, out.str(), err.str()};
}

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("an answer is recognised by its type and its request id") {
  const auto asked = make_request("ovos.memory.status", json::object());
  const auto answer = [&](const char* type, const std::string& id) {
    return json({{"type", type}, {"data", {{"request_id", id}, {"result", {{"ready", true}}}}}}).dump();
  };
  const auto reply = answer_in(answer("ovos.memory.status.response", asked.request_id), asked);
  REQUIRE(reply);
  CHECK_FALSE(reply->failure);
  CHECK(reply->result["ready"] == true);
  CHECK_FALSE(answer_in(answer("ovos.memory.status.response", "another"), asked));
  CHECK_FALSE(answer_in(answer("ovos.memory.status", asked.request_id), asked));
  CHECK_FALSE(answer_in(asked.line, asked));
  for (const auto* junk :
       {"", "{", "[]", "3", R"({"type": 3, "data": 4})", R"({"type": "ovos.memory.status.response"})"}) {
    CHECK_FALSE(answer_in(junk, asked));
  }
}

TEST_CASE("an error answer, and a line that was not understood, are failures") {
  const auto asked = make_request("ovos.memory.status", json::object());
  const json error = {{"type", "ovos.memory.status.response"},
                      {"data", {{"request_id", asked.request_id}, {"error", "busy: later"}}}};
  auto reply = answer_in(error.dump(), asked);
  REQUIRE((reply && reply->failure));
  CHECK(reply->failure->words == "busy: later");
  CHECK(reply->failure->exit == Exit::error_answer);
  reply = answer_in(R"({"type": "personad.error", "data": {"error": "too_large: x"}})", asked);
  REQUIRE((reply && reply->failure));
  CHECK(reply->failure->words == "too_large: x");
}

TEST_CASE("each command asks for what it was told to") {
  FakeConnection connection;
  Wishes wishes;
  wishes.command = "history";
  wishes.session = "kitchen";
  wishes.owner = "local";
  wishes.persona = "Cook";
  wishes.limit = 3;
  CHECK(run(wishes, connection).exit == Exit::no_connection);
  wishes.command = "activate";
  (void)run(wishes, connection);
  wishes.exact = true;
  (void)run(wishes, connection);
  wishes.command = "sessions";
  wishes.active_since = "12.5";
  (void)run(wishes, connection);
  wishes.active_since = "2026-01-01T00:00:00Z";
  (void)run(wishes, connection);
  wishes.command = "context";
  wishes.utterance = "and now?";
  wishes.max_tokens = 500;
  wishes.explain = true;
  (void)run(wishes, connection);
  wishes.command = "remember";
  wishes.fact = "likes tea";
  (void)run(wishes, connection);
  wishes.command = "facts";
  (void)run(wishes, connection);
  const auto& asked = connection.requests;
  REQUIRE(asked.size() == 8);
  CHECK(asked[0].type == "ovos.memory.history");
  CHECK(asked[0].data == json({{"session_id", "kitchen"}, {"owner", "local"}, {"persona_id", "Cook"}, {"limit", 3}}));
  CHECK(asked[1].type == "ovos.persona.activate");
  CHECK(asked[1].data["match"] == "fuzzy");
  CHECK(asked[2].data["match"] == "exact");
  CHECK(asked[3].data["active_since"] == 12.5);
  CHECK(asked[4].data["active_since"] == "2026-01-01T00:00:00Z");
  CHECK(asked[5].data["max_tokens"] == 500);
  CHECK(asked[5].data["explain"] == true);
  CHECK(asked[6].type == "ovos.memory.remember");
  CHECK(asked[6].data["fact"] == "likes tea");
  CHECK(asked[7].type == "ovos.memory.facts");
  CHECK(asked[7].data["limit"] == 3);
}

TEST_CASE("all pages of the sessions are one list") {
  FakeConnection connection;
  connection.replies.push_back({.result = {{"sessions", {{{"session_id", "a"}}}}, {"cursor", "1"}}});
  connection.replies.push_back({.result = {{"sessions", {{{"session_id", "b"}}}}, {"cursor", "2"}}});
  connection.replies.push_back({.result = {{"sessions", {{{"session_id", "c"}}}}}});
  Wishes wishes;
  wishes.command = "sessions";
  wishes.all = true;
  wishes.json = true;
  const auto ran = run(wishes, connection);
  CHECK(ran.exit == Exit::ok);
  CHECK(json::parse(ran.out) ==
        json({{"sessions", {{{"session_id", "a"}}, {{"session_id", "b"}}, {{"session_id", "c"}}}}}));
  REQUIRE(connection.requests.size() == 3);
  CHECK(connection.requests[2].data["cursor"] == "2");
}

TEST_CASE("an error answer ends with its code, its words, and a hint where there is one") {
  FakeConnection connection;
  connection.replies.push_back({.result = {}, .failure = Failure{Exit::error_answer, "forbidden: \x1b[1m no"}});
  Wishes wishes;
  wishes.command = "sessions";
  wishes.json = true;
  const auto ran = run(wishes, connection);
  CHECK(ran.exit == Exit::error_answer);
  CHECK(json::parse(ran.out)["error"] == "forbidden: \x1b[1m no");
  CHECK(has(ran.err, "leave out --bus"));
  CHECK_FALSE(has(ran.err, "\x1b"));
}

TEST_CASE("a live turn is a line of JSON, or a paragraph") {
  FakeConnection connection;
  connection.turns = {{{"role", "user"}, {"content", "a\nb"}, {"session_id", "k"}, {"timestamp", 0}}};
  Wishes wishes;
  wishes.command = "tail";
  wishes.json = true;
  auto ran = run(wishes, connection);
  CHECK(ran.exit == Exit::no_connection);
  CHECK(json::parse(ran.out) == connection.turns[0]);
  CHECK(std::count(ran.out.begin(), ran.out.end(), '\n') == 1);
  wishes.json = false;
  ran = run(wishes, connection);
  CHECK(has(ran.out, "user: a\n    b\n"));
}

TEST_CASE("facts are a table, and a context that was explained has one as well") {
  CHECK(has(render_facts({{"facts", {{{"fact", "likes tea"}, {"created", 0}, {"source", "asked"}}}}}), "likes tea"));
  CHECK(has(render_remembered({{"fact", "likes tea"}, {"duplicate_of", "f1"}}), "known already"));
  const json context{{"messages", json::array()},
                     {"over_budget", true},
                     {"parts", {{{"part", "history"}, {"tokens", 12}, {"count", 2}, {"dropped", 4}}}}};
  CHECK(has(render_context(context), "exceed the budget"));
  CHECK(has(render_context(context), "history"));
}

TEST_CASE("any JSON can be rendered, whatever its shape") {
  const json shapes[] = {
      nullptr,
      3,
      "text",
      json::array({1, "x", nullptr}),
      json::object(),
      {{"sessions", 3}, {"messages", {1, nullptr, {{"role", 7}, {"content", {1}}}}}, {"personas", {3}}},
      {{"sessions", {nullptr, {{"first", "x"}, {"bytes", "y"}, {"turns", nullptr}}}}},
      {{"messages", {{{"tool_calls", {1, {{"name", 3}}}}, {"timestamp", "x"}}}}, {"next", 4}}};
  for (const auto& shape : shapes) {
    CAPTURE(shape.dump());
    for (const auto render : {render_status, render_sessions, render_history, render_context, render_personas,
                              render_switch, render_turn, render_facts, render_remembered}) {
      CHECK(has(render(shape) + "\n", "\n"));
    }
  }
}

TEST_CASE("nested members of a status are indented below their name") {
  CHECK(
      render_status({{"version", "1"}, {"bus", {{"up", true}, {"x", {{"a_bytes", 2048}}}}}, {"none", json::array()}}) ==
      "none: none\n"
      "version: 1\n"
      "bus:\n"
      "  up: yes\n"
      "  x:\n"
      "    a_bytes: 2.0 KiB\n");
}
