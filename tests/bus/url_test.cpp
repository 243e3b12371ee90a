#include <doctest/doctest.h>

#include "bus/client.hpp"

using namespace bus;

TEST_CASE("a bus URL is taken apart, with defaults for port and route") {
  const auto parsed = Url::parse("ws://127.0.0.1");
  REQUIRE(parsed.has_value());
  const Url& url = *parsed;
  CHECK_FALSE(url.tls);
  CHECK(url.host == "127.0.0.1");
  CHECK(url.port == "8181");
  CHECK(url.route == "/core");
  CHECK(url.text() == "ws://127.0.0.1:8181/core");
}

TEST_CASE("a bus URL may name everything, and reads back as it was") {
  for (const char* text :
       {"ws://host:1/a/b", "wss://bus.example:443/core?x=1", "ws://[::1]:9000/", "wss://[fe80::1]:1/core"}) {
    const auto url = Url::parse(text);
    REQUIRE_MESSAGE(url.has_value(), text);
    CHECK(url->text() == text);
  }
  CHECK(Url::parse("wss://h")->tls);
  CHECK(Url::parse("ws://[::1]")->host == "::1");
  CHECK(Url::parse("ws://h?token=1")->route == "/core?token=1");
}

TEST_CASE("what is no bus URL is refused in words") {
  CHECK(Url::parse("http://h").error() == "must start with ws:// or wss://");
  CHECK(Url::parse("").error() == "must start with ws:// or wss://");
  for (const char* text : {"ws://", "ws://:8181", "ws://h:", "ws://h:0", "ws://h:65536", "ws://h:8a", "ws://h:-1",
                           "ws://[::1", "ws://[::1]x", "ws://::1", "ws://user:secret@h", "ws://h/a b", "ws://h/a\r\nb",
                           "ws://h/#x", "ws://caf\xC3\xA9"}) {
    CHECK_MESSAGE(Url::parse(text).has_error(), text);
  }
}
