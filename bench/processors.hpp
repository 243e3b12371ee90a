#pragma once
#include <sched.h>

#include <string>
#include <vector>

namespace bench {

/// Keeps this process on one processor, and gives others another one, so that a round trip measures programs and not
/// the moods of a scheduler that puts them onto one processor or two. Where there is one processor only, does nothing.
class Apart {
 public:
  Apart();
  ~Apart();
  Apart(const Apart&) = delete;
  Apart& operator=(const Apart&) = delete;

  /// A command that runs another one on the other processor; empty where there is none.
  [[nodiscard]] const std::vector<std::string>& other() const { return other_; }
  /// Undoes it for this process alone: for one that was forked.
  void leave() const;

 private:
  cpu_set_t before_;
  std::vector<std::string> other_;
};

}  // namespace bench
