#include <doctest/doctest.h>

#include "tests/system/assistant.hpp"

// Each era of bus client puts a turn on the wire in its own way; it is one turn each time.

using namespace system_tests;
using nlohmann::json;

namespace {

struct Speller {
  Assistant& bus;
  Where where;

  void legacy_entry(const std::string& text, json context = json::object()) {
    bus.emit("recognizer_loop:utterance", {{"utterances", {text}}, {"lang", "en-US"}}, with(std::move(context)));
  }
  void canonical_entry(const std::string& text) {
    bus.emit("ovos.utterance.handle", {{"utterances", {text}}, {"lang", "en-US"}}, with({}));
  }
  void legacy_speech(const std::string& text, json context = json::object()) {
    bus.emit("speak", {{"utterance", text}, {"lang", "en-US"}}, with(std::move(context)));
  }
  void canonical_speech(const std::string& text) {
    bus.emit("ovos.utterance.speak", {{"utterance", text}, {"lang", "en-US"}}, with({}));
  }
  json with(json context) {
    json whole = where.as_context();
    if (context.is_object()) whole.update(context);
    return whole;
  }
};

const json kTwin = {{"_namespace_compat_twin", true}};

}  // namespace

TEST_CASE("a turn is stored once however its bus client spells it") {
  DaemonProcess personad;
  Assistant bus(personad.url());
  const Lines once{"user: hello", "assistant: hi"};

  SUBCASE("the legacy frame only") {
    Speller say{bus, {"legacy"}};
    say.legacy_entry("hello");
    say.legacy_speech("hi");
    CHECK(bus.history(say.where) == once);
  }
  SUBCASE("both frames unmarked, legacy first") {
    Speller say{bus, {"both"}};
    say.legacy_entry("hello");
    say.canonical_entry("hello");
    say.legacy_speech("hi");
    say.canonical_speech("hi");
    CHECK(bus.history(say.where) == once);
  }
  SUBCASE("both frames unmarked, canonical first") {
    Speller say{bus, {"both"}};
    say.canonical_entry("hello");
    say.legacy_entry("hello");
    say.canonical_speech("hi");
    say.legacy_speech("hi");
    CHECK(bus.history(say.where) == once);
  }
  SUBCASE("the canonical frame only") {
    Speller say{bus, {"canonical"}};
    say.canonical_entry("hello");
    say.canonical_speech("hi");
    CHECK(bus.history(say.where) == once);
  }
  SUBCASE("the canonical frame and its marked twin") {
    Speller say{bus, {"marked"}};
    say.canonical_entry("hello");
    say.legacy_entry("hello", kTwin);
    say.canonical_speech("hi");
    say.legacy_speech("hi", kTwin);
    CHECK(bus.history(say.where) == once);
  }
  SUBCASE("an old component that copied the marker into its reply") {
    Speller say{bus, {"copied"}};
    say.canonical_entry("hello");
    say.legacy_entry("hello", kTwin);
    say.legacy_speech("hi", kTwin);
    CHECK(bus.history(say.where) == once);
  }
}

TEST_CASE("what is said twice in one spelling is two turns") {
  DaemonProcess personad;
  Assistant bus(personad.url());
  Speller say{bus, {"echo"}};
  say.canonical_entry("louder");
  say.canonical_speech("ok");
  say.canonical_entry("louder");
  say.canonical_speech("ok");
  CHECK(bus.history(say.where) == Lines{"user: louder", "assistant: ok", "user: louder", "assistant: ok"});
}

TEST_CASE("answers carry no twin marker, though the request did") {
  DaemonProcess personad;
  Assistant bus(personad.url());
  const auto answer = bus.ask_whole("ovos.memory.context", {{"utterance", "x"}},
                                    {{"_namespace_compat_twin", true}, {"_intent_compat_twin", true}, {"kept", 1}});
  CHECK_FALSE(answer.context.contains("_namespace_compat_twin"));
  CHECK_FALSE(answer.context.contains("_intent_compat_twin"));
  CHECK(answer.context["kept"] == 1);
}
