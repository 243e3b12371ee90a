#pragma once
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace bench {

/// A bare client of a message bus: as little between the clock and the socket as there can be.
///
/// Blocking; no copies but those into and out of the socket. TCP_NODELAY is set and quick ACKs are re-armed after each
/// read, as a well-behaved client does. Errors: throws std::runtime_error when the connection fails or ends.
/// Source: RFC 6455 (text frames, pings; no extensions).
class BusConnection {
 public:
  explicit BusConnection(std::string_view url);
  ~BusConnection();
  BusConnection(const BusConnection&) = delete;
  BusConnection& operator=(const BusConnection&) = delete;

  void send(std::string_view text);
  /// The next text frame, valid until the next call; nothing when none comes within `limit`.
  std::optional<std::string_view> receive(std::chrono::nanoseconds limit);
  /// A frame that is here already; never waits for the socket.
  std::optional<std::string_view> received();
  /// Reads and drops what the socket has; how many frames that was.
  std::size_t discard();
  [[nodiscard]] int descriptor() const { return descriptor_; }

 private:
  /// Reads what the socket has; false when it has nothing.
  bool fill();
  void handshake(const std::string& host, const std::string& port, const std::string& route);
  void write_frame(std::uint8_t opcode, std::string_view payload);
  void write_all(std::string_view bytes);
  std::optional<std::string_view> next_frame(std::uint8_t& opcode);

  int descriptor_ = -1;
  std::vector<char> buffer_;
  std::size_t begin_ = 0;  // of what is read and not yet handed out
  std::size_t end_ = 0;
  std::string out_;
};

}  // namespace bench
