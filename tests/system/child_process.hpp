#pragma once
#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace system_tests {

/// A program that a test started. It never outlives the test: not when the test fails, not when the test is killed.
///
/// Errors: throws std::system_error when the program cannot be started.
class ChildProcess {
 public:
  struct Start {
    std::vector<std::string> command;      ///< the program's path first
    std::vector<std::string> environment;  ///< NAME=value; all there is
    std::filesystem::path stdout_file;     ///< appended to
    std::filesystem::path stderr_file;     ///< appended to
  };
  explicit ChildProcess(const Start& start);
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  [[nodiscard]] pid_t pid() const { return pid_; }
  void signal(int number) const;
  /// The exit code (128 + number when a signal ended it); nothing when it still runs after `limit`.
  std::optional<int> wait(std::chrono::milliseconds limit);
  [[nodiscard]] bool running();

 private:
  pid_t pid_ = -1;
  int watched_ = -1;  // a pidfd: readable once the process has ended
  std::optional<int> exit_code_;
};

}  // namespace system_tests
