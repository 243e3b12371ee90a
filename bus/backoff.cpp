#include "bus/backoff.hpp"

#include <algorithm>
#include <utility>

namespace bus {

Backoff::Backoff(Settings settings, Uniform uniform)
    : settings_(settings), uniform_(std::move(uniform)), ceiling_(std::min(settings.first, settings.most)) {}

Backoff::Duration Backoff::after_failure(Duration up) {
  if (up >= settings_.healthy) ceiling_ = std::min(settings_.first, settings_.most);
  const Duration wait(uniform_(ceiling_.count()));
  // Compared before doubling: a ceiling set near the type's end must not overflow.
  ceiling_ = ceiling_ > settings_.most / 2 ? settings_.most : ceiling_ * 2;
  return wait;
}

}  // namespace bus
