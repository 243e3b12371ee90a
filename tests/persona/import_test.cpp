#include "persona/import.hpp"

#include <doctest/doctest.h>

using namespace persona;
using namespace std::chrono_literals;

TEST_CASE("a running import is told of every few seconds, and once at its end") {
  ImportProgress progress;
  ImportProgress::Time now(1000s);
  CHECK_FALSE(progress.due());
  CHECK_FALSE(progress.end(now));
  int lines = 0;
  for (int i = 0; i < 120; ++i, now += 100ms) {
    if (progress.add(10, 5, now)) ++lines;
    CHECK_FALSE(progress.end(now));
  }
  CHECK(lines == 2);
  REQUIRE(progress.due());
  CHECK_FALSE(progress.end(*progress.due() - 1ms));
  const auto end = progress.end(*progress.due());
  REQUIRE(end);
  CHECK(*end == "import: 1200 records in all, 600 skipped, in 11.9 s");
  CHECK_FALSE(progress.due());
  CHECK_FALSE(progress.end(now + 1h));

  // The next one counts from its own beginning.
  now += 1h;
  CHECK_FALSE(progress.add(1, 2, now));
  CHECK(progress.end(now + 3s) == "import: 1 records in all, 2 skipped, in 0.0 s");
  CHECK(progress.imported() == 1201);
  CHECK(progress.skipped() == 602);
}
