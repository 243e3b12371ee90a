#pragma once
#include <boost/asio/io_context.hpp>
#include <boost/system/result.hpp>
#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "bus/backoff.hpp"
#include "bus/link.hpp"

namespace bus {

/// A bus URL taken apart: `ws://host:port/route` or `wss://...`; default port 8181, default route `/core`.
struct Url {
  bool tls = false;
  std::string host;
  std::string port = "8181";
  std::string route = "/core";
  /// Errors: a message in words ("must start with ws:// or wss://").
  [[nodiscard]] static boost::system::result<Url, std::string> parse(std::string_view text);
  [[nodiscard]] std::string text() const;
};

struct ClientSettings {
  Url url;
  std::size_t max_frame_bytes = 25u << 20;
  std::size_t outbox_bytes = 16u << 20;
  std::chrono::milliseconds handshake_timeout{10000};
  /// A ping goes out when the connection was silent for half of this; silence for all of it ends the connection.
  std::chrono::milliseconds idle_timeout{30000};
  /// Frames that waited longer than this for a connection are not worth sending any more.
  std::chrono::milliseconds stale_after{30000};
  Backoff::Settings backoff;
  bool tls_verify = true;
  std::string tls_ca_file;  ///< empty: the system's
};

/// Connects to a message bus as a websocket client and stays connected.
///
/// Starts before the server exists and keeps trying, with back-off; the server may vanish at any moment. TCP_NODELAY is
/// set and TCP_QUICKACK re-armed after each read: without it a server that leaves Nagle on waits up to 40 ms for our
/// delayed ACK. One reader, one writer.
/// Errors: none are returned; `on_down` says what happened, in words. Frames sent while down wait in the outbox.
class Client final : public Link {
 public:
  Client(boost::asio::io_context& io, ClientSettings settings);
  ~Client() override;
  void start(LinkHandlers handlers) override;
  void send(std::string frame) override;
  void stop(std::function<void()> done) override;
  [[nodiscard]] LinkStatus status() const override;

  class Loop;  // the coroutine side; shared with its own running coroutines, which outlive a destroyed Client briefly

 private:
  std::shared_ptr<Loop> loop_;
};

}  // namespace bus
