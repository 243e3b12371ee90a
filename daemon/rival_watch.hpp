#pragma once
#include <chrono>
#include <cstdint>
#include <deque>
#include <string_view>
#include <unordered_set>

#include "bus/message.hpp"

namespace personad {

/// Notices another personad on the same bus: an answer by another instance to a request that we answered as well.
///
/// Remembers the requests of the last minute by a fingerprint of topic, request id and session.
/// Invariant: at most `kMaxRemembered`. Threading: none.
class RivalWatch {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;
  static constexpr std::chrono::seconds kKeep{60};
  static constexpr std::size_t kMaxRemembered = 4096;

  explicit RivalWatch(std::string_view instance) : instance_(instance) {}
  void asked(const bus::Message& request, TimePoint now);
  /// True when `answer` is another instance's.
  [[nodiscard]] bool is_rival(const bus::Message& answer, TimePoint now);

 private:
  struct Asked {
    std::uint64_t fingerprint;
    TimePoint at;
  };
  void forget_old(TimePoint now);
  std::string instance_;
  std::deque<Asked> order_;
  std::unordered_multiset<std::uint64_t> asked_;
};

}  // namespace personad
