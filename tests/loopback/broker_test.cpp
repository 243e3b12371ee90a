#include "bus/broker.hpp"

#include <doctest/doctest.h>

#include <boost/asio/ip/tcp.hpp>
#include <string>
#include <vector>

#include "bus/topics.hpp"
#include "tests/fakes/bus_peer.hpp"
#include "tests/loopback/io_thread.hpp"

using namespace tests;
using bus::Broker;
using bus::BrokerSettings;
using std::chrono::milliseconds;
using std::chrono::seconds;

namespace {

constexpr const char* kHost = "127.0.0.1";

/// A broker on any free port, in a thread of its own.
class RunningBroker {
 public:
  explicit RunningBroker(BrokerSettings settings = {}) {
    settings.port = 0;
    broker_ = std::make_unique<Broker>(thread_.io(), std::move(settings));
    const auto listening = thread_.call([this] { return broker_->listen(); });
    REQUIRE_MESSAGE(listening.has_value(), listening.error());
    port_ = broker_->port();
  }
  ~RunningBroker() {
    if (!stopped_) CHECK(stop());
    thread_.call([this] { broker_.reset(); });
  }

  bool stop() {
    stopped_ = true;
    return thread_.wait_done([this](std::function<void()> done) { broker_->stop(std::move(done)); });
  }
  [[nodiscard]] std::uint16_t port() const { return port_; }
  [[nodiscard]] bus::BrokerStatus status() {
    return thread_.call([this] { return broker_->status(); });
  }
  [[nodiscard]] bool eventually_connected(std::size_t many) {
    return thread_.eventually([&] { return broker_->status().connections == many; });
  }
  [[nodiscard]] IoThread& thread() { return thread_; }
  [[nodiscard]] bus::Link& local() { return broker_->local(); }

  /// A peer that is connected, and has taken its greeting.
  [[nodiscard]] BusPeer peer() {
    BusPeer peer;
    REQUIRE(peer.connect(kHost, port_) == 101);
    REQUIRE(peer.wait_for("connected").has_value());
    return peer;
  }

 private:
  IoThread thread_;
  std::unique_ptr<Broker> broker_;
  std::uint16_t port_ = 0;
  bool stopped_ = false;
};

std::string numbered(int number, std::size_t padding = 0) {
  return R"({"type":"count","data":{"n":)" + std::to_string(number) + R"(,"pad":")" + std::string(padding, 'x') +
         R"("},"context":{}})";
}

/// What a server answers to a request that is no handshake.
std::string raw_exchange(std::uint16_t port, const std::string& request) {
  boost::asio::ip::tcp::iostream stream;
  stream.expires_after(seconds(5));
  stream.connect(kHost, std::to_string(port));
  stream << request << std::flush;
  std::string line;
  std::getline(stream, line);
  return line;
}

}  // namespace

TEST_CASE("a connection is greeted, and nobody else hears the greeting") {
  RunningBroker broker;
  BusPeer first;
  REQUIRE(first.connect(kHost, broker.port()) == 101);
  CHECK(first.receive() == R"({"type":"connected","data":{},"context":{"session":{"session_id":"default"}}})");
  BusPeer second = broker.peer();
  CHECK_FALSE(first.receive(milliseconds(50)).has_value());
  CHECK(broker.status().connections == 2);
}

TEST_CASE("every frame reaches every connection, the sender included, in the order it came") {
  RunningBroker broker;
  BusPeer sender = broker.peer();
  BusPeer other = broker.peer();
  for (int i = 0; i < 500; ++i) REQUIRE(sender.send(numbered(i)));
  for (BusPeer* peer : {&sender, &other}) {
    for (int i = 0; i < 500; ++i) REQUIRE(peer->receive() == numbered(i));
  }
  CHECK(broker.status().frames == 500);
}

TEST_CASE("two senders at once reach everybody in one order") {
  RunningBroker broker;
  BusPeer one = broker.peer();
  BusPeer two = broker.peer();
  for (int i = 0; i < 200; ++i) {
    REQUIRE(one.send(numbered(i)));
    REQUIRE(two.send(numbered(1000 + i)));
  }
  std::vector<std::string> heard_by_one;
  std::vector<std::string> heard_by_two;
  for (int i = 0; i < 400; ++i) {
    heard_by_one.push_back(one.receive().value_or("nothing"));
    heard_by_two.push_back(two.receive().value_or("nothing"));
  }
  CHECK(heard_by_one == heard_by_two);
  CHECK(std::find(heard_by_one.begin(), heard_by_one.end(), "nothing") == heard_by_one.end());
}

TEST_CASE("a large frame arrives whole") {
  RunningBroker broker;
  BusPeer peer = broker.peer();
  const std::string large = numbered(1, 5u << 20);
  REQUIRE(peer.send(large));
  CHECK(peer.receive() == large);
  REQUIRE(peer.send(numbered(2)));
  CHECK(peer.receive() == numbered(2));
}

TEST_CASE("what is no message is relayed as it is") {
  RunningBroker broker;
  BusPeer peer = broker.peer();
  for (const char* text : {"{", "not json", "[1,2]", "null", "", R"({"type":"t","context":{"session":1})"}) {
    REQUIRE(peer.send(text));
    CHECK(peer.receive() == text);
  }
}

TEST_CASE("a malformed carrier is rejected once, and the connection stays") {
  RunningBroker broker;
  BusPeer sender = broker.peer();
  BusPeer other = broker.peer();
  REQUIRE(sender.send(R"({"type":"some.topic","data":{},"context":{"session":"x"}})"));
  REQUIRE(sender.send(numbered(1)));
  for (BusPeer* peer : {&sender, &other}) {
    const auto first = peer->receive();
    REQUIRE(first.has_value());
    const auto rejected = bus::Message::parse(*first);
    REQUIRE(rejected.has_value());
    CHECK(rejected->type == bus::topic::kSessionRejected);
    CHECK(rejected->data == nlohmann::json::parse(R"({"msg_type":"some.topic","reason":"malformed_carrier"})"));
    CHECK(peer->receive() == numbered(1));
  }
  CHECK(broker.status().rejected_carriers == 1);
}

TEST_CASE("a foreign origin is refused, an absent and an allowed one are not") {
  BrokerSettings settings;
  settings.allowed_origins = {"http://panel.local"};
  RunningBroker broker(settings);
  CHECK(BusPeer().connect(kHost, broker.port(), "/core", "http://evil.example") == 403);
  CHECK(BusPeer().connect(kHost, broker.port(), "/core", "null") == 403);
  CHECK(BusPeer().connect(kHost, broker.port(), "/core", "") == 403);
  CHECK(BusPeer().connect(kHost, broker.port(), "/core", "http://panel.local.evil.example") == 403);
  CHECK(BusPeer().connect(kHost, broker.port(), "/core", "http://Panel.local") == 101);
  CHECK(BusPeer().connect(kHost, broker.port(), "/core") == 101);
  CHECK(broker.status().refused == 4);
}

TEST_CASE("the bus's own address is no foreign origin, another port or a name that was made to mean this host is") {
  RunningBroker broker;
  const auto port = std::to_string(broker.port());
  const auto answer = [&](const std::string& host, const std::string& origin) {
    return raw_exchange(broker.port(), "GET /core HTTP/1.1\r\nHost: " + host + "\r\nOrigin: " + origin +
                                           "\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: "
                                           "AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n\r\n");
  };
  const std::string open = "HTTP/1.1 101 Switching Protocols\r";
  const std::string refused = "HTTP/1.1 403 Forbidden\r";
  CHECK(answer("127.0.0.1:" + port, "http://127.0.0.1:" + port) == open);
  CHECK(answer("localhost:" + port, "http://localhost:" + port) == open);
  CHECK(answer("[::1]:" + port, "http://[::1]:" + port) == open);
  CHECK(answer("127.0.0.1:" + port, "http://127.0.0.1:1") == refused);
  CHECK(answer("127.0.0.1:" + port, "http://127.0.0.1") == refused);
  CHECK(answer("127.0.0.1:" + port, "http://localhost:" + port) == refused);
  CHECK(answer("evil.example:" + port, "http://evil.example:" + port) == refused);
  CHECK(answer("[evil]:" + port, "http://[evil]:" + port) == refused);
  CHECK(answer("127.0.0.1:" + port, "file://127.0.0.1:" + port) == refused);
}

TEST_CASE("another route is not found, a plain request must upgrade") {
  RunningBroker broker;
  CHECK(BusPeer().connect(kHost, broker.port(), "/") == 404);
  CHECK(BusPeer().connect(kHost, broker.port(), "/core2") == 404);
  CHECK(BusPeer().connect(kHost, broker.port(), "/core?client=1") == 101);
  CHECK(raw_exchange(broker.port(), "GET /core HTTP/1.1\r\nHost: x\r\n\r\n") == "HTTP/1.1 426 Upgrade Required\r");
  CHECK(raw_exchange(broker.port(), "GET /other HTTP/1.1\r\nHost: x\r\n\r\n") == "HTTP/1.1 404 Not Found\r");
  CHECK(raw_exchange(broker.port(), "\x16\x03\x01 no HTTP at all\r\n\r\n").empty());
  CHECK(raw_exchange(broker.port(), "GET /core HTTP/1.1\r\nX: " + std::string(20000, 'x') + "\r\n\r\n").empty());
  BusPeer peer = broker.peer();
  CHECK(broker.status().refused == 4);
}

TEST_CASE("more connections than allowed are told that there is no room, until one leaves") {
  BrokerSettings settings;
  settings.max_connections = 2;
  RunningBroker broker(settings);
  BusPeer first = broker.peer();
  BusPeer second = broker.peer();
  CHECK(BusPeer().connect(kHost, broker.port()) == 503);
  first.close();
  CHECK(broker.eventually_connected(1));
  BusPeer third = broker.peer();
}

TEST_CASE("a slow reader is disconnected at its bound, and delays nobody") {
  BrokerSettings settings;
  settings.max_queue_bytes = 1u << 20;
  RunningBroker broker(settings);
  BusPeer slow = broker.peer();
  BusPeer sender = broker.peer();
  auto slowest = seconds(0) + milliseconds(0);
  for (int i = 0; i < 400; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    const std::string frame = numbered(i, 100000);
    REQUIRE(sender.send(frame));
    REQUIRE(sender.receive() == frame);
    slowest = std::max(slowest, std::chrono::duration_cast<milliseconds>(std::chrono::steady_clock::now() - begin));
  }
  CHECK(slowest < seconds(2));
  CHECK(broker.status().slow_readers == 1);
  CHECK(broker.eventually_connected(1));
  int heard = 0;
  while (slow.receive(seconds(5))) ++heard;
  CHECK(slow.ended());
  CHECK(heard < 400);
}

TEST_CASE("a frame over the size limit ends the connection that sent it, and no other") {
  BrokerSettings settings;
  settings.max_frame_bytes = 1000;
  RunningBroker broker(settings);
  BusPeer loud = broker.peer();
  BusPeer other = broker.peer();
  CHECK(loud.send(numbered(1, 2000)));
  CHECK_FALSE(loud.receive().has_value());
  CHECK(loud.close_code() == 1009);
  CHECK(broker.eventually_connected(1));
  REQUIRE(other.send(numbered(2)));
  CHECK(other.receive() == numbered(2));
}

TEST_CASE("a peer that vanishes is gone, and nothing else happens") {
  RunningBroker broker;
  BusPeer stays = broker.peer();
  for (int i = 0; i < 5; ++i) {
    BusPeer vanishes = broker.peer();
    REQUIRE(vanishes.send(numbered(i)));
    vanishes.abort();
    CHECK(stays.receive() == numbered(i));
  }
  CHECK(broker.eventually_connected(1));
}

TEST_CASE("a peer that answers no ping is disconnected") {
  BrokerSettings settings;
  settings.idle_timeout = milliseconds(200);
  RunningBroker broker(settings);
  BusPeer silent = broker.peer();  // its pings are answered while it waits for a frame, and only then
  CHECK_FALSE(silent.receive(milliseconds(500)).has_value());
  CHECK(broker.status().connections == 1);
  CHECK(broker.eventually_connected(0));
}

TEST_CASE("the inside connection hears all but itself, and is heard by all") {
  RunningBroker broker;
  std::vector<std::string> heard;
  int ups = 0;
  broker.thread().call([&] {
    bus::LinkHandlers handlers;
    handlers.on_up = [&] { ++ups; };
    handlers.on_frame = [&](std::string_view frame) {
      heard.emplace_back(frame);
      if (frame == "question") broker.local().send("answer");
    };
    broker.local().start(std::move(handlers));
    CHECK(ups == 0);
  });
  BusPeer one = broker.peer();
  BusPeer two = broker.peer();
  REQUIRE(one.send("question"));
  for (BusPeer* peer : {&one, &two}) {
    CHECK(peer->receive() == "question");
    CHECK(peer->receive() == "answer");
  }
  broker.thread().call([&] {
    CHECK(ups == 1);
    CHECK(heard == std::vector<std::string>{"question"});
    const bus::LinkStatus status = broker.local().status();
    CHECK(status.up);
    CHECK(status.frames_in == 1);
    CHECK(status.frames_out == 1);
    CHECK(status.url == "ws://127.0.0.1:" + std::to_string(broker.port()) + "/core");
  });
  CHECK(broker.thread().wait_done([&](std::function<void()> done) { broker.local().stop(std::move(done)); }));
  REQUIRE(one.send("question"));
  CHECK(one.receive() == "question");
  CHECK_FALSE(one.receive(milliseconds(50)).has_value());
}

TEST_CASE("the inside connection hears of a rejected carrier instead of the frame") {
  RunningBroker broker;
  std::vector<std::string> types;
  broker.thread().call([&] {
    bus::LinkHandlers handlers;
    handlers.on_frame = [&](std::string_view frame) { types.push_back(bus::Message::parse(frame)->type); };
    broker.local().start(std::move(handlers));
  });
  BusPeer peer = broker.peer();
  REQUIRE(peer.send(R"({"type":"t","context":{"session":[]}})"));
  CHECK(peer.wait_for(bus::topic::kSessionRejected).has_value());
  broker.thread().call([&] { CHECK(types == std::vector<std::string>{std::string(bus::topic::kSessionRejected)}); });
}

TEST_CASE("a broker that stops sends what is queued, says farewell, and listens no more") {
  RunningBroker broker;
  BusPeer peer = broker.peer();
  broker.thread().call([&] {
    for (int i = 0; i < 100; ++i) broker.local().send(numbered(i, 10000));
  });
  // The peer reads while the broker waits for its queue to drain.
  std::thread stopping([&] { CHECK(broker.stop()); });
  for (int i = 0; i < 100; ++i) CHECK(peer.receive() == numbered(i, 10000));
  CHECK_FALSE(peer.receive().has_value());
  CHECK(peer.close_code() == 1001);
  stopping.join();
  CHECK(BusPeer().connect(kHost, broker.port()) == 0);
}

TEST_CASE("a broker stops within its time although a peer does not read, and another never shakes hands") {
  RunningBroker broker;
  BusPeer deaf = broker.peer();
  boost::asio::ip::tcp::iostream silent(kHost, std::to_string(broker.port()));
  broker.thread().call([&] {
    for (int i = 0; i < 100; ++i) broker.local().send(numbered(i, 100000));
  });
  const auto begin = std::chrono::steady_clock::now();
  CHECK(broker.stop());
  CHECK(std::chrono::steady_clock::now() - begin < seconds(4));
}

TEST_CASE("an address in use is said in words that name it") {
  RunningBroker broker;
  BrokerSettings settings;
  settings.port = broker.port();
  broker.thread().call([&] {
    Broker second(broker.thread().io(), settings);
    const auto listening = second.listen();
    REQUIRE(listening.has_error());
    CHECK(listening.error() ==
          "cannot listen on 127.0.0.1:" + std::to_string(broker.port()) + ": Address already in use");
  });
}
