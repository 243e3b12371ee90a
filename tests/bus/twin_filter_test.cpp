#include "bus/twin_filter.hpp"

#include <doctest/doctest.h>

#include <string>

#include "bus/message.hpp"

using namespace bus;
using nlohmann::json;
using std::chrono::milliseconds;

namespace {

const TwinFilter::TimePoint kStart{};

Message message(std::string type, const char* text = "hello", json context = json::object()) {
  Message out;
  out.type = std::move(type);
  out.data["utterance"] = text;
  out.context = std::move(context);
  return out;
}

Message marked(Message message, std::string_view marker = kTopicTwinMarker) {
  message.context[std::string(marker)] = true;
  return message;
}

Message dispatch(std::string type, const char* skill = "skill-x.me") {
  return message(std::move(type), "hello", json{{"skill_id", skill}, {"utterance_id", "u1"}});
}

/// A filter fed at given times after the start.
struct Feed {
  TwinFilter filter;
  bool operator()(const Message& message, int ms = 0) { return filter.is_twin(message, kStart + milliseconds(ms)); }
};

}  // namespace

TEST_CASE("a client that says only the legacy frame loses nothing") {
  Feed is_twin;
  CHECK_FALSE(is_twin(message("speak", "one"), 0));
  CHECK_FALSE(is_twin(message("speak", "one"), 10));
  CHECK_FALSE(is_twin(message("speak", "two"), 20));
}

TEST_CASE("of two unmarked spellings the second is dropped, in either order") {
  Feed legacy_first;
  CHECK_FALSE(legacy_first(message("speak"), 0));
  CHECK(legacy_first(message("ovos.utterance.speak"), 1));
  Feed canonical_first;
  CHECK_FALSE(canonical_first(message("ovos.utterance.speak"), 0));
  CHECK(canonical_first(message("speak"), 1));
}

TEST_CASE("a twin is dropped once, a repeat is not") {
  Feed is_twin;
  CHECK_FALSE(is_twin(message("speak"), 0));
  CHECK(is_twin(message("ovos.utterance.speak"), 1));
  CHECK_FALSE(is_twin(message("speak"), 2));
  CHECK(is_twin(message("ovos.utterance.speak"), 3));
  CHECK_FALSE(is_twin(message("ovos.utterance.speak"), 4));
}

TEST_CASE("two repeats in one spelling, then both in the other, are two messages") {
  Feed is_twin;
  CHECK_FALSE(is_twin(message("speak"), 0));
  CHECK_FALSE(is_twin(message("speak"), 1));
  CHECK(is_twin(message("ovos.utterance.speak"), 2));
  CHECK(is_twin(message("ovos.utterance.speak"), 3));
  CHECK_FALSE(is_twin(message("ovos.utterance.speak"), 4));
}

TEST_CASE("the same spelling twice is never dropped") {
  for (const char* type : {"speak", "ovos.utterance.speak"}) {
    Feed is_twin;
    for (int i = 0; i < 5; ++i) CHECK_FALSE_MESSAGE(is_twin(message(type), i), type);
  }
}

TEST_CASE("a canonical frame and then its marked legacy twin are one message") {
  for (const auto& [canonical, legacy] :
       {std::pair("ovos.utterance.handle", "recognizer_loop:utterance"), std::pair("ovos.utterance.speak", "speak"),
        std::pair("ovos.intent.unmatched", "complete_intent_failure"), std::pair("ovos.stop", "mycroft.stop"),
        std::pair("ovos.utterance.speak.b64", "speak:b64_audio")}) {
    Feed is_twin;
    CHECK_FALSE_MESSAGE(is_twin(message(canonical), 0), canonical);
    CHECK_MESSAGE(is_twin(marked(message(legacy)), 4000), legacy);
    CHECK_FALSE_MESSAGE(is_twin(marked(message(legacy)), 4001), legacy);
  }
}

TEST_CASE("a reply that inherited the marker, and has no canonical frame, is heard") {
  Feed is_twin;
  CHECK_FALSE(is_twin(marked(message("speak", "one")), 0));
  CHECK_FALSE(is_twin(marked(message("speak", "one")), 1));
  CHECK(is_twin.filter.remembered() == 0);
}

TEST_CASE("a marked legacy frame is not remembered: a canonical one after it is no twin") {
  Feed is_twin;
  CHECK_FALSE(is_twin(marked(message("speak")), 0));
  CHECK_FALSE(is_twin(message("ovos.utterance.speak"), 1));
}

TEST_CASE("a marked twin comes within five seconds, an unmarked one within one") {
  Feed is_twin;
  CHECK_FALSE(is_twin(message("ovos.utterance.speak", "a"), 0));
  CHECK(is_twin(marked(message("speak", "a")), 5000));
  CHECK_FALSE(is_twin(message("ovos.utterance.speak", "b"), 10000));
  CHECK_FALSE(is_twin(marked(message("speak", "b")), 15001));
  CHECK_FALSE(is_twin(message("ovos.utterance.speak", "c"), 20000));
  CHECK(is_twin(message("speak", "c"), 21000));
  CHECK_FALSE(is_twin(message("ovos.utterance.speak", "d"), 30000));
  CHECK_FALSE(is_twin(message("speak", "d"), 31001));
}

TEST_CASE("of equal frames in one spelling each can be consumed once, and not those forgotten meanwhile") {
  Feed is_twin;
  CHECK_FALSE(is_twin(message("ovos.utterance.speak"), 0));
  CHECK_FALSE(is_twin(message("ovos.utterance.speak"), 4900));
  CHECK_FALSE(is_twin(message("ovos.utterance.speak"), 5000));
  CHECK(is_twin(marked(message("speak")), 5500));
  CHECK(is_twin(marked(message("speak")), 5500));
  CHECK_FALSE(is_twin(marked(message("speak")), 5500));
}

TEST_CASE("a marked canonical frame counts as unmarked") {
  Feed is_twin;
  CHECK_FALSE(is_twin(marked(message("ovos.utterance.speak")), 0));
  CHECK(is_twin(message("speak"), 1));
  CHECK_FALSE(is_twin(message("speak"), 2));
  CHECK(is_twin(marked(message("ovos.utterance.speak")), 3));
  CHECK_FALSE(is_twin(marked(message("ovos.utterance.speak"), kIntentTwinMarker), 4));
  CHECK(is_twin(marked(message("speak")), 5));
}

TEST_CASE("both spellings that inherited the marker of the other kind are one message, in either order") {
  Feed is_twin;
  CHECK_FALSE(is_twin(marked(message("speak"), kIntentTwinMarker), 0));
  CHECK(is_twin(marked(message("ovos.utterance.speak"), kIntentTwinMarker), 1));
}

TEST_CASE("only the boolean true is a marker") {
  Feed is_twin;
  Message odd = message("speak");
  odd.context[std::string(kTopicTwinMarker)] = "true";
  CHECK_FALSE(is_twin(odd, 0));
  CHECK(is_twin(message("ovos.utterance.speak"), 1));
}

TEST_CASE("frames that differ in data, context or session are no twins") {
  Feed is_twin;
  CHECK_FALSE(is_twin(message("speak", "one"), 0));
  CHECK_FALSE(is_twin(message("ovos.utterance.speak", "two"), 1));
  const json session_a = json::parse(R"({"session":{"session_id":"a"}})");
  const json session_b = json::parse(R"({"session":{"session_id":"b"}})");
  CHECK_FALSE(is_twin(message("speak", "x", session_a), 2));
  CHECK_FALSE(is_twin(message("ovos.utterance.speak", "x", session_b), 3));
  CHECK(is_twin(message("ovos.utterance.speak", "x", session_a), 4));
}

TEST_CASE("the order of keys does not matter") {
  Feed is_twin;
  CHECK_FALSE(is_twin(*Message::parse(R"({"type":"speak","data":{"a":1,"b":2},"context":{"x":{"y":1,"z":2},"k":0}})")));
  CHECK(is_twin(
      *Message::parse(R"({"context":{"k":0,"x":{"z":2,"y":1}},"data":{"b":2,"a":1},"type":"ovos.utterance.speak"})")));
}

TEST_CASE("a dispatch with the suffix .intent is the legacy spelling of the one without") {
  Feed marked_twin;
  CHECK_FALSE(marked_twin(dispatch("skill-x.me:what.time"), 0));
  CHECK(marked_twin(marked(dispatch("skill-x.me:what.time.intent"), kIntentTwinMarker), 2000));
  Feed unmarked;
  CHECK_FALSE(unmarked(dispatch("skill-x.me:what.time.intent"), 0));
  CHECK(unmarked(dispatch("skill-x.me:what.time"), 1));
  Feed repeated;
  CHECK_FALSE(repeated(dispatch("skill-x.me:what.time.intent"), 0));
  CHECK_FALSE(repeated(dispatch("skill-x.me:what.time.intent"), 1));
}

TEST_CASE("a topic with a colon that is no dispatch is never a twin") {
  Feed is_twin;
  CHECK_FALSE(is_twin(dispatch("other:what.time", "skill-x.me"), 0));
  CHECK_FALSE(is_twin(dispatch("other:what.time.intent", "skill-x.me"), 1));
  CHECK_FALSE(is_twin(message("padatious:register_intent"), 2));
  CHECK(is_twin.filter.remembered() == 0);
}

TEST_CASE("a topic with one spelling is not remembered") {
  Feed is_twin;
  CHECK_FALSE(is_twin(message("ovos.utterance.handled"), 0));
  CHECK_FALSE(is_twin(message("ovos.utterance.handled"), 1));
  CHECK(is_twin.filter.remembered() == 0);
}

TEST_CASE("what is remembered is bounded in number and in age") {
  Feed is_twin;
  for (std::size_t i = 0; i <= TwinFilter::kMaxRemembered; ++i) {
    CHECK_FALSE(is_twin(message("speak", std::to_string(i).c_str()), 0));
  }
  CHECK(is_twin.filter.remembered() == TwinFilter::kMaxRemembered);
  CHECK_FALSE(is_twin(message("ovos.utterance.speak", "0"), 1));
  CHECK(is_twin(message("ovos.utterance.speak", "2"), 1));
  CHECK_FALSE(is_twin(message("speak", "late"), 6000));
  CHECK(is_twin.filter.remembered() == 1);
}

TEST_CASE("derived messages carry no twin marker") {
  Message out = marked(marked(message("speak", "x", json{{"keep", 1}})), kIntentTwinMarker);
  strip_twin_markers(out);
  CHECK(out.context == json::parse(R"({"keep":1})"));
}
