#include "bus/echo_filter.hpp"

#include <functional>

namespace bus {
namespace {

std::uint64_t hash_of(std::string_view frame) {
  return std::hash<std::string_view>{}(frame);
}

}  // namespace

void EchoFilter::sent(std::string_view frame, TimePoint now) {
  forget_old(now);
  if (order_.size() == kMaxRemembered) forget_oldest();
  const std::uint64_t hash = hash_of(frame);
  order_.push_back({hash, now});
  ++counts_[hash].waiting;
}

bool EchoFilter::is_echo(std::string_view frame, TimePoint now) {
  forget_old(now);
  if (counts_.empty()) return false;
  const auto found = counts_.find(hash_of(frame));
  if (found == counts_.end() || found->second.waiting == 0) return false;
  --found->second.waiting;
  ++found->second.came_back;
  return true;
}

void EchoFilter::clear() {
  order_.clear();
  counts_.clear();
}

void EchoFilter::forget_old(TimePoint now) {
  while (!order_.empty() && now - order_.front().at > kKeep) forget_oldest();
}

void EchoFilter::forget_oldest() {
  const auto found = counts_.find(order_.front().hash);
  order_.pop_front();
  Count& count = found->second;
  --(count.came_back > 0 ? count.came_back : count.waiting);
  if (count.came_back == 0 && count.waiting == 0) counts_.erase(found);
}

}  // namespace bus
