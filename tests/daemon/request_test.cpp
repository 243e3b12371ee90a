#include "daemon/request.hpp"

#include <doctest/doctest.h>

#include "bus/twin_filter.hpp"

using namespace personad;
using nlohmann::json;

namespace {

struct Answered {
  std::vector<json> frames;
  RequestPtr request;

  explicit Answered(json context, json data = {{"request_id", "r1"}}, bus::Caller caller = bus::Caller::local) {
    bus::Identity identity;
    identity.caller = caller;
    if (context.contains("peer")) identity.peer = context["peer"];
    request = std::make_shared<Request>(bus::Message{"ovos.memory.context", std::move(data), std::move(context)},
                                        identity, Transport::bus, Request::Arrival{}, "me",
                                        [this](std::string frame) { frames.push_back(json::parse(frame)); });
  }
};

}  // namespace

TEST_CASE("an answer is the response derivation, with the context as it came and our instance in it") {
  Answered one({{"source", "skill"},
                {"destination", json::array({"personad", "x"})},
                {"odd", {{"a", 1}}},
                {"session", {{"session_id", "s"}, {"unknown", 7}}}});
  one.request->answer({{"a", 1}});
  REQUIRE(one.frames.size() == 1);
  const json& frame = one.frames[0];
  CHECK(frame["type"] == "ovos.memory.context.response");
  CHECK(frame["data"] == json{{"result", {{"a", 1}}}, {"request_id", "r1"}});
  CHECK(frame["context"] == json{{"source", "personad"},
                                 {"destination", "skill"},
                                 {"odd", {{"a", 1}}},
                                 {"instance", "me"},
                                 {"session", {{"session_id", "s"}, {"unknown", 7}}}});
}

TEST_CASE("a refusal carries its code, its words and the request id") {
  Answered one(json::object());
  one.request->refuse(Refusal::too_large, "that is too much");
  CHECK(one.frames[0]["data"] == json{{"error", "too_large: that is too much"}, {"request_id", "r1"}});
}

TEST_CASE("a request is answered once") {
  Answered one(json::object());
  one.request->answer(json::object());
  one.request->refuse(Refusal::internal, "again");
  CHECK(one.frames.size() == 1);
}

TEST_CASE("an answer to a satellite never claims to come from a peer") {
  const json context = {{"peer", "a::1::n::s"}, {"source", "a::1::n::s"}, {"destination", "a::1::n::s"}};
  Answered one(context, json::object(), bus::Caller::satellite);
  one.request->answer(json::object());
  CHECK(one.frames[0]["context"]["source"] == "personad");
  CHECK(one.frames[0]["context"]["destination"] == "a::1::n::s");
}

TEST_CASE("twin markers of a request do not travel on") {
  Answered one(json{{"_namespace_compat_twin", true}, {"_intent_compat_twin", true}});
  one.request->answer(json::object());
  CHECK_FALSE(one.frames[0]["context"].contains("_namespace_compat_twin"));
  CHECK_FALSE(one.frames[0]["context"].contains("_intent_compat_twin"));
}

TEST_CASE("each error of the store is told in terms of the request") {
  for (const auto& [error, code] :
       {std::pair{persona::StoreError::busy, "busy: "}, std::pair{persona::StoreError::unavailable, "unavailable: "},
        std::pair{persona::StoreError::unknown_turn, "bad_request: "}}) {
    Answered one(json::object());
    one.request->refuse(persona::make_error_code(error));
    CHECK(one.frames[0]["data"]["error"].get<std::string>().starts_with(code));
  }
}

TEST_CASE("an event goes the way of the answer, that of an administrator's request to the bus") {
  Answered one(json{{"source", "skill"}});
  one.request->emit("ovos.persona.activated", {{"persona_id", "cook"}});
  REQUIRE(one.frames.size() == 1);
  CHECK(one.frames[0]["type"] == "ovos.persona.activated");
  CHECK(one.frames[0]["context"] == json{{"destination", "skill"}, {"instance", "me"}});

  std::vector<std::string> answers, events;
  Request request(
      {"ovos.persona.activate", json::object(), json::object()}, {}, Transport::admin, {}, "me",
      [&](std::string frame) { answers.push_back(std::move(frame)); },
      [&](std::string frame) { events.push_back(std::move(frame)); });
  request.emit("ovos.persona.activated", {{"persona_id", "cook"}});
  CHECK(answers.empty());
  CHECK(events.size() == 1);
  request.answer(json::object());
  CHECK(answers.size() == 1);
  CHECK(events.size() == 1);
}
