#include "bus/broker_connection.hpp"

#include <algorithm>
#include <boost/asio/ip/address.hpp>
#include <boost/beast/core/string.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>
#include <boost/beast/websocket/rfc6455.hpp>
#include <utility>

namespace bus {
namespace {

namespace beast = boost::beast;
namespace http = beast::http;
namespace websocket = beast::websocket;

/// An idle connection that never says what it wants must not hold a place for long.
constexpr std::chrono::seconds kHandshakeLimit{10};
constexpr std::uint32_t kMaxHeader = 8192;

std::string peer_of(const Socket& socket) {
  error_code ec;
  const auto endpoint = socket.remote_endpoint(ec);
  return ec ? std::string("a peer that is gone")
            : endpoint.address().to_string() + ":" + std::to_string(endpoint.port());
}

std::string_view path_of(std::string_view target) {
  return target.substr(0, target.find('?'));
}

/// Client libraries name the server's own address as their origin; no page has it, since only a bus is served there. A
/// name could be made to mean this host by whoever owns it (DNS rebinding), so only an address or localhost counts.
bool is_own_address(std::string_view origin, std::string_view host) {
  constexpr std::string_view kScheme = "http://";
  if (!origin.starts_with(kScheme) || !beast::iequals(origin.substr(kScheme.size()), host)) return false;
  const auto bracket = host.find(']');  // of an IPv6 address, which has colons of its own
  std::string_view name = host.substr(0, host.find(':', bracket == std::string_view::npos ? 0 : bracket));
  if (name.starts_with('[') && name.ends_with(']')) name = name.substr(1, name.size() - 2);
  error_code ec;
  (void)boost::asio::ip::make_address(name, ec);
  return !ec || beast::iequals(name, "localhost");
}

}  // namespace

BrokerConnection::BrokerConnection(Socket socket, const BrokerSettings& settings, Switchboard& switchboard)
    : settings_(settings),
      switchboard_(switchboard),
      peer_(peer_of(socket)),
      websocket_(std::move(socket)),
      outbox_(settings.max_queue_bytes) {}

Task<void> BrokerConnection::run() {
  set_low_latency(socket());
  const bool open = co_await shake_hands();
  while (open && state_ != State::gone) {
    const error_code ec = co_await read_text_frame(websocket_, socket(), buffer_);
    if (ec) break;
    switchboard_.received(buffer_.frame());
  }
  abort();
}

Task<bool> BrokerConnection::shake_hands() {
  beast::flat_buffer buffer(kMaxHeader);
  http::request_parser<http::empty_body> parser;
  parser.header_limit(kMaxHeader);
  {
    TimeLimit limit(socket(), kHandshakeLimit);
    const auto [ec, size] = co_await http::async_read_header(socket(), buffer, parser, kToken);
    if (ec) co_return false;
  }
  const http::status status = judge(parser.get());
  if (status != http::status::switching_protocols) {
    switchboard_.refused();
    co_await refuse(status);
    co_return false;
  }
  const bool accepted = co_await accept(parser.get());
  co_return accepted;
}

/// A browser sends an Origin with each handshake, and cannot be kept from it by a page.
http::status BrokerConnection::judge(const Request& request) const {
  if (path_of(request.target()) != settings_.route) return http::status::not_found;
  if (!websocket::is_upgrade(request)) return http::status::upgrade_required;
  if (const auto origin = request.find(http::field::origin); origin != request.end()) {
    const auto& allowed = settings_.allowed_origins;
    const bool known = std::any_of(allowed.begin(), allowed.end(),
                                   [&](const std::string& one) { return beast::iequals(one, origin->value()); });
    if (!known && !is_own_address(origin->value(), request[http::field::host])) return http::status::forbidden;
  }
  if (!switchboard_.has_room()) return http::status::service_unavailable;
  return http::status::switching_protocols;
}

Task<void> BrokerConnection::refuse(http::status status) {
  http::response<http::string_body> response(status, 11);
  response.set(http::field::connection, "close");
  if (status == http::status::upgrade_required) response.set(http::field::upgrade, "websocket");
  response.body() = std::string(http::obsolete_reason(status)) + "\n";
  response.prepare_payload();
  TimeLimit limit(socket(), kHandshakeLimit);
  co_await http::async_write(socket(), response, kToken);
  error_code ignored;
  socket().shutdown(Socket::shutdown_send, ignored);
}

Task<bool> BrokerConnection::accept(const Request& request) {
  websocket::stream_base::timeout limits;
  limits.handshake_timeout = kHandshakeLimit;
  limits.idle_timeout = settings_.idle_timeout;
  limits.keep_alive_pings = true;
  websocket_.set_option(limits);
  websocket_.read_message_max(settings_.max_frame_bytes);
  websocket_.auto_fragment(false);
  websocket_.text(true);
  const auto [ec] = co_await websocket_.async_accept(request, kToken);
  if (ec || state_ != State::handshake) co_return false;
  state_ = State::open;
  push(switchboard_.opened(*this), Outbox::TimePoint{});
  flush();
  co_return true;
}

BrokerConnection::Pushed BrokerConnection::push(const Frame& frame, Outbox::TimePoint now) {
  if (state_ != State::open) return Pushed::ignored;
  if (!outbox_.push(frame, now)) {
    abort();
    return Pushed::too_slow;
  }
  if (!writing_) take_next();
  return Pushed::queued;
}

void BrokerConnection::flush() {
  if (writing_ && !started_ && state_ != State::gone) write();
}

void BrokerConnection::close() {
  if (state_ == State::handshake) {
    abort();
  } else if (state_ == State::open) {
    state_ = State::closing;
    if (!writing_) say_farewell();
  }
}

void BrokerConnection::abort() {
  state_ = State::gone;
  error_code ignored;
  socket().close(ignored);
}

// Out of the queue at once: the bound is for what waits, and one frame may be larger than it.
void BrokerConnection::take_next() {
  writing_ = outbox_.front();
  outbox_.pop();
}

void BrokerConnection::write() {
  started_ = true;
  // One packet for all that is queued: the reader is woken once.
  if (!together_ && !outbox_.empty()) {
    together_ = true;
    wait_for_more(socket());
  }
  websocket_.async_write(net::buffer(*writing_),
                         [self = shared_from_this()](error_code ec, std::size_t) { self->written(ec); });
}

void BrokerConnection::written(error_code ec) {
  writing_.reset();
  started_ = false;
  if (ec) abort();
  if (state_ == State::gone) return;
  if (outbox_.empty() && std::exchange(together_, false)) send_together(socket());
  if (!outbox_.empty()) {
    take_next();
    write();
  } else if (state_ == State::closing) {
    say_farewell();
  }
}

void BrokerConnection::say_farewell() {
  websocket_.async_close(websocket::close_code::going_away, [self = shared_from_this()](error_code) {});
}

}  // namespace bus
