#include "persona/ids.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>

#include "persona/turn.hpp"

namespace persona {
namespace {

using std::chrono::milliseconds;
using std::chrono::system_clock;

system_clock::time_point at(std::int64_t unix_milliseconds) {
  return system_clock::time_point(milliseconds(unix_milliseconds));
}

TEST_CASE("an id is 26 characters that cannot be misread for one another") {
  IdSource ids;
  const auto id = ids.next(system_clock::now());
  CHECK(id.size() == 26);
  CHECK(id.find_first_not_of("0123456789ABCDEFGHJKMNPQRSTVWXYZ") == std::string::npos);
}

TEST_CASE("the first ten characters of an id are its millisecond") {
  IdSource ids(1);
  CHECK(ids.next(at(0)).substr(0, 10) == "0000000000");
  CHECK(ids.next(at(1)).substr(0, 10) == "0000000001");
  CHECK(ids.next(at(33)).substr(0, 10) == "0000000011");
  CHECK(ids.next(at(1469918176385)).substr(0, 10) == "01ARYZ6S41");
  CHECK(ids.next(at(-5)).substr(0, 10) == "0000000000");
}

TEST_CASE("ids sort by the time they were made at") {
  IdSource ids(3);
  std::string before;
  for (std::int64_t ms = 1'700'000'000'000; ms < 1'700'000'005'000; ms += 7) {
    const auto id = ids.next(at(ms));
    CHECK(before < id);
    before = id;
  }
}

TEST_CASE("a hundred thousand ids of one millisecond differ, those of two sources too") {
  IdSource one;
  IdSource two;
  std::set<std::string> seen;
  for (int i = 0; i < 50'000; ++i) {
    seen.insert(one.next(at(1'700'000'000'000)));
    seen.insert(two.next(at(1'700'000'000'000)));
  }
  CHECK(seen.size() == 100'000);
}

TEST_CASE("the same seed gives the same ids") {
  IdSource one(42);
  IdSource two(42);
  IdSource other(43);
  const auto id = one.next(at(5));
  CHECK(id == two.next(at(5)));
  CHECK(id != other.next(at(5)));
}

TEST_CASE("every role has a name and is found by it") {
  for (const auto role : {Role::system, Role::developer, Role::user, Role::assistant, Role::tool}) {
    CHECK(role_named(name(role)) == role);
  }
  CHECK(name(Role::assistant) == "assistant");
  CHECK_FALSE(role_named("").has_value());
  CHECK_FALSE(role_named("User").has_value());
}

TEST_CASE("the memory of a turn grows by the bytes of its texts") {
  Turn turn;
  const auto empty = memory_of(turn);
  turn.content = std::string(1000, 'x');
  turn.meta = std::string(50, 'y');
  CHECK(memory_of(turn) == empty + 1050);
}

}  // namespace
}  // namespace persona
