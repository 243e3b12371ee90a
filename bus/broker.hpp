#pragma once
#include <boost/asio/io_context.hpp>
#include <boost/system/result.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "bus/link.hpp"

namespace bus {

struct BrokerSettings {
  std::string host = "127.0.0.1";
  std::uint16_t port = 8181;  ///< 0: any free port, see `Broker::port`
  std::string route = "/core";
  std::size_t max_frame_bytes = 25u << 20;
  std::size_t max_queue_bytes = 16u << 20;  ///< for each reader; one that is slower is disconnected
  std::size_t max_connections = 4096;
  /// Origins a browser may connect from; empty: none. A handshake without an Origin header is no
  /// browser's, and one whose origin is this bus's own address is a client library's.
  std::vector<std::string> allowed_origins;
  std::chrono::milliseconds idle_timeout{30000};
};

struct BrokerStatus {
  std::size_t connections = 0;
  std::uint64_t frames = 0;
  std::uint64_t rejected_carriers = 0;
  std::uint64_t slow_readers = 0;  ///< disconnected because their queue was full
  std::uint64_t refused = 0;       ///< handshakes refused: origin, route or too many connections
};

/// A message bus inside the process, with the behaviour of the reference server (ovos-messagebus).
///
/// Every text frame goes to every connection, the sender included, in receive order, as one shared immutable buffer;
/// malformed JSON is relayed as it is. A frame whose `context.session` is present, not null and not an object is
/// dropped with one `ovos.session.rejected` (OVOS-SESSION-1, 2.5). Each connection has its own bounded queue: a slow
/// reader never delays anybody, and is disconnected when its queue is full.
/// Threading: io thread only. Lifetime: `stop` before destruction.
class Broker {
 public:
  Broker(boost::asio::io_context& io, BrokerSettings settings);
  ~Broker();
  Broker(const Broker&) = delete;
  Broker& operator=(const Broker&) = delete;

  /// Binds and listens. Errors: what the system said (address in use, ...), in words that name the address.
  [[nodiscard]] boost::system::result<void, std::string> listen();
  [[nodiscard]] std::uint16_t port() const;

  /// The inside connection of this process. It hears every frame but its own, after they were queued to all others,
  /// and costs no socket. At most one; valid until the broker is destroyed.
  [[nodiscard]] Link& local();

  /// Refuses new connections, lets queues drain for at most two seconds, closes all, then calls `done`.
  void stop(std::function<void()> done);
  [[nodiscard]] BrokerStatus status() const;

  class Server;

 private:
  std::shared_ptr<Server> server_;
};

}  // namespace bus
