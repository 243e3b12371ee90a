#include "daemon/endpoint_gate.hpp"

#include <doctest/doctest.h>

using namespace personad;
using Entry = EndpointGate::Entry;
using Change = EndpointGate::Change;
using Kind = persona::ModelError::Kind;
using std::chrono::milliseconds;
using std::chrono::seconds;

namespace {

constexpr EndpointGate::TimePoint kStart{};

std::optional<persona::ModelError> error(Kind kind) {
  persona::ModelError failed;
  failed.kind = kind;
  failed.words = "words";
  return failed;
}

/// Waits that are as long as they may be: 1 s, 2 s, 4 s, 8 s.
EndpointGate gate(std::size_t most_running = 2) {
  EndpointGate::Settings settings;
  settings.most_running = most_running;
  settings.most_waiting = 3;
  settings.backoff.first = seconds(1);
  settings.backoff.most = seconds(8);
  return EndpointGate(settings, [](std::int64_t most) { return most; });
}

Change run(EndpointGate& gate, EndpointGate::TimePoint now, const std::optional<persona::ModelError>& problem) {
  gate.began();
  return gate.ended(now, problem);
}

}  // namespace

TEST_CASE("calls run up to one bound, wait up to another, and are turned away beyond") {
  EndpointGate one = gate();
  CHECK(one.enter(kStart, 0) == Entry::runs);
  one.began();
  CHECK(one.enter(kStart, 0) == Entry::runs);
  CHECK(one.enter(kStart, 1) == Entry::waits);  // nobody overtakes
  one.began();
  CHECK(one.enter(kStart, 0) == Entry::waits);
  CHECK(one.enter(kStart, 2) == Entry::waits);
  CHECK(one.enter(kStart, 3) == Entry::full);
  CHECK_FALSE(one.has_room(kStart));
  CHECK(one.ended(kStart, std::nullopt) == Change::none);
  CHECK(one.has_room(kStart));
}

TEST_CASE("an endpoint that fails is down for longer each time, and starts over once it worked") {
  EndpointGate one = gate();
  auto now = kStart;
  CHECK(run(one, now, error(Kind::unreachable)) == Change::went_down);
  for (const int wait : {1, 2, 4, 8, 8}) {
    CHECK(one.until_tried(now) == seconds(wait));
    CHECK(one.enter(now + seconds(wait) - milliseconds(1), 0) == Entry::down);
    now += seconds(wait);
    CHECK(one.enter(now, 0) == Entry::runs);
    CHECK(run(one, now, error(Kind::timed_out)) == Change::still_down);
  }
  now += seconds(8);
  CHECK(run(one, now, std::nullopt) == Change::works_again);
  CHECK(run(one, now, error(Kind::failed)) == Change::went_down);
  CHECK(one.until_tried(now) == seconds(1));
}

TEST_CASE("one call tries an endpoint that was down, the others wait") {
  EndpointGate one = gate();
  CHECK(run(one, kStart, error(Kind::failed)) == Change::went_down);
  const auto later = kStart + seconds(1);
  CHECK(one.enter(later, 0) == Entry::runs);
  one.began();
  CHECK(one.enter(later, 0) == Entry::waits);
  CHECK_FALSE(one.has_room(later));
  CHECK(one.ended(later, std::nullopt) == Change::works_again);
  CHECK(one.enter(later, 0) == Entry::runs);
}

TEST_CASE("calls that ran together and failed together count as one failure") {
  EndpointGate one = gate();
  one.began();
  one.began();
  CHECK(one.ended(kStart, error(Kind::failed)) == Change::went_down);
  CHECK(one.ended(kStart + milliseconds(10), error(Kind::failed)) == Change::still_down);
  CHECK(one.until_tried(kStart) == seconds(1));
  CHECK(one.failures() == 2);
}

TEST_CASE("an endpoint that says when to come back is not asked before") {
  EndpointGate one = gate();
  auto busy = error(Kind::overloaded);
  busy->retry_after = seconds(30);
  CHECK(run(one, kStart, busy) == Change::went_down);
  CHECK(one.enter(kStart + seconds(29), 0) == Entry::down);
  const auto reason = one.reason(kStart + milliseconds(500));
  CHECK(reason.kind == Kind::overloaded);
  CHECK(reason.words == "words");
  CHECK(reason.retry_after == seconds(30));
  CHECK(one.enter(kStart + seconds(30), 0) == Entry::runs);
}

TEST_CASE("an answer that is no use shows that the endpoint is there; what was not asked shows nothing") {
  EndpointGate one = gate();
  for (const Kind kind : {Kind::refused, Kind::unusable, Kind::misconfigured, Kind::closed}) {
    CHECK(run(one, kStart, error(kind)) == Change::none);
    CHECK_FALSE(one.is_down());
  }
  CHECK(run(one, kStart, error(Kind::failed)) == Change::went_down);
  const auto later = kStart + seconds(1);
  CHECK(run(one, later, error(Kind::misconfigured)) == Change::none);
  CHECK(run(one, later, error(Kind::closed)) == Change::none);
  CHECK(one.is_down());
  CHECK(run(one, later, error(Kind::refused)) == Change::works_again);
  CHECK(one.last_error() == "words");
}
