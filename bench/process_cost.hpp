#pragma once
#include <sys/types.h>

namespace bench {

/// What a process holds and has used, as the kernel counts it.
struct ProcessCost {
  double private_dirty_mb = 0;
  double resident_mb = 0;
  double user_seconds = 0;
  double system_seconds = 0;

  [[nodiscard]] static ProcessCost of(pid_t pid);
};

/// The share of all processors (0 to 1) that is busy at the moment, looked at for a second.
[[nodiscard]] double busy_share();

}  // namespace bench
