#include "bus/session.hpp"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

using namespace bus;
using nlohmann::json;

namespace {
Session read(const char* text) {
  return Session::read(json::parse(text));
}
}  // namespace

TEST_CASE("no session, an empty one and an empty id are the default session") {
  CHECK(Session::of_context(json::object()).is_default());
  CHECK(Session::of_context(json::parse(R"({"session":null})")).is_default());
  CHECK(Session::of_context(json::parse(R"({"session":{}})")).is_default());
  CHECK(Session::of_context(json::parse(R"({"session":{"session_id":""}})")).is_default());
  CHECK(Session::of_context(json::parse(R"({"session":{"session_id":null}})")).is_default());
  CHECK(Session::of_context(json::parse(R"({"session":{"session_id":7}})")).is_default());
  CHECK(Session::of_context(json()).is_default());
  CHECK(Session::read(json::array()).session_id == "default");
}

TEST_CASE("a session id is taken as it is") {
  CHECK(Session::of_context(json::parse(R"({"session":{"session_id":"kitchen"}})")).session_id == "kitchen");
  CHECK_FALSE(read(R"({"session_id":"kitchen"})").is_default());
}

TEST_CASE("an empty persona is told apart from an absent one, a wrong type is absent") {
  CHECK(read(R"({"persona_id":"Ada"})").persona_id == "Ada");
  CHECK(read(R"({"persona_id":""})").persona_id == "");
  CHECK_FALSE(read("{}").persona_id.has_value());
  CHECK_FALSE(read(R"({"persona_id":null})").persona_id.has_value());
  CHECK_FALSE(read(R"({"persona_id":["Ada"]})").persona_id.has_value());
}

TEST_CASE("a response mode needs a skill, its end may be missing") {
  const auto mode = read(R"({"response_mode":{"skill_id":"quiz","expires_at":12.5}})").response_mode;
  REQUIRE(mode.has_value());
  CHECK(mode->skill_id == "quiz");
  CHECK(mode->expires_at == doctest::Approx(12.5));
  CHECK(read(R"({"response_mode":{"skill_id":"quiz","expires_at":12}})").response_mode->expires_at ==
        doctest::Approx(12));
  CHECK(read(R"({"response_mode":{"skill_id":"quiz","expires_at":"soon"}})").response_mode->expires_at == 0);
  CHECK_FALSE(read(R"({"response_mode":{"skill_id":"","expires_at":1}})").response_mode.has_value());
  CHECK_FALSE(read(R"({"response_mode":{"expires_at":1}})").response_mode.has_value());
  CHECK_FALSE(read(R"({"response_mode":null})").response_mode.has_value());
  CHECK_FALSE(read(R"({"response_mode":"quiz"})").response_mode.has_value());
}

TEST_CASE("the legacy states name the skills that wait for a response") {
  const auto waiting = read(R"({"utterance_states":{"quiz":"response","timer":"intent","odd":3}})").awaiting_response;
  REQUIRE(waiting.has_value());
  CHECK(*waiting == std::vector<std::string>{"quiz"});
  CHECK(read(R"({"utterance_states":{}})").awaiting_response->empty());
  CHECK_FALSE(read("{}").awaiting_response.has_value());
  CHECK_FALSE(read(R"({"utterance_states":["quiz"]})").awaiting_response.has_value());
}

TEST_CASE("the language of a session is a text, or absent") {
  CHECK(read(R"({"lang":"de-DE"})").lang == "de-DE");
  CHECK(read(R"({"lang":null})").lang.empty());
  CHECK(read(R"({"lang":["de"]})").lang.empty());
  CHECK(read("{}").lang.empty());
}
