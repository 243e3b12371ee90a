#pragma once
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>

namespace bus {

/// One frame, shared by everybody who sends it; immutable.
using Frame = std::shared_ptr<const std::string>;

/// Frames waiting for a socket, in order, bounded in bytes.
///
/// What happens when it is full is the owner's decision: a broker disconnects the slow reader (`push` says so), the
/// client of a bus drops its oldest (`push_dropping_oldest`). Threading: none.
class Outbox {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;
  explicit Outbox(std::size_t max_bytes) : max_bytes_(max_bytes) {}

  /// False, and nothing changed, when it would exceed the bound. An empty outbox takes any one frame.
  [[nodiscard]] bool push(Frame frame, TimePoint now);
  /// Makes room by dropping the oldest frames; returns how many.
  std::size_t push_dropping_oldest(Frame frame, TimePoint now);
  /// Drops what was pushed before `then`; returns how many.
  std::size_t drop_older_than(TimePoint then);
  void clear();

  [[nodiscard]] bool empty() const { return frames_.empty(); }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  [[nodiscard]] std::size_t size() const { return frames_.size(); }
  /// Precondition: not empty. The frame stays until `pop`.
  [[nodiscard]] const Frame& front() const { return frames_.front().frame; }
  void pop();

 private:
  struct Waiting {
    Frame frame;
    TimePoint since;
  };
  std::size_t max_bytes_;
  std::size_t bytes_ = 0;
  std::deque<Waiting> frames_;
};

}  // namespace bus
