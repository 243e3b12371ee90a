#include "bus/backoff.hpp"

#include <algorithm>
#include <random>
#include <utility>

namespace bus {

Backoff::Backoff(Settings settings, Uniform uniform)
    : settings_(settings), uniform_(std::move(uniform)), ceiling_(std::min(settings.first, settings.most)) {}

Backoff::Uniform Backoff::random() {
  return [engine = std::mt19937_64(std::random_device{}())](std::int64_t most) mutable {
    return std::uniform_int_distribution<std::int64_t>(0, most)(engine);
  };
}

Backoff::Duration Backoff::after_failure(Duration up) {
  if (up >= settings_.healthy) ceiling_ = std::min(settings_.first, settings_.most);
  const Duration wait(uniform_(ceiling_.count()));
  // Compared before doubling: a ceiling set near the type's end must not overflow.
  ceiling_ = ceiling_ > settings_.most / 2 ? settings_.most : ceiling_ * 2;
  return wait;
}

}  // namespace bus
