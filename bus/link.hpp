#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "bus/outbox.hpp"

namespace bus {

/// What a link tells its owner. All are called on the io thread, never from inside `start`, `send` or `stop`.
struct LinkHandlers {
  /// One text frame, in receive order. The view is valid for the call only.
  std::function<void(std::string_view frame)> on_frame;
  /// The connection is open: frames flow from now on.
  std::function<void()> on_up;
  /// The connection ended (or could not be made), in words for a log; the link tries again by itself.
  std::function<void(const std::string& reason)> on_down;
};

struct LinkStatus {
  bool up = false;
  std::string url;             ///< where it connects to, without credentials
  std::uint64_t connects = 0;  ///< how often it came up
  std::uint64_t frames_in = 0;
  std::uint64_t frames_out = 0;
  std::uint64_t dropped_out = 0;  ///< frames dropped because the outbox was full or they grew too old while down
  std::size_t outbox_bytes = 0;
};

/// One attachment to a message bus: a websocket client, or the inside of the embedded broker.
///
/// Threading: everything on the io thread. Lifetime: `stop` before destruction; handlers are not called after its
/// `done`.
class Link {
 public:
  virtual ~Link() = default;
  virtual void start(LinkHandlers handlers) = 0;
  /// Queues a frame. Never blocks, never fails: what a full outbox drops is counted in the status and logged.
  virtual void send(std::string frame) = 0;
  /// Sends what is queued (for at most two seconds), closes, and calls `done` once.
  virtual void stop(std::function<void()> done) = 0;
  [[nodiscard]] virtual LinkStatus status() const = 0;
};

}  // namespace bus
