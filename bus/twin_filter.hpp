#pragma once
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string_view>
#include <unordered_map>

namespace bus {
struct Message;

inline constexpr std::string_view kTopicTwinMarker = "_namespace_compat_twin";
inline constexpr std::string_view kIntentTwinMarker = "_intent_compat_twin";

/// Drops the second of two frames that say the same thing once in each spelling, and never a real repeat.
///
/// Bus clients of different age put a message on the wire in the legacy spelling, the canonical one, or both; old
/// components also copy the twin marker into their own messages, so the marker alone proves nothing. Frames are
/// compared by a fingerprint of canonical topic (a `.intent` suffix of a dispatch stripped), data, and context without
/// the two markers.
///
/// Invariant: remembers at most `kMaxRemembered` frames, none for longer than five seconds.
/// Threading: none; call it in arrival order with a clock that does not go back.
/// Source: behaviour of ovos-bus-client 1.x, 2.2 to 2.6, and from 2.8.3 on.
class TwinFilter {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;
  static constexpr std::chrono::seconds kMarkedWithin{5};
  static constexpr std::chrono::seconds kUnmarkedWithin{1};
  static constexpr std::size_t kMaxRemembered = 65536;

  /// True when `message` is the twin of one already seen and must be dropped; consumes that one. Only meaningful for a
  /// topic with two spellings or a dispatch; anything else is never a twin and is not remembered.
  [[nodiscard]] bool is_twin(const Message& message, TimePoint now);

  [[nodiscard]] std::size_t remembered() const { return order_.size(); }

 private:
  /// One remembered frame. The unconsumed ones with one key form a chain from the newest to the oldest, so that a flood
  /// of equal frames costs no search.
  struct Seen {
    std::uint64_t key;  ///< of fingerprint and spelling
    TimePoint at;
    std::uint64_t older;  ///< serial of the next in the chain; it may be forgotten already
  };
  bool consume(std::uint64_t key, TimePoint since);
  void remember(std::uint64_t key, TimePoint now);
  void forget_old(TimePoint now);
  void forget_oldest();

  std::uint64_t first_serial_ = 1;                           // of the oldest in `order_`; 0 is nobody's
  std::deque<Seen> order_;                                   // oldest first, serials without gaps
  std::unordered_map<std::uint64_t, std::uint64_t> newest_;  // by key, the serial of its newest unconsumed frame
};

/// The context key set that says "this frame is a twin" removed from a derived message: markers never travel on.
void strip_twin_markers(Message& message);

}  // namespace bus
