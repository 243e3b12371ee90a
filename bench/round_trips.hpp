#pragma once
#include <chrono>
#include <cstdint>
#include <functional>
#include <unordered_map>
#include <vector>

#include "bench/bus_connection.hpp"
#include "bench/frames.hpp"

namespace bench {

using Clock = std::chrono::steady_clock;

/// What a run of questions took.
struct Trips {
  std::vector<std::chrono::nanoseconds> each;  ///< from a question written to its answer read
  std::chrono::nanoseconds all{0};
  std::size_t answer_bytes = 0;  ///< of the last answer

  [[nodiscard]] double per_second() const;
  [[nodiscard]] double percentile_us(double share) const;
};

/// Asks questions over one connection, in turn, and times the answers. Errors: throws when an answer stays out.
class RoundTrips {
 public:
  RoundTrips(BusConnection& connection, std::vector<Question> questions)
      : connection_(connection), questions_(std::move(questions)) {}

  /// `count` questions, always `in_flight` of them unanswered: as fast as it goes.
  Trips at_full_speed(std::size_t count, std::size_t in_flight);
  /// Questions at even distances for this long.
  Trips paced(double per_second, std::chrono::nanoseconds duration);

 private:
  void ask();
  void take_answers(std::chrono::nanoseconds wait, Trips& into);

  BusConnection& connection_;
  std::vector<Question> questions_;
  std::uint64_t asked_ = 0;
  std::unordered_map<std::uint64_t, Clock::time_point> open_;
};

}  // namespace bench
