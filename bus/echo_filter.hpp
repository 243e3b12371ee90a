#pragma once
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string_view>
#include <unordered_map>

namespace bus {

/// Recognises our own frames when the server sends them back to us.
///
/// A multiset of hashes of what was sent, each kept for a minute: no marker that others could copy, and a frame of
/// somebody else's with the same bytes as one of ours is dropped once at most.
/// Invariant: at most `kMaxRemembered` hashes. Threading: none.
class EchoFilter {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;
  static constexpr std::chrono::seconds kKeep{60};
  static constexpr std::size_t kMaxRemembered = 65536;

  void sent(std::string_view frame, TimePoint now);
  /// True when this frame is one of ours coming back; it is then forgotten.
  [[nodiscard]] bool is_echo(std::string_view frame, TimePoint now);
  /// The connection was lost: what was sent on it will not come back.
  void clear();

 private:
  struct Sent {
    std::uint64_t hash;
    TimePoint at;
  };
  /// How the entries of `order_` with one hash divide. Those that came back are the oldest ones.
  struct Count {
    std::uint32_t waiting = 0;
    std::uint32_t came_back = 0;
  };
  void forget_old(TimePoint now);
  void forget_oldest();
  std::deque<Sent> order_;  // oldest first
  std::unordered_map<std::uint64_t, Count> counts_;
};

}  // namespace bus
