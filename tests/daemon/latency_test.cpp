#include "daemon/latency.hpp"

#include <doctest/doctest.h>

using namespace personad;
using namespace std::chrono_literals;

TEST_CASE("a percentile is at most about six per cent above the true one") {
  Latency latency;
  CHECK(latency.percentile_us(0.5) == 0);
  for (int i = 1; i <= 1000; ++i) latency.add(std::chrono::microseconds(i));
  CHECK(latency.count() == 1000);
  CHECK(latency.percentile_us(0.5) >= 500);
  CHECK(latency.percentile_us(0.5) <= 535);
  CHECK(latency.percentile_us(0.99) >= 990);
  CHECK(latency.percentile_us(0.99) <= 1000);
  CHECK(latency.max_us() == 1000);
}

TEST_CASE("nothing is too short or too long to be counted") {
  Latency latency;
  latency.add(-5ns);
  latency.add(0ns);
  latency.add(24h);
  CHECK(latency.count() == 3);
  CHECK(latency.percentile_us(1) == latency.max_us());
}
