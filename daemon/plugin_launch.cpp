#include "daemon/plugin_launch.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

// Boost.Filesystem would be one more library to link; the standard's does.
#define BOOST_PROCESS_USE_STD_FS 1
#include <algorithm>
#include <boost/process/args.hpp>
#include <boost/process/async_pipe.hpp>
#include <boost/process/child.hpp>
#include <boost/process/env.hpp>
#include <boost/process/environment.hpp>
#include <boost/process/error.hpp>
#include <boost/process/exe.hpp>
#include <boost/process/extend.hpp>
#include <boost/process/io.hpp>
#include <boost/process/start_dir.hpp>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

namespace personad {

namespace {

namespace asio = boost::asio;
namespace process = boost::process;
using Descriptor = asio::posix::stream_descriptor;

constexpr unsigned kFirstOther = STDERR_FILENO + 1;
constexpr long kMostDescriptors = 1 << 16;

// boost::process::limit_handles would close the pipe that tells us of a failed exec as well.
void close_others_at_exec() {
  if (close_range(kFirstOther, ~0u, CLOSE_RANGE_CLOEXEC) == 0) return;
  const long most = std::min(sysconf(_SC_OPEN_MAX), kMostDescriptors);
  for (int descriptor = kFirstOther; descriptor < most; ++descriptor) fcntl(descriptor, F_SETFD, FD_CLOEXEC);
}

/// Between fork and exec: only calls that are safe there.
void prepare_child(pid_t parent) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(EXIT_FAILURE);  // it ended before the line above
  // An ignored signal stays ignored in the program; a caught one does not.
  for (const int number : {SIGPIPE, SIGINT, SIGTERM, SIGHUP, SIGCHLD}) signal(number, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  close_others_at_exec();
}

process::environment environment_of_child() {
  process::environment environment = boost::this_process::environment();
  for (const char* name : {"NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID", "LISTEN_FDS", "LISTEN_PID",
                           "LISTEN_FDNAMES", "INVOCATION_ID", "JOURNAL_STREAM"}) {
    environment.erase(name);
  }
  return environment;
}

Descriptor own_end(asio::io_context& io, Descriptor&& end) {
  fcntl(end.native_handle(), F_SETFD, FD_CLOEXEC);
  Descriptor own(io, end.release());
  own.non_blocking(true);
  return own;
}

std::string said(const std::filesystem::path& program, int error) {
  return program.string() + " cannot be started: " + std::strerror(error);
}

}  // namespace

boost::system::result<LaunchedPlugin, std::string> launch_plugin(asio::io_context& io,
                                                                 const std::filesystem::path& program) try {
  process::async_pipe input(io), output(io), errors(io);
  pid_t failed = -1;
  std::error_code error;
  const auto prepare = [parent = getpid()](auto&) { prepare_child(parent); };
  const auto note = [&failed](auto& executor, const std::error_code&) { failed = executor.pid; };
  process::child child(process::exe = program.string(), environment_of_child(), process::start_dir = "/",
                       process::std_in<input, process::std_out> output, process::std_err > errors,
                       process::extend::on_exec_setup = prepare, process::extend::on_error = note, error);
  if (error) {
    if (failed > 0) waitpid(failed, nullptr, 0);  // it is about to end, having said why
    return said(program, error.value());
  }
  const pid_t pid = child.id();
  child.detach();
  const int watched = static_cast<int>(syscall(SYS_pidfd_open, pid, 0u));
  if (watched < 0) {
    const int why = errno;
    kill(-pid, SIGKILL);
    waitpid(pid, nullptr, 0);
    return said(program, why);
  }
  Descriptor exit(io, watched);
  return LaunchedPlugin{pid, own_end(io, std::move(input).sink()), own_end(io, std::move(output).source()),
                        own_end(io, std::move(errors).source()), std::move(exit)};
} catch (const std::exception& failure) {
  // No descriptors left, no memory to fork: of the machine, not of the program.
  return program.string() + " cannot be started: " + failure.what();
}

}  // namespace personad
