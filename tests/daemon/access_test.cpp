#include "daemon/access.hpp"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

using namespace personad;
using nlohmann::json;
using persona::ConversationKey;

namespace {

const bus::IdentityRules& rules() {
  static const bus::IdentityRules kRules{bus::IdentitySettings{}};
  return kRules;
}

Request asked(json context, json data, Transport transport = Transport::bus) {
  bus::Message message{"ovos.memory.context", std::move(data), std::move(context)};
  bus::Identity identity = rules().identify(message.context);
  return Request(std::move(message), std::move(identity), transport, {}, "i", [](std::string) {});
}

const json kLocal = {{"session", {{"session_id", "kitchen"}}}};
const json kSatellite = {{"peer", "agent::7::hall::abc"}, {"session", {{"session_id", "0123456789abcdef:hall"}}}};

std::string refusal(const std::variant<ConversationKey, Refused>& decision) {
  const auto* refused = std::get_if<Refused>(&decision);
  return refused != nullptr ? std::string(name(refused->refusal)) : "allowed";
}

}  // namespace

TEST_CASE("a local component may name any conversation, and means its own where it names none") {
  bus::WireMap wires;
  const Access access(wires, false);
  CHECK(std::get<ConversationKey>(access.decide(asked(kLocal, json::object()), Audience::everyone)) ==
        ConversationKey{"local", "kitchen"});
  CHECK(std::get<ConversationKey>(access.decide(asked(kLocal, {{"owner", "hivemind:hub:7:hall"}, {"session_id", "x"}}),
                                                Audience::everyone)) == ConversationKey{"hivemind:hub:7:hall", "x"});
}

TEST_CASE("what a satellite claims about owner, session or on_behalf_of is ignored, not obeyed") {
  bus::WireMap wires;
  const Access access(wires, false);
  const json claims = {{"owner", "local"}, {"session_id", "kitchen"}, {"on_behalf_of", {{"session_id", "kitchen"}}}};
  CHECK(std::get<ConversationKey>(access.decide(asked(kSatellite, claims), Audience::everyone)) ==
        ConversationKey{"hivemind:hub:7:hall", "hall"});
}

TEST_CASE("what is not for everyone is forbidden to anything that a hub stamped, bus_admin or not") {
  bus::WireMap wires;
  for (const bool bus_admin : {false, true}) {
    const Access access(wires, bus_admin);
    for (const json& context : {kSatellite, json{{"peer", "strange"}}, json{{"peer", 5}},
                                json{{"session", {{"session_id", "0123456789abcdef:hall"}}}}}) {
      CAPTURE(context.dump());
      CHECK(refusal(access.decide(asked(context, json::object()), Audience::everyone)) == "allowed");
      CHECK(refusal(access.decide(asked(context, json::object()), Audience::local)) == "forbidden");
      CHECK(refusal(access.decide(asked(context, json::object()), Audience::administrator)) == "forbidden");
    }
  }
}

TEST_CASE("administration is for the admin socket, and for the bus where bus_admin is set") {
  bus::WireMap wires;
  CHECK(refusal(Access(wires, false).decide(asked(kLocal, json::object()), Audience::administrator)) == "forbidden");
  CHECK(refusal(Access(wires, true).decide(asked(kLocal, json::object()), Audience::administrator)) == "allowed");
  CHECK(
      refusal(Access(wires, false).decide(asked(kLocal, json::object(), Transport::admin), Audience::administrator)) ==
      "allowed");
}

TEST_CASE("on_behalf_of finds the satellite behind a wire id") {
  bus::WireMap wires;
  wires.learn(rules().identify(kSatellite));
  const Access access(wires, false);
  const auto behalf = [&](json whom) {
    return access.decide(asked(kLocal, {{"on_behalf_of", std::move(whom)}}), Audience::everyone);
  };
  CHECK(std::get<ConversationKey>(behalf({{"session_id", "0123456789abcdef:hall"}})) ==
        ConversationKey{"hivemind:hub:7:hall", "hall"});
  CHECK(refusal(behalf({{"session_id", "ffffffffffffffff:hall"}})) == "unknown_conversation");
  CHECK(refusal(behalf({{"session_id", 5}})) == "bad_request");
  CHECK(refusal(behalf(json::object())) == "bad_request");
  json same_wire = kSatellite;
  same_wire["peer"] = "agent::8::bath::abc";
  wires.learn(rules().identify(same_wire));
  CHECK(refusal(behalf({{"session_id", "0123456789abcdef:hall"}})) == "ambiguous");
  CHECK(refusal(behalf({{"session_id", "0123456789abcdef:hall"}, {"peer", "agent::8::bath::abc"}})) == "allowed");
}

TEST_CASE("a satellite whose session id is used on this host as well is not taken for the household") {
  bus::WireMap wires;
  const json satellite{{"peer", "agent::7::hall::default"}, {"session", {{"session_id", "default"}}}};
  const json verbatim{{"peer", "agent::7::hall::talk"}, {"session", {{"session_id", "talk"}}}};
  wires.learn(rules().identify(satellite));
  wires.learn(rules().identify(verbatim));
  const Access access(wires, false);
  const auto behalf = [&](json whom) {
    return access.decide(asked(kLocal, {{"on_behalf_of", std::move(whom)}}), Audience::everyone);
  };
  CHECK(refusal(behalf({{"session_id", "default"}})) == "ambiguous");
  CHECK(std::get<ConversationKey>(behalf({{"session_id", "default"}, {"peer", ""}})) ==
        ConversationKey{"local", "default"});
  CHECK(std::get<ConversationKey>(behalf({{"session_id", "default"}, {"peer", "agent::7::hall::default"}})).owner ==
        "hivemind:hub:7:hall");
  CHECK(refusal(behalf({{"session_id", "talk"}})) == "allowed");
  wires.learn(rules().identify({{"session", {{"session_id", "talk"}}}}));
  CHECK(refusal(behalf({{"session_id", "talk"}})) == "ambiguous");
}

TEST_CASE("wrong-typed names are a bad request") {
  bus::WireMap wires;
  const Access access(wires, false);
  for (const json& data :
       {json{{"owner", 1}}, json{{"session_id", nullptr}}, json{{"on_behalf_of", "x"}}, json{{"owner", ""}}}) {
    CAPTURE(data.dump());
    CHECK(refusal(access.decide(asked(kLocal, data), Audience::everyone)) == "bad_request");
  }
}

TEST_CASE("a satellite looks through no more than the persona recalls from, and never through what others said") {
  using persona::RecallScope;
  constexpr RecallScope kScopes[] = {RecallScope::session, RecallScope::owner, RecallScope::persona};
  for (const RecallScope configured : kScopes) {
    for (const json& context : {kSatellite, json{{"peer", "strange"}}, json{{"peer", 5}},
                                json{{"session", {{"session_id", "0123456789abcdef:hall"}}}}}) {
      CAPTURE(context.dump());
      const Request request = asked(context, json::object());
      CHECK_FALSE(Access::refuses_scope(request, RecallScope::session, configured));
      CHECK(Access::refuses_scope(request, RecallScope::owner, configured).has_value() ==
            (configured == RecallScope::session));
      const auto refused = Access::refuses_scope(request, RecallScope::persona, configured);
      REQUIRE(refused);
      CHECK(refused->refusal == Refusal::forbidden);
    }
  }
}

TEST_CASE("a local caller may widen the scope of recall") {
  using persona::RecallScope;
  for (const Transport transport : {Transport::bus, Transport::admin}) {
    const Request request = asked(kLocal, json::object(), transport);
    for (const RecallScope scope : {RecallScope::session, RecallScope::owner, RecallScope::persona}) {
      CHECK_FALSE(Access::refuses_scope(request, scope, RecallScope::session));
    }
  }
}
