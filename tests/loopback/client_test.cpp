#include "bus/client.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "bus/broker.hpp"
#include "tests/fakes/bus_peer.hpp"
#include "tests/loopback/running_client.hpp"

using namespace tests;
using std::chrono::milliseconds;
using std::chrono::seconds;
using Clock = std::chrono::steady_clock;

namespace {

/// A port on which nobody listens.
std::uint16_t free_port() {
  FakeBusServer server;
  server.start();
  return server.port();
}

template <typename Work>
Clock::duration time_of(Work work) {
  const auto begin = Clock::now();
  work();
  return Clock::now() - begin;
}

}  // namespace

TEST_CASE("a client hears what the server says, in order, a greeting without a type too") {
  FakeServerSettings settings;
  settings.greeting = R"({"hello":"there"})";
  FakeBusServer server(settings);
  server.start();
  RunningClient client(quick_settings(server.port()));
  REQUIRE(client.eventually_up());
  for (int i = 0; i < 200; ++i) server.broadcast(std::to_string(i));
  REQUIRE(client.eventually_hears("199"));
  const auto frames = client.heard().frames;
  REQUIRE(frames.size() == 201);
  CHECK(frames[0] == settings.greeting);
  for (std::size_t i = 0; i < 200; ++i) CHECK(frames[i + 1] == std::to_string(i));
  CHECK(client.status().frames_in == 201);
}

TEST_CASE("what a client sends arrives in order and comes back") {
  FakeBusServer server;
  server.start();
  RunningClient client(quick_settings(server.port()));
  for (int i = 0; i < 300; ++i) client.send(std::to_string(i));
  REQUIRE(client.eventually_hears("299"));
  const auto frames = client.heard().frames;
  REQUIRE(frames.size() == 301);
  for (std::size_t i = 0; i < 300; ++i) CHECK(frames[i + 1] == std::to_string(i));
  const auto status = client.status();
  CHECK(status.frames_out == 300);
  CHECK(status.outbox_bytes == 0);
  CHECK(status.dropped_out == 0);
}

TEST_CASE("large frames pass in both directions") {
  FakeBusServer server;
  server.start();
  RunningClient client(quick_settings(server.port()));
  const std::string large(3u << 20, 'x');
  client.send(large);
  client.send("after");
  REQUIRE(client.eventually_hears("after"));
  const auto frames = client.heard().frames;
  CHECK(frames[1] == large);
}

TEST_CASE("binary frames are passed over") {
  FakeBusServer server;
  server.start();
  RunningClient client(quick_settings(server.port()));
  REQUIRE(client.eventually_up());
  server.broadcast_binary("binary");
  server.broadcast("text");
  REQUIRE(client.eventually_hears("text"));
  CHECK(client.heard().frames.size() == 2);
}

TEST_CASE("a client that starts before the server connects when it appears, and loses nothing of what waited") {
  FakeServerSettings settings;
  settings.port = free_port();
  FakeBusServer server(settings);
  RunningClient client(quick_settings(settings.port));
  client.send("early");
  REQUIRE(client.eventually_down(3));
  CHECK(client.heard().ups == 0);
  CHECK_FALSE(client.status().up);
  CHECK(client.status().outbox_bytes == 5);
  server.start();
  REQUIRE(client.eventually_hears("early"));
  CHECK(client.heard().ups == 1);
}

TEST_CASE("a client comes back after the server vanished, and what was sent meanwhile arrives in order") {
  FakeBusServer server;
  server.start();
  RunningClient client(quick_settings(server.port()));
  for (int round = 1; round <= 3; ++round) {
    REQUIRE(client.eventually_up(round));
    const std::string mark = "round " + std::to_string(round);
    server.stop();
    REQUIRE(client.eventually_down(1));
    REQUIRE(client.thread().eventually([&] { return !client.client().status().up; }));
    client.send(mark + " a");
    client.send(mark + " b");
    server.start();
    REQUIRE(client.eventually_hears(mark + " b"));
  }
  const auto heard = client.heard();
  CHECK(heard.ups == 4);
  std::vector<std::string> marks;
  for (const auto& frame : heard.frames) {
    if (frame.starts_with("round")) marks.push_back(frame);
  }
  CHECK(marks ==
        std::vector<std::string>{"round 1 a", "round 1 b", "round 2 a", "round 2 b", "round 3 a", "round 3 b"});
  CHECK(client.status().connects == 4);
}

TEST_CASE("a server that accepts and never answers is given up and tried again") {
  FakeBusServer server;
  server.start_mute();
  auto settings = quick_settings(server.port());
  settings.handshake_timeout = milliseconds(100);
  RunningClient client(settings);
  REQUIRE(client.eventually_down(2));
  CHECK(client.heard().downs.front() == "no answer to the websocket handshake");
  CHECK(server.accepted() >= 2);
  server.stop();
  server.start();
  CHECK(client.eventually_up());
}

TEST_CASE("a server that falls silent is left") {
  FakeBusServer server;
  server.start();
  auto settings = quick_settings(server.port());
  settings.idle_timeout = milliseconds(300);
  RunningClient client(settings);
  REQUIRE(client.eventually_up());
  server.hang(milliseconds(1500));
  REQUIRE(client.eventually_down(1));
  CHECK(client.heard().downs.front() == "the server is silent");
  CHECK(client.eventually_up(2));
}

TEST_CASE("a quiet server that answers pings is kept") {
  FakeBusServer server;
  server.start();
  auto settings = quick_settings(server.port());
  settings.idle_timeout = milliseconds(100);
  RunningClient client(settings);
  REQUIRE(client.eventually_up());
  CHECK_FALSE(client.thread().eventually([&] { return !client.client().status().up; }, milliseconds(500)));
}

TEST_CASE("a frame over the size limit ends the connection, and the client comes back") {
  FakeBusServer server;
  server.start();
  auto settings = quick_settings(server.port());
  settings.max_frame_bytes = 1000;
  RunningClient client(settings);
  REQUIRE(client.eventually_up());
  server.broadcast(std::string(5000, 'x'));
  REQUIRE(client.eventually_down());
  CHECK(client.heard().downs.front() == "a frame over the size limit");
  REQUIRE(client.eventually_up(2));
  server.broadcast("small");
  CHECK(client.eventually_hears("small"));
}

TEST_CASE("a frame that the server finds too large costs the connection, not the client") {
  FakeServerSettings settings;
  settings.max_frame_bytes = 1000;
  FakeBusServer server(settings);
  server.start();
  RunningClient client(quick_settings(server.port()));
  REQUIRE(client.eventually_up());
  client.send(std::string(2000, 'x'));
  REQUIRE(client.eventually_down());
  CHECK(client.heard().downs.front() == "closed by the server (1009)");
  REQUIRE(client.eventually_up(2));
  client.send("small");
  CHECK(client.eventually_hears("small"));
}

TEST_CASE("a full outbox drops its oldest frames and counts them") {
  auto settings = quick_settings(free_port());
  settings.outbox_bytes = 100;
  RunningClient client(settings);
  for (int i = 0; i < 10; ++i) client.send(std::string(30, static_cast<char>('a' + i)));
  const auto status = client.status();
  CHECK(status.dropped_out == 7);
  CHECK(status.outbox_bytes == 90);
}

TEST_CASE("frames that waited too long for a connection are not sent any more") {
  FakeServerSettings server_settings;
  server_settings.port = free_port();
  FakeBusServer server(server_settings);
  auto settings = quick_settings(server_settings.port);
  settings.stale_after = milliseconds(100);
  RunningClient client(settings);
  client.send("stale");
  REQUIRE(client.thread().eventually([begin = Clock::now()] { return Clock::now() - begin > milliseconds(150); }));
  client.send("fresh");
  server.start();
  REQUIRE(client.eventually_hears("fresh"));
  CHECK(client.heard().frames.size() == 2);
  CHECK(client.status().dropped_out == 1);
}

TEST_CASE("stop sends what is queued, then closes and says so once") {
  FakeBusServer server;
  server.start();
  RunningClient client(quick_settings(server.port()));
  REQUIRE(client.eventually_up());
  for (int i = 0; i < 200; ++i) client.send(std::string(10000, 'x'));
  CHECK(client.stop());
  CHECK(server.wait_for_open(0));
  CHECK(server.frames() == 200);
  CHECK(client.heard().downs.empty());
  const auto heard = client.heard().frames.size();
  server.broadcast("late");
  client.send("late");
  CHECK(client.stop());
  CHECK(client.heard().frames.size() == heard);
}

TEST_CASE("stop is quick whatever the client is at") {
  const auto quickly_stopped = [](RunningClient& client) {
    return time_of([&] { CHECK(client.stop()); }) < seconds(1);
  };
  SUBCASE("waiting to try again") {
    auto settings = quick_settings(free_port());
    settings.backoff.first = settings.backoff.most = seconds(60);
    RunningClient client(settings);
    REQUIRE(client.eventually_down());
    CHECK(quickly_stopped(client));
  }
  SUBCASE("waiting for a handshake") {
    FakeBusServer server;
    server.start_mute();
    RunningClient client(quick_settings(server.port()));
    REQUIRE(client.thread().eventually([&] { return server.accepted() > 0; }));
    CHECK(quickly_stopped(client));
  }
  SUBCASE("looking up a name") {
    auto settings = quick_settings(1);
    settings.url.host = "no-such-host.invalid";
    RunningClient client(settings);
    CHECK(quickly_stopped(client));
  }
  SUBCASE("just started") {
    FakeBusServer server;
    server.start();
    RunningClient client(quick_settings(server.port()));
    CHECK(quickly_stopped(client));
  }
}

TEST_CASE("stop takes two seconds at most although the server reads nothing") {
  FakeBusServer server;
  server.start();
  RunningClient client(quick_settings(server.port()));
  REQUIRE(client.eventually_up());
  server.hang(milliseconds(3000));
  client.send(std::string(15u << 20, 'x'));
  const auto took = time_of([&] { CHECK(client.stop()); });
  CHECK(took > milliseconds(1500));
  CHECK(took < milliseconds(2800));
}

TEST_CASE("a client that was never started stops at once") {
  IoThread thread;
  bus::Client client(thread.io(), quick_settings(1));
  CHECK(thread.wait_done([&](std::function<void()> done) { client.stop(std::move(done)); }));
}

TEST_CASE("a client may be destroyed at any moment") {
  FakeBusServer server;
  server.start();
  for (int i = 0; i < 20; ++i) {
    RunningClient client(quick_settings(server.port()));
    if (i % 2 == 0) REQUIRE(client.eventually_up());
    client.send("frame");
  }
  CHECK(server.wait_for_open(0));
}

TEST_CASE("handlers are never called from inside start, send or stop") {
  FakeBusServer server;
  server.start();
  IoThread thread;
  bus::Client client(thread.io(), quick_settings(server.port()));
  bool inside = false;
  int called_inside = 0;
  int frames = 0;
  const auto outside = [&](auto work) {
    inside = true;
    work();
    inside = false;
  };
  thread.call([&] {
    bus::LinkHandlers handlers;
    handlers.on_up = [&] {
      called_inside += inside;
      outside([&] { client.send("one"); });
    };
    handlers.on_frame = [&](std::string_view) {
      called_inside += inside;
      if (++frames < 10) outside([&] { client.send("more"); });
    };
    outside([&] { client.start(std::move(handlers)); });
  });
  CHECK(thread.eventually([&] { return frames >= 10; }));
  CHECK(thread.wait_done([&](std::function<void()> done) {
    outside([&] { client.stop([&, done] { called_inside += inside, done(); }); });
  }));
  CHECK(thread.call([&] { return called_inside; }) == 0);
}

TEST_CASE("a name is looked up, and one that does not exist is said in words") {
  FakeBusServer server;
  server.start();
  auto settings = quick_settings(server.port());
  settings.url.host = "localhost";
  RunningClient client(settings);
  CHECK(client.eventually_up());
  settings.url.host = "no-such-host.invalid";
  settings.handshake_timeout = milliseconds(500);
  RunningClient lost(settings);
  REQUIRE(lost.eventually_down());
  CHECK_FALSE(lost.heard().downs.front().empty());
}

TEST_CASE("small frames of a server that leaves Nagle on are not held up by our acknowledgements") {
  FakeBusServer server;
  server.start();
  RunningClient client(quick_settings(server.port()));
  REQUIRE(client.eventually_up());
  constexpr int kPairs = 60;
  const auto took = time_of([&] {
    for (int i = 0; i < kPairs; ++i) {
      // A question each time: only a connection that goes to and fro has its acknowledgements delayed.
      client.send("first " + std::to_string(i));
      REQUIRE(client.thread().eventually([&] { return server.frames() > static_cast<std::size_t>(i); }));
      server.broadcast("second " + std::to_string(i));
      REQUIRE(client.eventually_hears("second " + std::to_string(i)));
    }
  });
  // With delayed acknowledgements each pair but the first few takes 40 ms.
  CHECK(took < milliseconds(kPairs * 20));
}

TEST_CASE("a client and the embedded broker understand each other") {
  IoThread thread;
  bus::BrokerSettings broker_settings;
  broker_settings.port = 0;
  bus::Broker broker(thread.io(), broker_settings);
  REQUIRE(thread.call([&] { return broker.listen(); }).has_value());
  {
    RunningClient one(quick_settings(broker.port()));
    RunningClient two(quick_settings(broker.port()));
    REQUIRE(one.eventually_up());
    REQUIRE(two.eventually_up());
    one.send("ping");
    CHECK(one.eventually_hears("ping"));
    CHECK(two.eventually_hears("ping"));
    CHECK(one.stop());
    CHECK(thread.eventually([&] { return broker.status().connections == 1; }));
  }
  CHECK(thread.wait_done([&](std::function<void()> done) { broker.stop(std::move(done)); }));
}
