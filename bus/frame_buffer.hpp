#pragma once
#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <cstddef>
#include <string>
#include <string_view>

#include "bus/sockets.hpp"

namespace bus {

/// Where a connection reads its frames, one after the other.
///
/// It grows with what really arrives, not with what a frame's header promises, and gives back the memory of a large
/// frame once the next one is read.
class FrameBuffer {
 public:
  [[nodiscard]] std::string_view frame() const { return std::string_view(bytes_).substr(0, filled_); }

  void start_frame() {
    filled_ = 0;
    if (bytes_.size() > kKept) std::string().swap(bytes_);
  }
  [[nodiscard]] net::mutable_buffer room() {
    if (bytes_.size() - filled_ < kFirst / 2) bytes_.resize(std::max(kFirst, bytes_.size() * 2));
    return {bytes_.data() + filled_, bytes_.size() - filled_};
  }
  void commit(std::size_t size) { filled_ += size; }

 private:
  static constexpr std::size_t kFirst = 4096;
  static constexpr std::size_t kKept = 1u << 20;
  std::string bytes_;
  std::size_t filled_ = 0;
};

/// Reads the next text frame of a websocket; binary ones are none of a message bus's and are passed over.
template <typename Websocket>
Task<error_code> read_text_frame(Websocket& websocket, Socket& socket, FrameBuffer& buffer) {
  do {
    buffer.start_frame();
    do {
      const net::mutable_buffer room = buffer.room();
      const auto [ec, size] = co_await websocket.async_read_some(room, kToken);
      if (ec) co_return ec;
      buffer.commit(size);
    } while (!websocket.is_message_done());
    rearm_quick_ack(socket);
  } while (!websocket.got_text());
  co_return error_code{};
}

}  // namespace bus
