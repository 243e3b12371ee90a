#include "bus/echo_filter.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace bus;
using std::chrono::seconds;

namespace {
const EchoFilter::TimePoint kStart{};
}

TEST_CASE("a frame of ours is recognised once for each time it was sent") {
  EchoFilter filter;
  filter.sent("a", kStart);
  filter.sent("a", kStart);
  filter.sent("b", kStart);
  CHECK(filter.is_echo("a", kStart));
  CHECK(filter.is_echo("b", kStart));
  CHECK_FALSE(filter.is_echo("b", kStart));
  CHECK(filter.is_echo("a", kStart));
  CHECK_FALSE(filter.is_echo("a", kStart));
}

TEST_CASE("a frame of somebody else is no echo") {
  EchoFilter filter;
  CHECK_FALSE(filter.is_echo("a", kStart));
  filter.sent("a", kStart);
  CHECK_FALSE(filter.is_echo("A", kStart));
}

TEST_CASE("an echo is waited for for a minute") {
  EchoFilter filter;
  filter.sent("a", kStart);
  filter.sent("b", kStart);
  CHECK(filter.is_echo("a", kStart + seconds(60)));
  CHECK_FALSE(filter.is_echo("b", kStart + seconds(61)));
}

TEST_CASE("the age of a frame that came back does not age the same bytes sent later") {
  EchoFilter filter;
  filter.sent("a", kStart);
  CHECK(filter.is_echo("a", kStart));
  filter.sent("a", kStart + seconds(59));
  CHECK(filter.is_echo("a", kStart + seconds(61)));
}

TEST_CASE("a frame that never came back is forgotten alone") {
  EchoFilter filter;
  filter.sent("a", kStart);
  filter.sent("a", kStart + seconds(59));
  CHECK(filter.is_echo("a", kStart + seconds(61)));
  CHECK_FALSE(filter.is_echo("a", kStart + seconds(61)));
}

TEST_CASE("a lost connection forgets what was sent on it") {
  EchoFilter filter;
  filter.sent("a", kStart);
  filter.clear();
  CHECK_FALSE(filter.is_echo("a", kStart));
}

TEST_CASE("the oldest is forgotten when too many frames wait") {
  EchoFilter filter;
  for (std::size_t i = 0; i <= EchoFilter::kMaxRemembered; ++i) filter.sent(std::to_string(i), kStart);
  CHECK_FALSE(filter.is_echo("0", kStart));
  CHECK(filter.is_echo("1", kStart));
  CHECK(filter.is_echo(std::to_string(EchoFilter::kMaxRemembered), kStart));
}
