#include "bench/round_trips.hpp"

#include <sys/prctl.h>

#include <algorithm>
#include <stdexcept>

namespace bench {
namespace {

constexpr std::chrono::seconds kPatience{30};

}  // namespace

double Trips::per_second() const {
  return static_cast<double>(each.size()) / std::chrono::duration<double>(all).count();
}

double Trips::percentile_us(double share) const {
  if (each.empty()) return 0;
  auto sorted = each;
  const auto at = static_cast<std::size_t>(share * static_cast<double>(sorted.size() - 1));
  std::nth_element(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(at), sorted.end());
  return std::chrono::duration<double, std::micro>(sorted[at]).count();
}

void RoundTrips::ask() {
  const std::uint64_t id = ++asked_;
  const auto frame = questions_[id % questions_.size()].with_id(id);
  open_.emplace(id, Clock::now());
  connection_.send(frame);
}

// Frames of others, our own question among them, cost a look at their first bytes.
void RoundTrips::take_answers(std::chrono::nanoseconds wait, Trips& into) {
  for (auto frame = connection_.receive(wait); frame; frame = connection_.received()) {
    if (!frame->starts_with(questions_.front().answer_begins())) continue;
    const auto now = Clock::now();
    const auto open = open_.find(id_in(*frame));
    if (open == open_.end()) continue;
    into.each.push_back(now - open->second);
    into.answer_bytes = frame->size();
    open_.erase(open);
  }
}

Trips RoundTrips::at_full_speed(std::size_t count, std::size_t in_flight) {
  Trips trips;
  trips.each.reserve(count);
  const auto began = Clock::now();
  std::size_t sent = 0;
  while (trips.each.size() < count) {
    for (; sent < count && open_.size() < in_flight; ++sent) ask();
    const auto before = trips.each.size();
    take_answers(std::chrono::milliseconds(200), trips);
    if (trips.each.size() == before && Clock::now() - began > kPatience) throw std::runtime_error("no answer");
  }
  trips.all = Clock::now() - began;
  return trips;
}

Trips RoundTrips::paced(double per_second, std::chrono::nanoseconds duration) {
  prctl(PR_SET_TIMERSLACK, 1);  // else the kernel wakes us up to 50 us late, and questions leave in bunches
  Trips trips;
  const std::chrono::nanoseconds distance(static_cast<std::int64_t>(1e9 / per_second));
  const auto began = Clock::now();
  for (auto due = began; due < began + duration; due += distance) {
    for (auto now = Clock::now(); now < due; now = Clock::now()) take_answers(due - now, trips);
    ask();
  }
  const auto end = Clock::now();
  while (!open_.empty()) {
    take_answers(std::chrono::milliseconds(200), trips);
    if (Clock::now() - end > kPatience) throw std::runtime_error("an answer is missing");
  }
  trips.all = end - began;
  return trips;
}

}  // namespace bench
