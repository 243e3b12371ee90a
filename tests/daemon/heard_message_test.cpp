#include "daemon/heard_message.hpp"

#include <doctest/doctest.h>

using namespace personad;
using nlohmann::json;
using What = persona::Heard::What;

namespace {

const bus::IdentityRules& rules() {
  static const bus::IdentityRules kRules{bus::IdentitySettings{}};
  return kRules;
}

std::optional<HeardMessage> hear(bus::Message message) {
  const Reading reading = reading_of(message.type, message.dump());
  if (reading.interest != Interest::utterance) return std::nullopt;
  const bus::Identity identity = rules().identify(message.context);
  return heard_of(message, reading.what, identity);
}

json session(json fields) {
  return {{"session", std::move(fields)}};
}

}  // namespace

TEST_CASE("both spellings of a topic are read the same, and what nobody reads is not read") {
  CHECK(reading_of("recognizer_loop:utterance", "{}").what == What::entry);
  CHECK(reading_of("ovos.utterance.handle", "{}").interest == Interest::utterance);
  CHECK(reading_of("speak", "{}").what == What::spoke);
  CHECK(reading_of("complete_intent_failure", "{}").what == What::unmatched);
  CHECK(reading_of("ovos.memory.context", "{}").interest == Interest::request);
  CHECK(reading_of("ovos.memory.context.response", "{}").interest == Interest::answer);
  CHECK(reading_of("mycroft.personad.is_ready", "{}").interest == Interest::health);
  for (const char* topic : {"gui.value.set", "mycroft.volume.get", "recognizer_loop:audio_output_start", "",
                            "padatious:register_intent", "some.thing.response", "ovos.utterance.speak.b64", "a:b"}) {
    CAPTURE(topic);
    CHECK(reading_of(topic, R"({"type":"x"})").interest == Interest::none);
  }
}

TEST_CASE("a request of the memory's own prefix that does not exist is known as such, an answer never is one") {
  for (const std::string& topic : {std::string("ovos.memory.eat"), std::string("ovos.memory.step.during"),
                                   "ovos.memory." + std::string(116, 'x')}) {
    CAPTURE(topic);
    CHECK(reading_of(topic, "{}").interest == Interest::unknown_request);
    CHECK(reading_of(topic + ".response", "{}").interest == Interest::none);
    CHECK(reading_of(topic + ".response.response", "{}").interest == Interest::none);
  }
  for (const std::string& topic :
       {std::string("ovos.memory"), std::string("ovos.memory."), std::string("ovos.memory..eat"),
        std::string("ovos.memory.eat it"), std::string("ovos.memory.\x1b"), std::string("ovos.memory.response"),
        std::string("ovos.memoryless.eat"), std::string("my.ovos.memory.eat"), std::string("ovos.persona.eat"),
        "ovos.memory." + std::string(117, 'x')}) {
    CAPTURE(topic);
    CHECK(reading_of(topic, "{}").interest == Interest::none);
  }
}

TEST_CASE("a topic with a colon is a dispatch only when its context names the skill") {
  const auto heard = hear({"weather.skill:today", {{"utterance", "rain?"}}, {{"skill_id", "weather.skill"}}});
  REQUIRE(heard);
  CHECK(heard->heard.what == What::dispatched);
  CHECK(heard->heard.skill_id == "weather.skill");
  CHECK(heard->heard.intent == "today");
  CHECK(heard->heard.text == "rain?");
  CHECK_FALSE(hear({"weather.skill:today", {{"x", "weather.skill"}}, {{"skill_id", "other.skill"}}}));
}

TEST_CASE("an entry keeps the strings of its utterances and nothing else") {
  const auto heard =
      hear({"recognizer_loop:utterance", {{"utterances", {"a", 5, nullptr, "b"}}, {"lang", "en-US"}}, json::object()});
  REQUIRE(heard);
  CHECK(heard->heard.utterances == std::vector<std::string>{"a", "b"});
  CHECK(heard->heard.lang == "en-US");
  CHECK(hear({"recognizer_loop:utterance", {{"utterances", "a"}}, json::object()})->heard.utterances.empty());
}

TEST_CASE("a session is local and default only when nobody stamped it") {
  CHECK(hear({"speak", {{"utterance", "x"}}, json::object()})->heard.session.local_default);
  CHECK(hear({"speak", {{"utterance", "x"}}, session(json::object())})->heard.session.local_default);
  CHECK_FALSE(hear({"speak", {{"utterance", "x"}}, session({{"session_id", "s"}})})->heard.session.local_default);
  const auto stamped = hear({"speak", {{"utterance", "x"}}, {{"peer", "a::1::n::d"}}});
  CHECK_FALSE(stamped->heard.session.local_default);
  CHECK(stamped->where.owner == "hivemind:hub:1:n");
}

TEST_CASE("what a satellite says itself is no answer") {
  CHECK_FALSE(hear({"speak", {{"utterance", "x"}}, {{"peer", "a::1::n::d"}, {"source", "a::1::n::d"}}}));
  CHECK(hear({"speak", {{"utterance", "x"}}, {{"peer", "a::1::n::d"}, {"source", "skills"}}}));
}

TEST_CASE("a sync is about the session in its snapshot; a sync without one is a request and says nothing") {
  const auto heard = hear({"ovos.session.sync",
                           {{"session", {{"session_id", "s2"}, {"persona_id", "cook"}}}},
                           session({{"session_id", "s1"}})});
  REQUIRE(heard);
  CHECK(heard->where.conversation == "s2");
  CHECK(heard->heard.session.persona_id == "cook");
  CHECK_FALSE(hear({"ovos.session.sync", json::object(), json::object()}));
}

TEST_CASE("in a stamped message a session id inside data is ignored") {
  const auto heard = hear({"ovos.persona.activated",
                           {{"persona_id", "cook"}, {"session_id", "somebody else's"}},
                           {{"peer", "a::1::n::d"}, {"session", {{"session_id", "own"}}}}});
  REQUIRE(heard);
  CHECK(heard->where.conversation == "own");
  const auto local = hear({"ovos.persona.activated", {{"persona_id", "cook"}, {"session_id", "s"}}, json::object()});
  CHECK(local->where.conversation == "s");
}

TEST_CASE("who speaks is known from the context, else from the meta of older skills") {
  CHECK(hear({"speak", {{"utterance", "x"}}, {{"skill_id", "a"}}})->heard.skill_id == "a");
  CHECK(hear({"speak", {{"utterance", "x"}, {"meta", {{"skill", "b"}}}}, json::object()})->heard.skill_id == "b");
}

TEST_CASE(
    "a response mode is held until it expires; without a time, or with one beyond any clock, it is held all the same") {
  const auto mode = [](json fields) {
    fields["skill_id"] = "safe";
    return hear({"speak", {{"utterance", "x"}}, session({{"response_mode", std::move(fields)}})})
        ->heard.session.response_mode;
  };
  CHECK(mode({{"expires_at", 1700000000}})->expires == std::chrono::system_clock::from_time_t(1700000000));
  CHECK(mode({{"expires_at", 1e300}})->expires > std::chrono::system_clock::now());
  CHECK(mode(json::object()));
  CHECK_FALSE(mode(json::object())->expires);
}

TEST_CASE("a name longer than 512 bytes, or a language longer than 64, counts as absent") {
  const std::string long_name(513, 'x');
  const std::string name(512, 'x');
  CHECK_FALSE(hear({"persona:summon", {{"persona", long_name}}, json::object()}));
  CHECK(hear({"persona:summon", {{"persona", name}}, json::object()}));
  CHECK_FALSE(hear({"ovos.persona.activated", {{"persona_id", long_name}}, json::object()}));
  CHECK_FALSE(hear({"skill.converse.get_response.enable", {{"skill_id", long_name}}, json::object()}));
  CHECK_FALSE(hear({long_name + ".converse.get_response", json::object(), json::object()}));
  CHECK_FALSE(hear({"x.skill:today", json::object(), {{"skill_id", long_name}}}));
  const auto facts = hear({"speak",
                           {{"utterance", "a"}, {"lang", std::string(65, 'e')}},
                           session({{"persona_id", long_name},
                                    {"response_mode", {{"skill_id", long_name}}},
                                    {"utterance_states", {{long_name, "response"}, {name, "response"}}}})});
  REQUIRE(facts);
  CHECK_FALSE(facts->heard.session.persona_id);
  CHECK_FALSE(facts->heard.session.response_mode);
  CHECK(facts->heard.session.awaiting == std::vector{name});
  CHECK(facts->heard.lang.empty());
  const auto synced =
      hear({"ovos.session.sync", {{"session", {{"session_id", long_name}}}}, session({{"session_id", "s"}})});
  REQUIRE(synced);
  CHECK(synced->where.conversation == "s");
}

TEST_CASE("wrong-typed data never throws and says as little as absent data") {
  for (const char* topic :
       {"recognizer_loop:utterance", "speak", "ovos.intent.matched", "ovos.utterance.handled", "ovos.session.sync",
        "persona:summon", "ovos.persona.activated", "skill.converse.get_response.enable", "x.converse.get_response"}) {
    for (const json& value : {json(5), json(nullptr), json::array({1}), json{{"a", 1}}, json(true)}) {
      json data;
      for (const char* key :
           {"utterances", "utterance", "lang", "skill_id", "session", "persona", "persona_id", "meta"}) {
        data[key] = value;
      }
      CAPTURE(topic);
      CHECK_NOTHROW((void)hear({topic, data,
                                session({{"session_id", value},
                                         {"persona_id", value},
                                         {"response_mode", value},
                                         {"utterance_states", value}})}));
    }
  }
}
