#include "bus/outbox.hpp"

#include <utility>

namespace bus {

bool Outbox::push(Frame frame, TimePoint now) {
  const std::size_t size = frame->size();
  if (!frames_.empty() && (size > max_bytes_ || bytes_ > max_bytes_ - size)) return false;
  bytes_ += size;
  frames_.push_back({std::move(frame), now});
  return true;
}

std::size_t Outbox::push_dropping_oldest(Frame frame, TimePoint now) {
  const std::size_t size = frame->size();
  std::size_t dropped = 0;
  while (!frames_.empty() && (size > max_bytes_ || bytes_ > max_bytes_ - size)) {
    pop();
    ++dropped;
  }
  bytes_ += size;
  frames_.push_back({std::move(frame), now});
  return dropped;
}

std::size_t Outbox::drop_older_than(TimePoint then) {
  std::size_t dropped = 0;
  while (!frames_.empty() && frames_.front().since < then) {
    pop();
    ++dropped;
  }
  return dropped;
}

void Outbox::clear() {
  frames_.clear();
  bytes_ = 0;
}

void Outbox::pop() {
  bytes_ -= frames_.front().frame->size();
  frames_.pop_front();
}

}  // namespace bus
