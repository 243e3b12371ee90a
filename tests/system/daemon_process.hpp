#pragma once
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "tests/system/child_process.hpp"
#include "tests/system/notifications.hpp"
#include "tests/system/temporary_folder.hpp"

namespace system_tests {

/// How long anything that should happen is waited for, on a machine that does other things too.
inline constexpr std::chrono::seconds kPatience{20};

/// What personad is started with.
struct DaemonSettings {
  std::string bus_url;  ///< empty: an embedded bus on a free port
  nlohmann::json configuration = nlohmann::json::object();
  std::map<std::string, nlohmann::json> personas;  ///< file name (without .json) -> content
  std::filesystem::path data_dir;                  ///< empty: in the daemon's own folder
  std::filesystem::path mycroft_conf;              ///< empty: none of the user's
  std::vector<std::string> wrapper;                ///< a command that the daemon's own is appended to
  bool give_bus = true;                            ///< false: neither --bus nor --embedded-bus
};

/// The real personad, running, with folders of its own; ended and cleaned up with the object.
///
/// `start` returns once it has said READY=1. Errors: throws, with its log, when it does not start or
/// says nothing: that ends the test.
class DaemonProcess {
 public:
  explicit DaemonProcess(DaemonSettings settings = {});

  void start();
  void kill9();
  /// SIGTERM; the exit code, or nothing when it did not end in time.
  std::optional<int> terminate(std::chrono::milliseconds limit = kPatience);
  /// SIGHUP, and waits until it says that it is ready again.
  void reload();

  [[nodiscard]] bool running() const { return process_ && process_->running(); }
  [[nodiscard]] pid_t pid() const { return process_->pid(); }
  /// From the start of the process to READY=1.
  [[nodiscard]] std::chrono::microseconds ready_after() const { return ready_after_; }

  [[nodiscard]] const std::string& url() const { return settings_.bus_url; }
  [[nodiscard]] const std::filesystem::path& folder() const { return folder_.path(); }
  [[nodiscard]] std::filesystem::path data_dir() const;
  [[nodiscard]] std::filesystem::path personas_dir() const { return folder_.path() / "personas"; }
  [[nodiscard]] std::filesystem::path admin_socket() const { return folder_.path() / "admin.sock"; }
  [[nodiscard]] std::filesystem::path configuration_file() const { return folder_.path() / "personad.conf"; }
  [[nodiscard]] std::string log() const;
  bool await_log(std::string_view words, std::chrono::milliseconds limit = kPatience) const;

 private:
  void await_notice(std::string_view line);
  [[nodiscard]] std::vector<std::string> command() const;
  [[nodiscard]] std::vector<std::string> environment() const;

  TemporaryFolder folder_;
  Notifications notifications_;
  DaemonSettings settings_;
  bool embedded_;
  std::unique_ptr<ChildProcess> process_;
  std::chrono::microseconds ready_after_{0};
};

/// What a program said and how it ended.
struct Ran {
  int exit_code = -1;
  std::string out;
  std::string err;
};
/// Runs a program to its end, with a home folder that is empty and gone afterwards.
[[nodiscard]] Ran run_to_end(std::vector<std::string> command);

/// A port of 127.0.0.1 that nobody listens on at the moment.
[[nodiscard]] std::uint16_t free_port();

/// Looks at `condition` until it holds; false when `limit` passes before.
bool eventually(const std::function<bool()>& condition, std::chrono::milliseconds limit = kPatience);

}  // namespace system_tests
