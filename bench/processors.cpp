#include "bench/processors.hpp"

#include <filesystem>

namespace bench {
namespace {

constexpr const char* kTaskset = "/usr/bin/taskset";

}  // namespace

Apart::Apart() {
  CPU_ZERO(&before_);
  sched_getaffinity(0, sizeof before_, &before_);
  std::vector<int> usable;
  for (int i = 0; i < CPU_SETSIZE; ++i) {
    if (CPU_ISSET(i, &before_)) usable.push_back(i);
  }
  if (usable.size() < 2 || !std::filesystem::exists(kTaskset)) return;
  cpu_set_t ours;
  CPU_ZERO(&ours);
  CPU_SET(usable[1], &ours);
  if (sched_setaffinity(0, sizeof ours, &ours) == 0) other_ = {kTaskset, "-c", std::to_string(usable[0])};
}

Apart::~Apart() {
  leave();
}

void Apart::leave() const {
  sched_setaffinity(0, sizeof before_, &before_);
}

}  // namespace bench
