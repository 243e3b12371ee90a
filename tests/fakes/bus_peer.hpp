#pragma once
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "bus/message.hpp"

namespace tests {

using Milliseconds = std::chrono::milliseconds;

/// A client of a bus that blocks, for tests: one thing at a time, each bounded in time.
class BusPeer {
 public:
  BusPeer();
  ~BusPeer();
  BusPeer(BusPeer&&) noexcept;
  BusPeer& operator=(BusPeer&&) noexcept;

  /// The status of the handshake: 101 when the connection is open, 0 when there was no answer at all.
  [[nodiscard]] unsigned connect(const std::string& host, std::uint16_t port, const std::string& route = "/core",
                                 const std::optional<std::string>& origin = std::nullopt);
  /// False when the connection is gone, or did not take the frame within ten seconds.
  bool send(const std::string& text);
  /// The next frame; nothing when none came in time or the connection ended.
  [[nodiscard]] std::optional<std::string> receive(Milliseconds timeout = Milliseconds(5000));
  using Predicate = std::function<bool(const bus::Message&)>;
  /// The next message of this type that the predicate takes; others are passed over.
  [[nodiscard]] std::optional<bus::Message> wait_for(std::string_view type, const Predicate& predicate = {},
                                                     Milliseconds timeout = Milliseconds(5000));
  /// Whether the connection ended, as far as was read.
  [[nodiscard]] bool ended() const;
  /// The code that the other side closed with; 0 when it did not say.
  [[nodiscard]] unsigned close_code() const;
  void close();
  /// Ends the connection without a farewell (RST).
  void abort();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// What a fake server does; a certificate makes it one with TLS.
struct FakeServerSettings {
  std::uint16_t port = 0;  ///< 0: any free one, kept over `stop` and `start`
  std::string greeting = R"({"type":"connected","data":{},"context":{}})";
  std::size_t max_frame_bytes = 25u << 20;
  std::string certificate_file;
  std::string key_file;
};

/// A message bus as others run it, in a thread of its own: it greets, and relays each frame to everybody.
class FakeBusServer {
 public:
  explicit FakeBusServer(FakeServerSettings settings = {});
  ~FakeBusServer();
  FakeBusServer(const FakeBusServer&) = delete;
  FakeBusServer& operator=(const FakeBusServer&) = delete;

  void start();
  /// Accepts connections and never says a word.
  void start_mute();
  /// Vanishes: every connection is reset, and nobody listens on the port any more.
  void stop();
  [[nodiscard]] std::uint16_t port() const;
  /// Sends a frame to everybody; a second form sends a binary one.
  void broadcast(const std::string& text);
  void broadcast_binary(const std::string& bytes);
  /// Reads and answers nothing for so long, pings neither.
  void hang(Milliseconds duration);
  /// How many sockets were accepted, and how many frames came in, since it was made.
  [[nodiscard]] std::size_t accepted() const;
  [[nodiscard]] std::size_t frames() const;
  /// Waits until so many connections are open at once.
  [[nodiscard]] bool wait_for_open(std::size_t many, Milliseconds timeout = Milliseconds(5000)) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tests
