#include "bus/wire_map.hpp"

#include <doctest/doctest.h>

using namespace bus;

namespace {

Identity satellite(std::string wire, std::string owner, std::string peer, std::string conversation = "talk") {
  Identity identity;
  identity.caller = Caller::satellite;
  identity.owner = std::move(owner);
  identity.conversation = std::move(conversation);
  identity.wire_session = std::move(wire);
  identity.peer = std::move(peer);
  return identity;
}

}  // namespace

TEST_CASE("a wire id leads to the owner and conversation it was seen with") {
  WireMap map;
  map.learn(satellite("w1", "alice", "p1"));
  const auto found = map.find("w1");
  REQUIRE(found.identity.has_value());
  CHECK(found.identity->owner == "alice");
  CHECK(found.identity->conversation == "talk");
  CHECK_FALSE(found.ambiguous);
}

TEST_CASE("an unknown wire id leads nowhere") {
  WireMap map;
  CHECK_FALSE(map.find("w1").identity.has_value());
  CHECK_FALSE(map.find("w1").ambiguous);
}

TEST_CASE("two owners behind one wire id are ambiguous, unless the peer is given") {
  WireMap map;
  map.learn(satellite("default", "alice", "p1"));
  map.learn(satellite("default", "bob", "p2"));
  CHECK(map.find("default").ambiguous);
  CHECK_FALSE(map.find("default").identity.has_value());
  CHECK(map.find("default", "p1").identity->owner == "alice");
  CHECK(map.find("default", "p2").identity->owner == "bob");
  CHECK_FALSE(map.find("default", "p3").identity.has_value());
}

TEST_CASE("a client that comes back under another peer is not ambiguous") {
  WireMap map;
  map.learn(satellite("w1", "alice", "p1"));
  map.learn(satellite("w1", "alice", "p2"));
  CHECK_FALSE(map.find("w1").ambiguous);
  CHECK(map.find("w1").identity->peer == "p2");
  CHECK(map.find("w1", "p1").identity.has_value());
  map.learn(satellite("w1", "alice", "p1"));
  CHECK(map.find("w1").identity->peer == "p1");
}

TEST_CASE("many peers of one client do not hide another client") {
  WireMap map;
  map.learn(satellite("default", "bob", "bobs"));
  for (int i = 0; i < 20; ++i) map.learn(satellite("default", "alice", "p" + std::to_string(i)));
  CHECK(map.find("default").ambiguous);
  CHECK(map.find("default", "bobs").identity.has_value());
  CHECK_FALSE(map.find("default", "p0").identity.has_value());
}

TEST_CASE("the wire id seen least recently is forgotten first") {
  WireMap map(2);
  map.learn(satellite("w1", "alice", "p1"));
  map.learn(satellite("w2", "bob", "p2"));
  map.learn(satellite("w1", "alice", "p1"));
  map.learn(satellite("w3", "carol", "p3"));
  CHECK(map.find("w1").identity.has_value());
  CHECK_FALSE(map.find("w2").identity.has_value());
  CHECK(map.find("w3").identity.has_value());
}

TEST_CASE("what people of this host use is theirs, and the first stamped message is noticed") {
  WireMap map;
  Identity local;
  local.owner = "local";
  local.conversation = local.wire_session = "default";
  map.learn(local);
  CHECK_FALSE(map.saw_a_peer());
  CHECK(map.find("default").identity->is_local());
  map.learn(satellite("default", "alice", "p1"));
  CHECK(map.saw_a_peer());
  CHECK(map.find("default").ambiguous);
  CHECK(map.find("default", "p1").identity->owner == "alice");
}
