#include "daemon/latency.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace personad {

void Latency::add(std::chrono::nanoseconds took) {
  const auto nanoseconds = static_cast<std::uint64_t>(std::max<std::int64_t>(took.count(), 1));
  const auto power = static_cast<unsigned>(std::bit_width(nanoseconds) - 1);
  const std::uint64_t above = nanoseconds - (std::uint64_t{1} << power);
  const auto step = static_cast<unsigned>(power >= 4 ? above >> (power - 4) : above << (4 - power));
  ++buckets_[power * kSteps + std::min(step, kSteps - 1)];
  ++count_;
  max_ = std::max(max_, took);
}

double Latency::percentile_us(double share) const {
  if (count_ == 0) return 0;
  const auto wanted = static_cast<std::uint64_t>(std::ceil(share * static_cast<double>(count_)));
  std::uint64_t seen = 0;
  for (unsigned i = 0; i < buckets_.size(); ++i) {
    seen += buckets_[i];
    if (seen < std::max<std::uint64_t>(wanted, 1)) continue;
    const double edge = std::ldexp(1.0 + (i % kSteps + 1.0) / kSteps, static_cast<int>(i / kSteps));
    return std::min(edge / 1000, max_us());
  }
  return max_us();
}

}  // namespace personad
