#pragma once
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/status.hpp>
#include <boost/beast/websocket/stream.hpp>
#include <memory>
#include <string>
#include <string_view>

#include "bus/broker.hpp"
#include "bus/frame_buffer.hpp"
#include "bus/outbox.hpp"
#include "bus/sockets.hpp"

namespace bus {

class BrokerConnection;

/// What a connection asks and tells its broker.
class Switchboard {
 public:
  virtual ~Switchboard() = default;
  [[nodiscard]] virtual bool has_room() const = 0;
  virtual void refused() = 0;
  /// The handshake is done: it may be pushed to from now on. Returns the frame that greets it.
  [[nodiscard]] virtual Frame opened(BrokerConnection& connection) = 0;
  /// One text frame, valid for the call only.
  virtual void received(std::string_view frame) = 0;
};

/// One peer of the broker, from its accepted socket to its end.
///
/// Threading: io thread only. Ownership: the broker, its running coroutine, and its writes under way. Lifetime: the
/// switchboard outlives `run`.
class BrokerConnection : public std::enable_shared_from_this<BrokerConnection> {
 public:
  BrokerConnection(Socket socket, const BrokerSettings& settings, Switchboard& switchboard);

  /// Shakes hands, then reads until the end.
  [[nodiscard]] Task<void> run();

  enum class Pushed { queued, ignored, too_slow };
  /// Queues a frame; a reader whose queue is full is cut off. What is queued goes out with the next `flush`.
  Pushed push(const Frame& frame, Outbox::TimePoint now);
  void flush();
  /// Says farewell once its queue is empty.
  void close();
  void abort();
  [[nodiscard]] const std::string& peer() const { return peer_; }
  [[nodiscard]] std::size_t waiting_bytes() const { return outbox_.bytes(); }

 private:
  using Request = boost::beast::http::request<boost::beast::http::empty_body>;
  [[nodiscard]] Task<bool> shake_hands();
  [[nodiscard]] boost::beast::http::status judge(const Request& request) const;
  [[nodiscard]] Task<void> refuse(boost::beast::http::status status);
  [[nodiscard]] Task<bool> accept(const Request& request);
  void take_next();
  void write();
  void written(error_code ec);
  void say_farewell();
  Socket& socket() { return websocket_.next_layer(); }

  enum class State { handshake, open, closing, gone };
  const BrokerSettings& settings_;
  Switchboard& switchboard_;
  std::string peer_;
  boost::beast::websocket::stream<Socket, false> websocket_;
  FrameBuffer buffer_;
  Outbox outbox_;
  Frame writing_;
  bool started_ = false;   // the write of it
  bool together_ = false;  // what is written waits for what is queued behind it
  State state_ = State::handshake;
};

}  // namespace bus
