#include "bus/broker_server.hpp"

#include <spdlog/spdlog.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <nlohmann/json.hpp>
#include <utility>

#include "bus/client.hpp"
#include "bus/frame_scan.hpp"
#include "bus/message.hpp"
#include "bus/session.hpp"
#include "bus/topics.hpp"

namespace bus {
namespace {

using Clock = std::chrono::steady_clock;
using nlohmann::json;

constexpr std::chrono::seconds kDrain{2};
constexpr std::chrono::milliseconds kRetry{100};
/// How many sockets beyond those allowed may be in their handshake, to be told that there is no room.
constexpr std::size_t kSpareHandshakes = 64;

Frame greeting() {
  Message message;
  message.type = "connected";
  message.context["session"]["session_id"] = kDefaultSession;
  return std::make_shared<const std::string>(message.dump());
}

Frame rejection(const std::string& type) {
  Message message;
  message.type = topic::kSessionRejected;
  message.data["msg_type"] = type;
  message.data["reason"] = "malformed_carrier";
  return std::make_shared<const std::string>(message.dump());
}

}  // namespace

Broker::Server::Server(net::io_context& io, BrokerSettings settings)
    : executor_(io.get_executor()),
      settings_(std::move(settings)),
      acceptor_(executor_),
      retry_(executor_),
      last_call_(executor_),
      local_(*this),
      greeting_(greeting()) {}

boost::system::result<void, std::string> Broker::Server::listen() {
  error_code ec;
  Resolver resolver(executor_);
  const auto found = resolver.resolve(settings_.host, std::to_string(settings_.port), Resolver::passive, ec);
  if (!ec) ec = bind(found.begin()->endpoint());
  if (ec) {
    acceptor_ = Acceptor(executor_);
    return {boost::system::in_place_error,
            "cannot listen on " + settings_.host + ":" + std::to_string(settings_.port) + ": " + ec.message()};
  }
  net::co_spawn(
      executor_, [self = shared_from_this()] { return self->accept_all(); },
      [self = shared_from_this()](std::exception_ptr failure) {
        if (failure) std::rethrow_exception(failure);
      });
  spdlog::info("bus: listening on {}", url());
  return {};
}

error_code Broker::Server::bind(const tcp::endpoint& endpoint) {
  error_code ec;
  acceptor_.open(endpoint.protocol(), ec);
  if (!ec) acceptor_.set_option(Acceptor::reuse_address(true), ec);
  if (!ec) acceptor_.bind(endpoint, ec);
  if (!ec) acceptor_.listen(Acceptor::max_listen_connections, ec);
  return ec;
}

std::uint16_t Broker::Server::port() const {
  error_code ec;
  const auto endpoint = acceptor_.local_endpoint(ec);
  return ec ? settings_.port : endpoint.port();
}

std::string Broker::Server::url() const {
  Url url;
  url.host = settings_.host;
  url.port = std::to_string(port());
  url.route = settings_.route;
  return url.text();
}

BrokerStatus Broker::Server::status() const {
  BrokerStatus status = status_;
  status.connections = open_.size();
  return status;
}

Task<void> Broker::Server::accept_all() {
  while (acceptor_.is_open()) {
    auto [ec, socket] = co_await acceptor_.async_accept(kToken);
    if (!acceptor_.is_open()) break;
    if (!ec) {
      take_in(std::move(socket));
      continue;
    }
    // Out of descriptors, most likely: those who wait stay in the kernel's queue.
    spdlog::debug("bus: cannot accept a connection: {}", ec.message());
    retry_.expires_after(kRetry);
    co_await retry_.async_wait(kToken);
  }
}

void Broker::Server::take_in(Socket socket) {
  if (connections_.size() >= settings_.max_connections + kSpareHandshakes) {
    ++status_.refused;
    return;
  }
  auto connection = std::make_shared<BrokerConnection>(std::move(socket), settings_, *this);
  connections_.emplace(connection.get(), connection);
  net::co_spawn(
      executor_, [connection] { return connection->run(); },
      [self = shared_from_this(), connection](std::exception_ptr failure) {
        self->left(connection.get());
        if (failure) std::rethrow_exception(failure);
      });
}

void Broker::Server::left(BrokerConnection* connection) {
  std::erase(open_, connection);
  connections_.erase(connection);
  finish_if_empty();
}

Frame Broker::Server::opened(BrokerConnection& connection) {
  open_.push_back(&connection);
  return greeting_;
}

void Broker::Server::received(std::string_view frame) {
  if (stopping_) return;
  const CarrierScan scan = scan_carrier(frame);
  if (scan.malformed_carrier) ++status_.rejected_carriers;
  const Frame shared = scan.malformed_carrier ? rejection(scan.type) : std::make_shared<const std::string>(frame);
  ++status_.frames;
  broadcast(shared);
  // Heard here before it is written there: whoever asked us something is woken once, for its own frame and our answer.
  hearing_ = true;
  local_.hear(*shared);
  hearing_ = false;
  flush();
}

void Broker::Server::flush() {
  for (BrokerConnection* connection : open_) connection->flush();
}

void Broker::Server::broadcast(const Frame& frame) {
  const auto now = Clock::now();
  for (BrokerConnection* connection : open_) {
    if (connection->push(frame, now) != BrokerConnection::Pushed::too_slow) continue;
    ++status_.slow_readers;
    spdlog::warn("bus: {} reads too slowly, disconnected with {} bytes waiting", connection->peer(),
                 connection->waiting_bytes());
  }
}

void Broker::Server::stop(std::function<void()> done) {
  if (stopped_) {
    net::post(executor_, std::move(done));
    return;
  }
  when_stopped_.push_back(std::move(done));
  if (std::exchange(stopping_, true)) return;
  error_code ignored;
  acceptor_.close(ignored);
  retry_.cancel();
  for (const auto& [key, connection] : connections_) connection->close();
  last_call_.expires_after(kDrain);
  last_call_.async_wait([self = shared_from_this()](error_code ec) {
    if (ec) return;
    for (const auto& [key, connection] : self->connections_) connection->abort();
  });
  // Not from inside this call.
  net::post(executor_, [self = shared_from_this()] { self->finish_if_empty(); });
}

void Broker::Server::abandon() {
  stopping_ = stopped_ = true;
  local_.abandon();
  error_code ignored;
  acceptor_.close(ignored);
  retry_.cancel();
  last_call_.cancel();
  for (const auto& [key, connection] : connections_) connection->abort();
}

void Broker::Server::finish_if_empty() {
  if (!stopping_ || stopped_ || !connections_.empty()) return;
  stopped_ = true;
  last_call_.cancel();
  for (auto& done : std::exchange(when_stopped_, {})) {
    if (done) done();
  }
}

void Broker::Server::Local::start(LinkHandlers handlers) {
  handlers_ = std::move(handlers);
  net::post(server_.executor_, [server = server_.shared_from_this()] {
    Local& self = server->local_;
    self.status_.up = true;
    ++self.status_.connects;
    if (self.handlers_.on_up) self.handlers_.on_up();
  });
}

void Broker::Server::Local::send(std::string frame) {
  if (server_.stopping_) return;
  ++status_.frames_out;
  ++server_.status_.frames;
  server_.broadcast(std::make_shared<const std::string>(std::move(frame)));
  if (!server_.hearing_) server_.flush();
}

void Broker::Server::Local::stop(std::function<void()> done) {
  status_.up = false;
  net::post(server_.executor_, [server = server_.shared_from_this(), done = std::move(done)] {
    server->local_.handlers_ = {};
    if (done) done();
  });
}

LinkStatus Broker::Server::Local::status() const {
  LinkStatus status = status_;
  status.url = server_.url();
  return status;
}

void Broker::Server::Local::hear(std::string_view frame) {
  if (!status_.up || !handlers_.on_frame) return;
  ++status_.frames_in;
  handlers_.on_frame(frame);
}

}  // namespace bus
