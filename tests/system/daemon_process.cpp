#include "tests/system/daemon_process.hpp"

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include <csignal>
#include <random>
#include <stdexcept>
#include <system_error>
#include <thread>

namespace system_tests {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

// Nothing of whoever runs the tests: no configuration, no personas, no bus of theirs.
std::vector<std::string> clean_environment(const fs::path& home) {
  std::vector<std::string> variables{"HOME=" + home.string(), "PATH=/usr/bin:/bin", "LC_ALL=C.UTF-8"};
  for (const char* name : {"CONFIG", "DATA", "RUNTIME"}) {
    const std::string folder = name == std::string("RUNTIME") ? "_DIR=" : "_HOME=";
    variables.push_back("XDG_" + std::string(name) + folder + (home / name).string());
  }
  return variables;
}

}  // namespace

bool eventually(const std::function<bool()>& condition, std::chrono::milliseconds limit) {
  constexpr std::chrono::milliseconds kLookEvery{2};
  const auto end = Clock::now() + limit;
  while (!condition()) {
    if (Clock::now() > end) return false;
    std::this_thread::sleep_for(kLookEvery);
  }
  return true;
}

// Not one of those that the system gives to outgoing connections: it could be given away before it is used.
std::uint16_t free_port() {
  constexpr std::uint16_t kFirst = 20000, kLast = 32000;
  static std::mt19937 random{std::random_device{}()};
  std::uniform_int_distribution<std::uint16_t> any(kFirst, kLast);
  for (int tries = 0; tries < 1000; ++tries) {
    const std::uint16_t port = any(random);
    const int probe = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(port);
    const bool bound = bind(probe, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
    close(probe);
    if (bound) return port;
  }
  throw std::runtime_error("no free port");
}

Ran run_to_end(std::vector<std::string> command) {
  const TemporaryFolder folder;
  const fs::path out = folder.path() / "out";
  const fs::path err = folder.path() / "err";
  ChildProcess process({std::move(command), clean_environment(folder.path()), out, err});
  const auto code = process.wait(kPatience);
  if (!code) throw std::runtime_error("it does not end");
  return {*code, read_file(out), read_file(err)};
}

DaemonProcess::DaemonProcess(DaemonSettings settings)
    : notifications_(folder_.path() / "notify"), settings_(std::move(settings)), embedded_(settings_.bus_url.empty()) {
  if (embedded_ && settings_.give_bus) {
    settings_.bus_url = "ws://127.0.0.1:" + std::to_string(free_port()) + "/core";
  }
  write_file(configuration_file(), settings_.configuration.dump(2));
  fs::create_directories(personas_dir());
  for (const auto& [name, persona] : settings_.personas) {
    write_file(personas_dir() / (name + ".json"), persona.dump(2));
  }
  start();
}

fs::path DaemonProcess::data_dir() const {
  return settings_.data_dir.empty() ? folder_.path() / "data" : settings_.data_dir;
}

std::vector<std::string> DaemonProcess::command() const {
  std::vector<std::string> command = settings_.wrapper;
  command.insert(command.end(),
                 {PERSONAD_BIN, "--config", configuration_file().string(), "--data-dir", data_dir().string(),
                  "--personas", personas_dir().string(), "--admin-socket", admin_socket().string()});
  if (!settings_.give_bus) return command;
  if (embedded_) {
    const std::string address = settings_.bus_url.substr(std::string("ws://").size());
    command.insert(command.end(), {"--embedded-bus", address.substr(0, address.find('/'))});
  } else {
    command.insert(command.end(), {"--bus", settings_.bus_url});
  }
  return command;
}

std::vector<std::string> DaemonProcess::environment() const {
  auto variables = clean_environment(folder_.path() / "home");
  variables.push_back("NOTIFY_SOCKET=" + notifications_.socket().string());
  return variables;
}

void DaemonProcess::start() {
  if (running()) throw std::logic_error("it runs already");
  notifications_.clear();
  if (!settings_.mycroft_conf.empty()) {
    write_file(folder_.path() / "home" / "CONFIG" / "mycroft" / "mycroft.conf", read_file(settings_.mycroft_conf));
  }
  const auto began = Clock::now();
  process_ = std::make_unique<ChildProcess>(
      ChildProcess::Start{command(), environment(), folder_.path() / "out", folder_.path() / "log"});
  await_notice("READY=1");
  ready_after_ = std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - began);
}

void DaemonProcess::kill9() {
  process_->signal(SIGKILL);
  if (process_->wait(kPatience) != 128 + SIGKILL) throw std::runtime_error("it had ended before:\n" + log());
}

std::optional<int> DaemonProcess::terminate(std::chrono::milliseconds limit) {
  process_->signal(SIGTERM);
  return process_->wait(limit);
}

void DaemonProcess::reload() {
  notifications_.clear();
  process_->signal(SIGHUP);
  await_notice("RELOADING=1");
  await_notice("READY=1");
}

void DaemonProcess::await_notice(std::string_view line) {
  if (notifications_.await(line, kPatience, [this] { return process_->running(); })) return;
  throw std::runtime_error("it never said " + std::string(line) + "; its log:\n" + log());
}

std::string DaemonProcess::log() const {
  return read_file(folder_.path() / "log");
}

bool DaemonProcess::await_log(std::string_view words, std::chrono::milliseconds limit) const {
  return eventually([&] { return log().find(words) != std::string::npos; }, limit);
}

}  // namespace system_tests
