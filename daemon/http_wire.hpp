#pragma once
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "bus/dial.hpp"
#include "bus/sockets.hpp"

namespace personad {

/// What came of a read.
struct HttpRead {
  HttpRead(bus::error_code with, std::size_t many) : ec(with), bytes(many) {}
  bus::error_code ec;  ///< `asio::error::eof` for every orderly or disorderly end of a TLS stream too
  std::size_t bytes;
};

/// A connection to one host and port: in the clear, and from `secure` on over TLS.
///
/// Threading: io thread only; one operation at a time. Cancellation: `abort` ends the one that runs.
class HttpWire {
 public:
  HttpWire(bus::Executor executor, std::chrono::milliseconds limit)
      : dialer_(executor, limit), limit_(limit), socket_(executor) {}

  /// In words what went wrong; empty when it is connected.
  [[nodiscard]] bus::Task<std::string> dial(const std::string& host, const std::string& port);
  /// The same for a TLS handshake, in which the other side proves that it is `host`.
  [[nodiscard]] bus::Task<std::string> secure(boost::asio::ssl::context& trust, const std::string& host);
  [[nodiscard]] bus::Task<bus::error_code> write(std::string_view bytes);
  [[nodiscard]] bus::Task<HttpRead> read(boost::asio::mutable_buffer into);
  void abort();
  /// Whether a connection at rest may serve again: still open, as far as is known here.
  [[nodiscard]] bool rests();

 private:
  bus::Dialer dialer_;
  std::chrono::milliseconds limit_;
  bus::Socket socket_;
  std::optional<boost::asio::ssl::stream<bus::Socket&>> tls_;
};

}  // namespace personad
