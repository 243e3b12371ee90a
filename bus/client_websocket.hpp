#pragma once
#include <boost/beast/websocket/stream.hpp>
#include <memory>
#include <string>
#include <utility>

#include "bus/client_connection.hpp"
#include "bus/dial.hpp"
#include "bus/frame_buffer.hpp"
#include "bus/sockets.hpp"

namespace bus {

namespace beast = boost::beast;
namespace websocket = beast::websocket;

/// A websocket over a `Transport`, which names its stream type, makes one, and secures it once it is connected.
///
/// Both kinds of `ClientConnection` are instances of this; include it in their sources only.
template <typename Transport>
class ClientWebsocket final : public ClientConnection, public std::enable_shared_from_this<ClientWebsocket<Transport>> {
 public:
  ClientWebsocket(Executor executor, const ClientSettings& settings)
      : settings_(settings),
        dialer_(executor, settings.handshake_timeout),
        transport_(settings),
        websocket_(transport_.make_stream(executor)) {}

  Task<std::string> open() override {
    std::string problem = transport_.problem();
    if (problem.empty()) problem = co_await dialer_.dial(socket(), settings_.url);
    if (problem.empty()) problem = co_await secure();
    if (problem.empty()) problem = co_await upgrade();
    co_return problem;
  }

  Task<std::string> read(std::string_view& frame) override {
    const error_code ec = co_await read_text_frame(websocket_, socket(), buffer_);
    frame = buffer_.frame();
    co_return ec ? words(ec) : std::string();
  }

  void write(Frame frame, std::function<void(error_code)> done) override {
    const net::const_buffer bytes(frame->data(), frame->size());
    websocket_.async_write(bytes, [self = this->shared_from_this(), frame = std::move(frame), done = std::move(done)](
                                      error_code ec, std::size_t) { done(ec); });
  }

  void close() override {
    websocket_.async_close(websocket::close_code::normal, [self = this->shared_from_this()](error_code) {});
  }

  void abort() override {
    dialer_.abort();
    error_code ignored;
    socket().close(ignored);
  }

 private:
  using Stream = typename Transport::Stream;

  Socket& socket() { return beast::get_lowest_layer(websocket_); }

  Task<std::string> secure() {
    TimeLimit limit(socket(), settings_.handshake_timeout);
    std::string problem = co_await transport_.secure(websocket_.next_layer());
    if (limit.expired()) problem = "no answer to the TLS handshake";
    co_return problem;
  }

  Task<std::string> upgrade() {
    websocket::stream_base::timeout limits;
    limits.handshake_timeout = settings_.handshake_timeout;
    limits.idle_timeout = settings_.idle_timeout;
    limits.keep_alive_pings = true;
    websocket_.set_option(limits);
    websocket_.read_message_max(settings_.max_frame_bytes);
    websocket_.auto_fragment(false);
    websocket_.write_buffer_bytes(kWriteBuffer);
    websocket_.text(true);
    const Url& url = settings_.url;
    const std::string host =
        (url.host.find(':') == std::string::npos ? url.host : '[' + url.host + ']') + ':' + url.port;
    const auto [ec] = co_await websocket_.async_handshake(host, url.route, kToken);
    if (ec == beast::error::timeout) co_return std::string("no answer to the websocket handshake");
    co_return ec ? "websocket handshake: " + ec.message() : std::string();
  }

  std::string words(error_code ec) const {
    // What the server said itself tells more than how its end of the connection then looked.
    if (const auto code = websocket_.reason().code; code != websocket::close_code::none) {
      return "closed by the server (" + std::to_string(code) + ")";
    }
    if (ec == beast::error::timeout) return "the server is silent";
    if (ec == websocket::error::message_too_big) return "a frame over the size limit";
    if (ec == websocket::error::closed || ec == net::error::eof) return "closed by the server";
    return ec.message();
  }

  // What a client writes is masked, and so copied, piece by piece: a frame of usual size in one piece.
  static constexpr std::size_t kWriteBuffer = 16384;

  const ClientSettings& settings_;
  Dialer dialer_;
  Transport transport_;
  websocket::stream<Stream, false> websocket_;
  FrameBuffer buffer_;
};

}  // namespace bus
