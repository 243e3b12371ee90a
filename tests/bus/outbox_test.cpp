#include "bus/outbox.hpp"

#include <doctest/doctest.h>

using namespace bus;
using std::chrono::seconds;

namespace {

Frame frame(std::size_t size) {
  return std::make_shared<const std::string>(size, 'x');
}
const Outbox::TimePoint kStart{};

}  // namespace

TEST_CASE("an outbox takes frames up to its bound and refuses the next, unchanged") {
  Outbox box(10);
  CHECK(box.push(frame(4), kStart));
  CHECK(box.push(frame(6), kStart));
  CHECK_FALSE(box.push(frame(1), kStart));
  CHECK(box.size() == 2);
  CHECK(box.bytes() == 10);
  box.pop();
  CHECK(box.bytes() == 6);
  CHECK(box.push(frame(4), kStart));
}

TEST_CASE("an empty outbox takes one frame of any size, and then nothing more") {
  Outbox box(10);
  CHECK(box.push(frame(100), kStart));
  CHECK_FALSE(box.push(frame(1), kStart));
  CHECK_FALSE(box.push(frame(100), kStart));
}

TEST_CASE("dropping the oldest makes room for the newest, in order") {
  Outbox box(10);
  for (const std::size_t size : {3u, 4u, 3u}) CHECK(box.push_dropping_oldest(frame(size), kStart) == 0);
  CHECK(box.push_dropping_oldest(frame(5), kStart) == 2);
  CHECK(box.size() == 2);
  CHECK(box.bytes() == 8);
  CHECK(box.front()->size() == 3);
  CHECK(box.push_dropping_oldest(frame(50), kStart) == 2);
  CHECK(box.front()->size() == 50);
  CHECK(box.push_dropping_oldest(frame(1), kStart) == 1);
  CHECK(box.bytes() == 1);
}

TEST_CASE("frames that waited too long are dropped, younger ones stay") {
  Outbox box(100);
  CHECK(box.push(frame(1), kStart));
  CHECK(box.push(frame(2), kStart + seconds(5)));
  CHECK(box.push(frame(3), kStart + seconds(10)));
  CHECK(box.drop_older_than(kStart + seconds(5)) == 1);
  CHECK(box.front()->size() == 2);
  CHECK(box.drop_older_than(kStart + seconds(60)) == 2);
  CHECK(box.empty());
  CHECK(box.bytes() == 0);
}

TEST_CASE("a cleared outbox is empty") {
  Outbox box(100);
  CHECK(box.push(frame(50), kStart));
  box.clear();
  CHECK(box.empty());
  CHECK(box.bytes() == 0);
}

TEST_CASE("a frame is shared, not copied") {
  const Frame shared = frame(5);
  Outbox one(100);
  Outbox two(100);
  CHECK(one.push(shared, kStart));
  CHECK(two.push(shared, kStart));
  CHECK(one.front().get() == two.front().get());
}
