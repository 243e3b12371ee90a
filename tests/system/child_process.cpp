#include "tests/system/child_process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <system_error>

namespace system_tests {
namespace {

std::vector<char*> pointers_to(const std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (const std::string& text : texts) pointers.push_back(const_cast<char*>(text.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

// Between fork and exec only what is safe after a fork of a process with threads.
[[noreturn]] void become(const std::vector<char*>& arguments, const std::vector<char*>& environment, const char* out,
                         const char* err, pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(127);
  const int null = open("/dev/null", O_RDONLY);
  const int out_file = open(out, O_WRONLY | O_CREAT | O_APPEND, 0600);
  const int err_file = open(err, O_WRONLY | O_CREAT | O_APPEND, 0600);
  dup2(null, STDIN_FILENO);
  dup2(out_file, STDOUT_FILENO);
  dup2(err_file, STDERR_FILENO);
  close_range(STDERR_FILENO + 1, ~0U, 0);  // not all libraries mark their sockets as ours alone
  execve(arguments.front(), arguments.data(), environment.data());
  _exit(127);
}

}  // namespace

ChildProcess::ChildProcess(const Start& start) {
  const auto arguments = pointers_to(start.command);
  const auto environment = pointers_to(start.environment);
  const pid_t parent = getpid();
  pid_ = fork();
  if (pid_ < 0) throw std::system_error(errno, std::generic_category(), "fork");
  if (pid_ == 0) become(arguments, environment, start.stdout_file.c_str(), start.stderr_file.c_str(), parent);
  watched_ = static_cast<int>(syscall(SYS_pidfd_open, pid_, 0));
}

ChildProcess::~ChildProcess() {
  if (running()) {
    signal(SIGKILL);
    (void)wait(std::chrono::seconds(10));
  }
  if (watched_ >= 0) close(watched_);
}

void ChildProcess::signal(int number) const {
  if (!exit_code_) kill(pid_, number);
}

std::optional<int> ChildProcess::wait(std::chrono::milliseconds limit) {
  if (exit_code_) return exit_code_;
  const auto end = std::chrono::steady_clock::now() + limit;
  for (;;) {
    int status = 0;
    if (waitpid(pid_, &status, WNOHANG) == pid_) {
      exit_code_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
      return exit_code_;
    }
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
    if (left.count() <= 0) return std::nullopt;
    pollfd ended{watched_, POLLIN, 0};
    poll(&ended, 1, static_cast<int>(std::max<std::chrono::milliseconds::rep>(left.count(), 1)));
  }
}

bool ChildProcess::running() {
  return pid_ > 0 && !wait(std::chrono::milliseconds(0));
}

}  // namespace system_tests
