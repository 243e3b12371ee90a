#include "tests/fakes/bus_peer.hpp"

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/buffers_to_string.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/websocket/ssl.hpp>
#include <boost/beast/websocket/stream.hpp>
#include <deque>
#include <set>
#include <stdexcept>
#include <thread>
#include <type_traits>
#include <utility>

namespace tests {
namespace {

namespace net = boost::asio;
namespace beast = boost::beast;
namespace websocket = beast::websocket;
using tcp = net::ip::tcp;
using boost::system::error_code;
using Clock = std::chrono::steady_clock;

constexpr Milliseconds kPatience{10000};

void reset(tcp::socket& socket) {
  error_code ignored;
  socket.set_option(net::socket_base::linger(true, 0), ignored);
  socket.close(ignored);
}

}  // namespace

struct BusPeer::State {
  net::io_context io{1};
  websocket::stream<tcp::socket> websocket{io};
  beast::flat_buffer buffer;
  std::deque<std::string> received;
  bool reading = false;
  bool ended = true;

  /// Runs what is to be done until `ready` says so; false when it did not in time.
  template <typename Ready>
  bool run_until(Ready ready, Milliseconds timeout) {
    const auto deadline = Clock::now() + timeout;
    while (!ready()) {
      if (io.stopped()) io.restart();
      if (io.run_one_until(deadline) == 0 && Clock::now() >= deadline) return ready();
      if (io.stopped() && !ready()) return false;
    }
    return true;
  }

  void read() {
    if (reading || ended) return;
    reading = true;
    websocket.async_read(buffer, [this](error_code ec, std::size_t) {
      reading = false;
      if (ec) {
        ended = true;
        return;
      }
      received.push_back(beast::buffers_to_string(buffer.data()));
      buffer.consume(buffer.size());
    });
  }
};

BusPeer::BusPeer() : state_(std::make_unique<State>()) {}
BusPeer::~BusPeer() = default;
BusPeer::BusPeer(BusPeer&&) noexcept = default;
BusPeer& BusPeer::operator=(BusPeer&&) noexcept = default;

unsigned BusPeer::connect(const std::string& host, std::uint16_t port, const std::string& route,
                          const std::optional<std::string>& origin) {
  state_ = std::make_unique<State>();
  State& state = *state_;
  error_code result = net::error::would_block;
  const auto pending = [&] { return result != net::error::would_block; };
  tcp::socket& socket = state.websocket.next_layer();
  socket.async_connect({net::ip::make_address(host), port}, [&](error_code ec) { result = ec; });
  if (!state.run_until(pending, kPatience) || result) return 0;
  socket.set_option(tcp::no_delay(true), result);
  state.websocket.set_option(websocket::stream_base::decorator([origin](websocket::request_type& request) {
    if (origin) request.set(beast::http::field::origin, *origin);
  }));
  state.websocket.read_message_max(0);
  websocket::response_type response;
  result = net::error::would_block;
  state.websocket.async_handshake(response, host + ":" + std::to_string(port), route,
                                  [&](error_code ec) { result = ec; });
  if (!state.run_until(pending, kPatience)) {
    state_ = std::make_unique<State>();
    return 0;
  }
  state.ended = static_cast<bool>(result);
  if (result && result != websocket::error::upgrade_declined) return 0;
  return response.result_int();
}

bool BusPeer::send(const std::string& text) {
  State& state = *state_;
  if (state.ended) return false;
  std::optional<error_code> result;
  state.websocket.text(true);
  state.websocket.async_write(net::buffer(text), [&](error_code ec, std::size_t) { result = ec; });
  if (!state.run_until([&] { return result.has_value(); }, kPatience)) {
    // What is under way refers to this call: it ends with the connection.
    abort();
    return false;
  }
  return !*result;
}

std::optional<std::string> BusPeer::receive(Milliseconds timeout) {
  State& state = *state_;
  if (state.received.empty()) {
    state.read();
    state.run_until([&] { return !state.received.empty() || state.ended; }, timeout);
  }
  if (state.received.empty()) return std::nullopt;
  std::string frame = std::move(state.received.front());
  state.received.pop_front();
  return frame;
}

std::optional<bus::Message> BusPeer::wait_for(std::string_view type, const Predicate& predicate, Milliseconds timeout) {
  const auto deadline = Clock::now() + timeout;
  for (;;) {
    const auto left = std::chrono::duration_cast<Milliseconds>(deadline - Clock::now());
    const auto frame = receive(std::max(left, Milliseconds(0)));
    if (!frame) return std::nullopt;
    auto message = bus::Message::parse(*frame);
    if (message && message->type == type && (!predicate || predicate(*message))) return std::move(*message);
  }
}

bool BusPeer::ended() const {
  return state_->ended;
}

unsigned BusPeer::close_code() const {
  return state_->websocket.reason().code;
}

void BusPeer::close() {
  State& state = *state_;
  if (state.ended) return;
  bool closed = false;
  state.websocket.async_close(websocket::close_code::normal, [&](error_code) { closed = true; });
  if (!state.run_until([&] { return closed; }, Milliseconds(2000))) abort();
  state.ended = true;
}

void BusPeer::abort() {
  State& state = *state_;
  reset(state.websocket.next_layer());
  state.ended = true;
  state.run_until([] { return false; }, Milliseconds(100));
}

namespace {

/// One connection of the fake server; the way out of what is under way is to close its socket.
class Guest {
 public:
  virtual ~Guest() = default;
  virtual void begin() = 0;
  virtual void push(std::shared_ptr<const std::string> frame, bool binary) = 0;
  virtual void vanish() = 0;
};

/// What a connection tells its server.
struct Host {
  std::function<void(const std::shared_ptr<Guest>&)> opened;
  std::function<void(Guest*)> left;
  std::function<void(std::string)> received;
  FakeServerSettings settings;
};

template <typename Stream>
class WebsocketGuest final : public Guest, public std::enable_shared_from_this<WebsocketGuest<Stream>> {
 public:
  template <typename... Args>
  explicit WebsocketGuest(Host& host, Args&&... args) : host_(host), websocket_(std::forward<Args>(args)...) {}

  void begin() override {
    if constexpr (std::is_same_v<Stream, tcp::socket>) {
      accept();
    } else {
      websocket_.next_layer().async_handshake(net::ssl::stream_base::server,
                                              [self = this->shared_from_this()](error_code ec) {
                                                if (!ec) self->accept();
                                              });
    }
  }

  void push(std::shared_ptr<const std::string> frame, bool binary) override {
    waiting_.emplace_back(std::move(frame), binary);
    if (waiting_.size() == 1) write();
  }

  void vanish() override { reset(beast::get_lowest_layer(websocket_)); }

 private:
  void accept() {
    websocket_.read_message_max(host_.settings.max_frame_bytes);
    websocket_.async_accept([self = this->shared_from_this()](error_code ec) {
      if (ec) return;
      self->host_.opened(self);
      self->read();
    });
  }

  void read() {
    websocket_.async_read(buffer_, [self = this->shared_from_this()](error_code ec, std::size_t) {
      if (ec) {
        self->host_.left(self.get());
        return;
      }
      std::string frame = beast::buffers_to_string(self->buffer_.data());
      self->buffer_.consume(self->buffer_.size());
      self->host_.received(std::move(frame));
      self->read();
    });
  }

  void write() {
    websocket_.binary(waiting_.front().second);
    websocket_.async_write(net::buffer(*waiting_.front().first),
                           [self = this->shared_from_this()](error_code ec, std::size_t) {
                             self->waiting_.pop_front();
                             if (!ec && !self->waiting_.empty()) self->write();
                           });
  }

  Host& host_;
  websocket::stream<Stream> websocket_;
  beast::flat_buffer buffer_;
  std::deque<std::pair<std::shared_ptr<const std::string>, bool>> waiting_;
};

}  // namespace

struct FakeBusServer::State {
  explicit State(FakeServerSettings settings) : port(settings.port) {
    host.settings = std::move(settings);
    host.opened = [this](const std::shared_ptr<Guest>& guest) {
      if (!host.settings.greeting.empty()) {
        guest->push(std::make_shared<const std::string>(host.settings.greeting), false);
      }
      guests.insert(guest);
      open = guests.size();
    };
    host.left = [this](Guest* guest) {
      std::erase_if(guests, [&](const auto& one) { return one.get() == guest; });
      open = guests.size();
    };
    host.received = [this](std::string frame) {
      ++frames;
      relay(std::move(frame), false);
    };
  }

  void relay(std::string frame, bool binary) {
    const auto shared = std::make_shared<const std::string>(std::move(frame));
    for (const auto& guest : guests) guest->push(shared, binary);
  }

  void listen(bool says_nothing) {
    io = std::make_unique<net::io_context>(1);
    acceptor = std::make_unique<tcp::acceptor>(*io, tcp::endpoint(net::ip::address_v4::loopback(), port));
    port = acceptor->local_endpoint().port();
    if (!host.settings.certificate_file.empty()) {
      tls = std::make_unique<net::ssl::context>(net::ssl::context::tls_server);
      tls->use_certificate_chain_file(host.settings.certificate_file);
      tls->use_private_key_file(host.settings.key_file, net::ssl::context::pem);
    }
    mute = says_nothing;
    accept();
    thread = std::thread([this] { io->run(); });
  }

  void accept() {
    acceptor->async_accept([this](error_code ec, tcp::socket socket) {
      if (ec) return;
      ++accepted;
      if (mute) {
        silenced.push_back(std::move(socket));
      } else {
        begin(std::move(socket));
      }
      accept();
    });
  }

  void begin(tcp::socket socket) {
    std::shared_ptr<Guest> guest;
    if (tls) {
      guest = std::make_shared<WebsocketGuest<net::ssl::stream<tcp::socket>>>(host, std::move(socket), *tls);
    } else {
      guest = std::make_shared<WebsocketGuest<tcp::socket>>(host, std::move(socket));
    }
    guest->begin();
    begun.push_back(guest);
  }

  void vanish() {
    acceptor->close();
    for (auto& socket : silenced) reset(socket);
    silenced.clear();
    for (const auto& guest : begun) {
      if (const auto there = guest.lock()) there->vanish();
    }
    begun.clear();
    guests.clear();
    open = 0;
  }

  Host host;
  std::uint16_t port;
  std::unique_ptr<net::io_context> io;
  std::unique_ptr<net::ssl::context> tls;
  std::unique_ptr<tcp::acceptor> acceptor;
  bool mute = false;
  std::vector<tcp::socket> silenced;
  std::vector<std::weak_ptr<Guest>> begun;
  std::set<std::shared_ptr<Guest>> guests;
  std::atomic<std::size_t> accepted{0};
  std::atomic<std::size_t> frames{0};
  std::atomic<std::size_t> open{0};
  std::thread thread;
};

FakeBusServer::FakeBusServer(FakeServerSettings settings) : state_(std::make_unique<State>(std::move(settings))) {}
FakeBusServer::~FakeBusServer() {
  stop();
}
void FakeBusServer::start() {
  state_->listen(false);
}
void FakeBusServer::start_mute() {
  state_->listen(true);
}

void FakeBusServer::stop() {
  State& state = *state_;
  if (!state.thread.joinable()) return;
  net::post(*state.io, [&state] { state.vanish(); });
  state.thread.join();
  state.acceptor.reset();
  state.io.reset();
}

std::uint16_t FakeBusServer::port() const {
  return state_->port;
}

void FakeBusServer::broadcast(const std::string& text) {
  net::post(*state_->io, [state = state_.get(), text] { state->relay(text, false); });
}

void FakeBusServer::broadcast_binary(const std::string& bytes) {
  net::post(*state_->io, [state = state_.get(), bytes] { state->relay(bytes, true); });
}

void FakeBusServer::hang(Milliseconds duration) {
  net::post(*state_->io, [duration] { std::this_thread::sleep_for(duration); });
}

std::size_t FakeBusServer::accepted() const {
  return state_->accepted;
}
std::size_t FakeBusServer::frames() const {
  return state_->frames;
}

bool FakeBusServer::wait_for_open(std::size_t many, Milliseconds timeout) const {
  const auto deadline = Clock::now() + timeout;
  while (state_->open != many) {
    if (Clock::now() > deadline) return false;
    std::this_thread::sleep_for(Milliseconds(1));
  }
  return true;
}

}  // namespace tests
