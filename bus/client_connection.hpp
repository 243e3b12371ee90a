#pragma once
#include <boost/asio/io_context.hpp>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "bus/client.hpp"
#include "bus/outbox.hpp"
#include "bus/sockets.hpp"

namespace bus {

/// One connection of a client, from the name of its host to its end; it is used once.
///
/// What hides behind it is a websocket over TCP or over TLS. Each kind is compiled in a source of its own, since
/// nothing here takes a compiler longer.
/// Threading: io thread only; at most one `read` and one `write` at a time. Lifetime: whoever waits for one of its
/// operations holds a reference.
class ClientConnection {
 public:
  virtual ~ClientConnection() = default;

  /// In words what went wrong; empty when frames can flow.
  [[nodiscard]] virtual Task<std::string> open() = 0;
  /// The next text frame, valid until the next call. Returns in words why there is none; empty when there is one.
  [[nodiscard]] virtual Task<std::string> read(std::string_view& frame) = 0;
  virtual void write(Frame frame, std::function<void(error_code)> done) = 0;
  /// Says farewell; `read` ends once the server answered. Not while a write is under way.
  virtual void close() = 0;
  /// Ends whatever is under way. May be called at any time.
  virtual void abort() = 0;
};

/// The settings must outlive the connection.
[[nodiscard]] std::shared_ptr<ClientConnection> plain_connection(Executor executor, const ClientSettings& settings);
[[nodiscard]] std::shared_ptr<ClientConnection> tls_connection(Executor executor, const ClientSettings& settings);

}  // namespace bus
