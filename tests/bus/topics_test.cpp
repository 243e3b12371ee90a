#include "bus/topics.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace bus;

TEST_CASE("a legacy topic has a canonical spelling, any other is its own") {
  CHECK(canonical("recognizer_loop:utterance") == "ovos.utterance.handle");
  CHECK(canonical("speak") == "ovos.utterance.speak");
  CHECK(canonical("complete_intent_failure") == "ovos.intent.unmatched");
  CHECK(canonical("mycroft.stop") == "ovos.stop");
  CHECK(canonical("speak:b64_audio") == "ovos.utterance.speak.b64");
  CHECK(canonical("ovos.utterance.handled") == "ovos.utterance.handled");
  CHECK(canonical("speak2") == "speak2");
  CHECK(canonical("") == "");
}

TEST_CASE("only the five pairs have two spellings") {
  for (const char* name : {"recognizer_loop:utterance", "ovos.utterance.handle", "speak", "ovos.utterance.speak",
                           "complete_intent_failure", "ovos.intent.unmatched", "mycroft.stop", "ovos.stop",
                           "speak:b64_audio", "ovos.utterance.speak.b64"}) {
    CHECK_MESSAGE(has_two_spellings(name), name);
  }
  for (const char* name : {"ovos.utterance.handled", "ovos.utterance.cancelled", "recognizer_loop:wakeword", ""}) {
    CHECK_FALSE_MESSAGE(has_two_spellings(name), name);
  }
}

TEST_CASE("a topic is ASCII letters, digits and four marks, with no empty segment") {
  for (const char* good : {"speak", "a", "recognizer_loop:utterance", "skill-x.author:What_1.intent", "A.b:C"}) {
    CHECK_MESSAGE(is_valid_topic(good), good);
  }
  for (const char* bad : {"", ".", ":", "a.", ".a", "a..b", "a:.b", "a:", ":a", "a b", "a/b", "caf\xC3\xA9", "a\n"}) {
    CHECK_FALSE_MESSAGE(is_valid_topic(bad), bad);
  }
  CHECK_FALSE(is_valid_topic(std::string_view("a\0b", 3)));
}
