#include "daemon/http_url.hpp"

#include <doctest/doctest.h>

#include <string>

using personad::HttpUrl;

TEST_CASE("an HTTP URL is scheme, host, port and path, and its origin is what connections are shared by") {
  struct Row {
    const char* text;
    const char* origin;
    const char* authority;
    const char* path;
  };
  for (const Row& row : {
           Row{"http://127.0.0.1:8000/v1", "http://127.0.0.1:8000", "127.0.0.1:8000", "/v1"},
           Row{"http://Host.Example", "http://host.example:80", "host.example", ""},
           Row{"https://host/v1/", "https://host:443", "host", "/v1"},
           Row{"https://host:443/a/b//", "https://host:443", "host", "/a/b"},
           Row{"http://[::1]:8080/v1", "http://[::1]:8080", "[::1]:8080", "/v1"},
           Row{"https://[fe80::1]", "https://[fe80::1]:443", "[fe80::1]", ""},
       }) {
    CAPTURE(row.text);
    const auto url = HttpUrl::parse(row.text);
    REQUIRE(url.has_value());
    CHECK(url->origin() == row.origin);
    CHECK(url->authority() == row.authority);
    CHECK(url->path == row.path);
  }
}

TEST_CASE("what is no HTTP URL is said in words that do not repeat it") {
  for (const char* text : {"", "host", "ws://host", "HTTP//host", "http://", "http://:80",
                           "http://host:", "http://host:0", "http://host:65536", "http://host:80x", "http://[::1",
                           "http://[::1]x", "http://secret@host", "http://host/v1?secret", "http://host/#secret",
                           "http://host/a b", "http://host/\r\nX: secret", "http://h\xC3\xBC"}) {
    CAPTURE(text);
    const auto url = HttpUrl::parse(text);
    REQUIRE_FALSE(url.has_value());
    CHECK(url.error().starts_with("must "));
    CHECK(url.error().find("secret") == std::string::npos);
  }
}
