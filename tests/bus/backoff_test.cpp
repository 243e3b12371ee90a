#include "bus/backoff.hpp"

#include <doctest/doctest.h>

#include <vector>

using namespace bus;
using std::chrono::milliseconds;

namespace {

Backoff::Settings settings(int first, int most) {
  return {milliseconds(first), milliseconds(most), std::chrono::seconds(30)};
}

/// The ceilings that the back-off asked a random number for.
struct Ceilings {
  std::vector<std::int64_t> seen;
  Backoff::Uniform highest() {
    return [this](std::int64_t most) {
      seen.push_back(most);
      return most;
    };
  }
};

}  // namespace

TEST_CASE("waits double up to the most and stay there") {
  Ceilings ceilings;
  Backoff backoff(settings(500, 60000), ceilings.highest());
  for (int i = 0; i < 9; ++i) (void)backoff.after_failure(milliseconds(0));
  CHECK(ceilings.seen == std::vector<std::int64_t>{500, 1000, 2000, 4000, 8000, 16000, 32000, 60000, 60000});
}

TEST_CASE("a wait is what the random number says, down to none") {
  Backoff backoff(settings(500, 60000), [](std::int64_t) { return 0; });
  CHECK(backoff.after_failure(milliseconds(0)) == milliseconds(0));
  Ceilings ceilings;
  Backoff highest(settings(500, 60000), ceilings.highest());
  CHECK(highest.after_failure(milliseconds(0)) == milliseconds(500));
}

TEST_CASE("a healthy connection starts the waits over, a short one does not") {
  Ceilings ceilings;
  Backoff backoff(settings(500, 60000), ceilings.highest());
  (void)backoff.after_failure(milliseconds(0));
  (void)backoff.after_failure(milliseconds(29999));
  (void)backoff.after_failure(milliseconds(30000));
  (void)backoff.after_failure(milliseconds(0));
  CHECK(ceilings.seen == std::vector<std::int64_t>{500, 1000, 500, 1000});
}

TEST_CASE("a first wait above the most is cut to it, and the longest duration does not overflow") {
  Ceilings ceilings;
  Backoff backoff(settings(500, 100), ceilings.highest());
  (void)backoff.after_failure(milliseconds(0));
  (void)backoff.after_failure(milliseconds(0));
  CHECK(ceilings.seen == std::vector<std::int64_t>{100, 100});

  Ceilings longest;
  Backoff endless({milliseconds(1), milliseconds::max(), milliseconds::max()}, longest.highest());
  for (int i = 0; i < 80; ++i) CHECK(endless.after_failure(milliseconds(0)).count() > 0);
  CHECK(longest.seen.back() == milliseconds::max().count());
}
