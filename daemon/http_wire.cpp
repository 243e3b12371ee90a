#include "daemon/http_wire.hpp"

#include <sys/socket.h>

#include <boost/asio/ssl/error.hpp>
#include <boost/asio/ssl/host_name_verification.hpp>
#include <boost/asio/write.hpp>

namespace personad {
namespace {

namespace net = boost::asio;
namespace ssl = net::ssl;
using bus::error_code;
using bus::kToken;

}  // namespace

bus::Task<std::string> HttpWire::dial(const std::string& host, const std::string& port) {
  bus::Url url;
  url.host = host;
  url.port = port;
  std::string problem = co_await dialer_.dial(socket_, url);
  co_return problem;
}

bus::Task<std::string> HttpWire::secure(ssl::context& trust, const std::string& host) {
  tls_.emplace(socket_, trust);
  error_code not_numeric;
  (void)net::ip::make_address(host, not_numeric);
  // An address is no server name (RFC 6066, 3).
  if (not_numeric) SSL_set_tlsext_host_name(tls_->native_handle(), host.c_str());
  error_code ec;
  tls_->set_verify_mode(ssl::verify_peer, ec);
  if (!ec) tls_->set_verify_callback(ssl::host_name_verification(host), ec);
  if (ec) co_return "TLS: " + ec.message();
  bus::TimeLimit limit(socket_, limit_);
  const auto [failed] = co_await tls_->async_handshake(ssl::stream_base::client, kToken);
  if (limit.expired()) co_return std::string("no answer to the TLS handshake");
  co_return failed ? "TLS handshake: " + failed.message() : std::string();
}

bus::Task<error_code> HttpWire::write(std::string_view bytes) {
  const net::const_buffer buffer(bytes.data(), bytes.size());
  if (tls_) {
    const auto [ec, written] = co_await net::async_write(*tls_, buffer, kToken);
    co_return ec;
  }
  const auto [ec, written] = co_await net::async_write(socket_, buffer, kToken);
  co_return ec;
}

bus::Task<HttpRead> HttpWire::read(net::mutable_buffer into) {
  if (tls_) {
    const auto [ec, bytes] = co_await tls_->async_read_some(into, kToken);
    // Many servers just close; a truncated answer shows by its length, or as JSON that does not end.
    const error_code plain = ec == ssl::error::stream_truncated ? error_code(net::error::eof) : ec;
    HttpRead read(plain, bytes);
    co_return read;
  }
  const auto [ec, bytes] = co_await socket_.async_read_some(into, kToken);
  HttpRead read(ec, bytes);
  co_return read;
}

void HttpWire::abort() {
  dialer_.abort();
  error_code ignored;
  socket_.close(ignored);
}

bool HttpWire::rests() {
  if (!socket_.is_open()) return false;
  char byte = 0;
  const auto seen = ::recv(socket_.native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  if (seen < 0) return errno == EAGAIN || errno == EWOULDBLOCK;
  // Over TLS something may wait to be read that is no answer (a session ticket).
  return seen > 0 && tls_.has_value();
}

}  // namespace personad
