#include "bus/identity.hpp"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <string>

using namespace bus;
using nlohmann::json;

namespace {

constexpr const char* kNamespace16 = "0123456789abcdef";
constexpr const char* kNamespace32 = "0123456789abcdef0123456789abcdef";

Identity identify(const json& context, IdentitySettings settings = {}) {
  return IdentityRules(std::move(settings)).identify(context);
}

json context(const std::string& session_id) {
  return json{{"session", {{"session_id", session_id}}}};
}

json stamped(const std::string& peer, const std::string& session_id) {
  json out = context(session_id);
  out["peer"] = peer;
  return out;
}

}  // namespace

TEST_CASE("a message that nobody stamped is local") {
  const Identity identity = identify(context("kitchen"));
  CHECK(identity.caller == Caller::local);
  CHECK(identity.is_local());
  CHECK(identity.owner == "local");
  CHECK(identity.conversation == "kitchen");
  CHECK(identity.wire_session == "kitchen");
  CHECK(identity.peer.empty());
  CHECK_FALSE(identity.one_shot);
}

TEST_CASE("absent, null, empty and wrong-typed session ids are the default conversation") {
  for (const char* text :
       {"{}", R"({"session":null})", R"({"session":{}})", R"({"session":{"session_id":null}})",
        R"({"session":{"session_id":""}})", R"({"session":{"session_id":5}})", R"({"session":[]})"}) {
    const Identity identity = identify(json::parse(text));
    CHECK_MESSAGE(identity.owner == "local", text);
    CHECK_MESSAGE(identity.conversation == "default", text);
    CHECK_MESSAGE(identity.wire_session == "default", text);
  }
}

TEST_CASE("a peer of the known form is a satellite, owned by client id and name, whatever its user agent") {
  for (const char* peer :
       {"voice-sat/1.0::7::kitchen", "other/2::7::kitchen::declared", "x::7::kitchen::declared::2"}) {
    const Identity identity = identify(stamped(peer, "living"));
    CHECK_MESSAGE(identity.caller == Caller::satellite, peer);
    CHECK_MESSAGE(identity.owner == "hivemind:hub:7:kitchen", peer);
    CHECK_MESSAGE(identity.conversation == "living", peer);
    CHECK_MESSAGE(identity.peer == peer, peer);
  }
}

TEST_CASE("the hub's name is configuration") {
  IdentitySettings settings;
  settings.hub_name = "attic";
  CHECK(identify(stamped("a::7::kitchen", "s"), settings).owner == "hivemind:attic:7:kitchen");
}

TEST_CASE("a satellite's conversation is its session id without the hub's namespace, in every era") {
  const auto conversation = [](const std::string& session) {
    return identify(stamped("a::7::kitchen::declared", session)).conversation;
  };
  CHECK(conversation("s1") == "s1");
  CHECK(conversation(std::string(kNamespace32) + ":s1") == "s1");
  CHECK(conversation(std::string(kNamespace16) + ":s1") == "s1");
  CHECK(conversation("fedcba9876543210:s1") == "s1");
  CHECK(conversation(std::string(kNamespace16) + ":a:b") == "a:b");
  CHECK(identify(stamped("a::7::kitchen", std::string(kNamespace16) + ":s1")).wire_session ==
        std::string(kNamespace16) + ":s1");
}

TEST_CASE("a satellite without a session id is known by the session it declared, else by the default") {
  CHECK(identify(json{{"peer", "a::7::kitchen::declared"}}).conversation == "declared");
  CHECK(identify(json{{"peer", "a::7::kitchen::declared::2"}}).conversation == "declared");
  CHECK(identify(json{{"peer", "a::7::kitchen"}}).conversation == "default");
  CHECK(identify(json{{"peer", "a::7::kitchen::"}}).conversation == "default");
}

TEST_CASE("any other peer is an unknown one, owned by its own text") {
  for (const char* peer : {"kitchen", "a::x::kitchen", "", "a::-1::kitchen", "a::7"}) {
    const Identity identity = identify(stamped(peer, "s1"));
    CHECK_MESSAGE(identity.caller == Caller::unknown_peer, peer);
    CHECK_MESSAGE(identity.owner == std::string("peer:") + peer, peer);
    CHECK_MESSAGE(identity.conversation == "s1", peer);
  }
  CHECK(identify(stamped("kitchen", std::string(kNamespace16) + ":s1")).conversation ==
        std::string(kNamespace16) + ":s1");
}

TEST_CASE("a peer that is no string is an unknown one") {
  for (const json& peer : {json(nullptr), json(7), json::array({"a::7::kitchen"}), json::object()}) {
    const Identity identity = identify(json{{"peer", peer}});
    CHECK(identity.caller == Caller::unknown_peer);
    CHECK(identity.owner == "peer:" + peer.dump());
  }
}

TEST_CASE("a very long peer is an unknown one under a short owner, and two of them stay apart") {
  const std::string one = "a::7::" + std::string(1u << 20, 'x');
  const std::string two = one + "y";
  const Identity identity = identify(json{{"peer", one}});
  CHECK(identity.caller == Caller::unknown_peer);
  CHECK(identity.owner.size() < 100);
  CHECK(identity.owner != identify(json{{"peer", two}}).owner);
  CHECK(identity.owner == identify(json{{"peer", one}}).owner);
}

TEST_CASE("a very long session id is kept as a short key, and two of them stay apart") {
  const std::string one = std::string(kNamespace16) + ":" + std::string(1u << 20, 'x');
  const Identity identity = identify(context(one));
  CHECK(identity.owner == std::string("hivemind-ns:") + kNamespace16);
  CHECK(identity.conversation.size() < 100);
  CHECK(identity.wire_session.size() < 100);
  CHECK(identity.conversation != identify(context(one + "y")).conversation);
  CHECK(identity.conversation == identify(context(one)).conversation);
  json query = context(one);
  query["query_id"] = one;
  CHECK(identify(query).one_shot);
}

TEST_CASE("a hub's namespace without a stamp has the rights of a satellite") {
  for (const char* name_space : {kNamespace16, kNamespace32}) {
    const Identity identity = identify(context(std::string(name_space) + ":s1"));
    CHECK(identity.caller == Caller::namespaced);
    CHECK_FALSE(identity.is_local());
    CHECK(identity.owner == std::string("hivemind-ns:") + name_space);
    CHECK(identity.conversation == "s1");
  }
  CHECK(identify(context(std::string(kNamespace16) + ":")).conversation == "default");
}

TEST_CASE("a namespace is 16 or 32 lower-case hex digits before the first colon") {
  CHECK(split_namespace("0123456789abcdef:x").name_space == kNamespace16);
  CHECK(split_namespace("0123456789abcdef:x:y").rest == "x:y");
  for (const char* id : {"0123456789ABCDEF:x", "0123456789abcde:x", "0123456789abcdefa:x", "0123456789abcdeg:x",
                         "0123456789abcdef", "x:0123456789abcdef:y", "", ":"}) {
    CHECK_MESSAGE(split_namespace(id).name_space.empty(), id);
    CHECK_MESSAGE(split_namespace(id).rest == id, id);
  }
}

TEST_CASE("a source listed as remote has the rights of a satellite and an owner of its own") {
  IdentitySettings settings;
  settings.remote_sources = {"^matrix-", "bridge"};
  const IdentityRules rules(settings);
  json from = context("s1");
  from["source"] = "matrix-room";
  Identity identity = rules.identify(from);
  CHECK(identity.caller == Caller::namespaced);
  CHECK(identity.owner == "peer:matrix-room");
  CHECK(identity.conversation == "s1");
  from["source"] = std::string(100000, 'x');
  CHECK_FALSE(rules.identify(from).is_local());
  from["source"] = "audio";
  CHECK(rules.identify(from).is_local());
  from["source"] = json::array({"matrix-room"});
  CHECK(rules.identify(from).is_local());
}

TEST_CASE("a session id that equals the query id is a one-shot") {
  json query = stamped("a::7::kitchen", "q1");
  query["query_id"] = "q1";
  CHECK(identify(query).one_shot);
  query["query_id"] = "q2";
  CHECK_FALSE(identify(query).one_shot);
  CHECK_FALSE(identify(json{{"query_id", "default"}}).one_shot);
}

TEST_CASE("an operator's pattern may have fewer groups, and an ill-formed one is refused at once") {
  IdentitySettings settings;
  settings.peer_pattern = "([a-z]+)/([0-9]+)";
  CHECK(identify(stamped("sat/3", "s1"), settings).owner == "hivemind:hub:3:");
  settings.peer_pattern = "(";
  CHECK_THROWS_AS(IdentityRules{settings}, std::regex_error);
}
