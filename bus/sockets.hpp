#pragma once
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/basic_waitable_timer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <chrono>
#include <memory>

// The kinds of socket, timer and coroutine that this room is made of, bound to one io_context at compile time: an
// executor of a type known beforehand costs no indirect call for each operation.
namespace bus {

namespace net = boost::asio;
using tcp = net::ip::tcp;
using boost::system::error_code;

using Executor = net::io_context::executor_type;
using Socket = net::basic_stream_socket<tcp, Executor>;
using Acceptor = net::basic_socket_acceptor<tcp, Executor>;
using Resolver = net::ip::basic_resolver<tcp, Executor>;
using Timer =
    net::basic_waitable_timer<std::chrono::steady_clock, net::wait_traits<std::chrono::steady_clock>, Executor>;

template <typename T>
using Task = net::awaitable<T, Executor>;
/// Errors come back as values.
inline constexpr net::as_tuple_t<net::use_awaitable_t<Executor>> kToken{};

/// Asks the kernel to acknowledge at once what was read. It forgets this by itself: to be called after each read.
/// Without it a peer that leaves Nagle on waits up to 40 ms before it sends its next small frame.
inline void rearm_quick_ack(Socket& socket) {
  const int on = 1;
  ::setsockopt(socket.native_handle(), IPPROTO_TCP, TCP_QUICKACK, &on, sizeof on);
}

/// Small frames leave at once, in both directions. A socket that has gone meanwhile is noticed by whoever reads it.
inline void set_low_latency(Socket& socket) {
  error_code ignored;
  socket.set_option(tcp::no_delay(true), ignored);
  rearm_quick_ack(socket);
}

/// What is written from now on waits for more, to leave together; in full packets, or with `send_together`, or after
/// 200 ms.
inline void wait_for_more(Socket& socket) {
  const int on = 1;
  ::setsockopt(socket.native_handle(), IPPROTO_TCP, TCP_CORK, &on, sizeof on);
}
inline void send_together(Socket& socket) {
  const int off = 0;
  ::setsockopt(socket.native_handle(), IPPROTO_TCP, TCP_CORK, &off, sizeof off);
}

/// Closes a socket when a step takes too long; the step then ends with an error and `expired` tells why.
/// Lifetime: the socket outlives it.
class TimeLimit {
 public:
  TimeLimit(Socket& socket, std::chrono::milliseconds limit) : watch_(std::make_shared<Watch>(socket)) {
    watch_->timer.expires_after(limit);
    watch_->timer.async_wait([watch = watch_](error_code ec) {
      if (ec || watch->socket == nullptr) return;
      watch->expired = true;
      error_code ignored;
      watch->socket->close(ignored);
    });
  }
  ~TimeLimit() {
    watch_->socket = nullptr;
    watch_->timer.cancel();
  }
  TimeLimit(const TimeLimit&) = delete;
  TimeLimit& operator=(const TimeLimit&) = delete;

  [[nodiscard]] bool expired() const { return watch_->expired; }

 private:
  /// Shared with the timer's handler, which may be queued when the limit is lifted.
  struct Watch {
    explicit Watch(Socket& watched) : timer(watched.get_executor()), socket(&watched) {}
    Timer timer;
    Socket* socket;
    bool expired = false;
  };
  std::shared_ptr<Watch> watch_;
};

}  // namespace bus
