#include "tests/system/admin_client.hpp"

#include <doctest/doctest.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cstring>

namespace system_tests {

using nlohmann::json;

AdminClient::AdminClient(const std::filesystem::path& socket) {
  descriptor_ = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, socket.c_str(), sizeof address.sun_path - 1);
  REQUIRE(connect(descriptor_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
}

AdminClient::~AdminClient() {
  close(descriptor_);
}

void AdminClient::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const auto sent = send(descriptor_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return;  // the daemon has closed: what is read tells
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
}

std::optional<std::string> AdminClient::read_line(std::chrono::milliseconds limit) {
  const auto end = std::chrono::steady_clock::now() + limit;
  for (;;) {
    if (const auto newline = read_.find('\n'); newline != std::string::npos) {
      std::string line = read_.substr(0, newline);
      read_.erase(0, newline + 1);
      return line;
    }
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
    pollfd readable{descriptor_, POLLIN, 0};
    if (left.count() <= 0 || poll(&readable, 1, static_cast<int>(left.count())) <= 0) return std::nullopt;
    std::array<char, 65536> buffer;
    const auto size = recv(descriptor_, buffer.data(), buffer.size(), 0);
    if (size <= 0) return std::nullopt;
    read_.append(buffer.data(), static_cast<std::size_t>(size));
  }
}

json AdminClient::ask(std::string_view topic, json request) {
  const json message{{"type", topic}, {"data", std::move(request)}};
  write(message.dump() + "\n");
  const std::string wanted = std::string(topic) + ".response";
  while (const auto line = read_line()) {
    json answer = json::parse(*line, nullptr, false);
    REQUIRE_FALSE(answer.is_discarded());
    if (answer["type"] == wanted) return std::move(answer["data"]);
  }
  FAIL("no answer to ", topic, " on the admin socket");
  return {};
}

}  // namespace system_tests
