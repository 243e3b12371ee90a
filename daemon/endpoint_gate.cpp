#include "daemon/endpoint_gate.hpp"

#include <algorithm>
#include <utility>

namespace personad {
namespace {

using persona::ModelError;
using std::chrono::milliseconds;
using std::chrono::seconds;

/// Whether another call would fail in the same way just now.
bool tells_of_endpoint(ModelError::Kind kind) {
  using Kind = ModelError::Kind;
  return kind == Kind::unreachable || kind == Kind::timed_out || kind == Kind::overloaded || kind == Kind::failed;
}

/// Whether the endpoint was not asked at all.
bool tells_of_us(ModelError::Kind kind) {
  return kind == ModelError::Kind::misconfigured || kind == ModelError::Kind::closed;
}

}  // namespace

EndpointGate::EndpointGate(Settings settings, bus::Backoff::Uniform uniform)
    : settings_(settings), backoff_(settings.backoff, std::move(uniform)) {}

EndpointGate::Entry EndpointGate::enter(TimePoint now, std::size_t waiting) const {
  if (down_ && now < try_at_) return Entry::down;
  if (waiting == 0 && has_room(now)) return Entry::runs;
  return waiting < settings_.most_waiting ? Entry::waits : Entry::full;
}

bool EndpointGate::has_room(TimePoint now) const {
  if (down_) return now >= try_at_ && running_ == 0;
  return running_ < settings_.most_running;
}

EndpointGate::Change EndpointGate::ended(TimePoint now, const std::optional<ModelError>& problem) {
  --running_;
  ++calls_;
  if (problem) {
    ++failures_;
    last_error_ = problem->words;
    if (tells_of_endpoint(problem->kind)) return failed(now, *problem);
    if (tells_of_us(problem->kind)) return Change::none;
  }
  return std::exchange(down_, false) ? Change::works_again : Change::none;
}

EndpointGate::Change EndpointGate::failed(TimePoint now, const ModelError& problem) {
  const bool was_down = std::exchange(down_, true);
  why_down_ = problem;
  const seconds asked = problem.retry_after.value_or(seconds(0));
  if (was_down && now < try_at_) {
    // It ran beside the call that found out: the same failure, not another one.
    try_at_ = std::max(try_at_, now + asked);
    return Change::still_down;
  }
  const milliseconds wait = backoff_.after_failure(was_down ? milliseconds(0) : settings_.backoff.healthy);
  try_at_ = now + std::max<milliseconds>(wait, asked);
  return was_down ? Change::still_down : Change::went_down;
}

ModelError EndpointGate::reason(TimePoint now) const {
  ModelError error = why_down_;
  error.retry_after = std::chrono::ceil<seconds>(until_tried(now));
  return error;
}

milliseconds EndpointGate::until_tried(TimePoint now) const {
  return down_ && now < try_at_ ? std::chrono::ceil<milliseconds>(try_at_ - now) : milliseconds(0);
}

}  // namespace personad
