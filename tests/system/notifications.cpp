#include "tests/system/notifications.hpp"

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <system_error>

namespace system_tests {

Notifications::Notifications(const std::filesystem::path& socket) : socket_(socket) {
  descriptor_ = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, socket_.c_str(), sizeof address.sun_path - 1);
  if (bind(descriptor_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    throw std::system_error(errno, std::generic_category(), socket_.string());
  }
}

Notifications::~Notifications() {
  close(descriptor_);
}

std::string Notifications::receive() {
  std::array<char, 4096> buffer;
  const auto size = recv(descriptor_, buffer.data(), buffer.size(), 0);
  return size > 0 ? std::string(buffer.data(), static_cast<std::size_t>(size)) : std::string();
}

bool Notifications::await(std::string_view line, std::chrono::milliseconds limit, const std::function<bool()>& alive) {
  constexpr int kLookEvery = 100;  // milliseconds, at whether the sender is still there
  const auto end = std::chrono::steady_clock::now() + limit;
  while (std::chrono::steady_clock::now() < end && alive()) {
    pollfd readable{descriptor_, POLLIN, 0};
    if (poll(&readable, 1, kLookEvery) <= 0) continue;
    for (std::string message = receive(); !message.empty(); message = receive()) {
      if (("\n" + message + "\n").find("\n" + std::string(line) + "\n") != std::string::npos) return true;
    }
  }
  return false;
}

void Notifications::clear() {
  while (!receive().empty()) {
  }
}

}  // namespace system_tests
