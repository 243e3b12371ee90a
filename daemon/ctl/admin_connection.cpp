#include "daemon/ctl/admin_connection.hpp"

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

namespace personad::ctl {
namespace {

using nlohmann::json;
using std::chrono::steady_clock;

Failure gone() {
  return {Exit::no_connection, "personad closed the connection"};
}

}  // namespace

AdminConnection::AdminConnection(std::filesystem::path path) : path_(std::move(path)) {}

AdminConnection::~AdminConnection() {
  if (descriptor_ >= 0) close(descriptor_);
}

Failure AdminConnection::cannot_connect(int error) const {
  std::string words = "cannot connect to the admin socket " + path_.string() + ": " + std::strerror(error) + "\n";
  if (error == EACCES || error == EPERM) {
    words += "The socket is for root and for the user that runs personad: try sudo personactl, or be that user.";
  } else {
    words +=
        "Is personad running? (systemctl status personad, or systemctl --user status personad)\n"
        "Where its socket is, it says at start and in --check-config; name it with --admin-socket PATH.";
  }
  return {Exit::no_connection, std::move(words)};
}

std::optional<Failure> AdminConnection::connect() {
  if (descriptor_ >= 0) return std::nullopt;
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const auto path = path_.string();
  if (path.empty()) {
    return Failure{Exit::no_connection, "it is not known where the admin socket is: name it with --admin-socket PATH"};
  }
  if (path.size() >= sizeof address.sun_path) return cannot_connect(ENAMETOOLONG);
  path.copy(address.sun_path, path.size());
  const int descriptor = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (descriptor < 0) return cannot_connect(errno);
  if (::connect(descriptor, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    const int error = errno;
    close(descriptor);
    return cannot_connect(error);
  }
  descriptor_ = descriptor;
  return std::nullopt;
}

std::optional<Failure> AdminConnection::wait_for(short events, Deadline deadline) const {
  for (;;) {
    int timeout = -1;
    if (deadline) {
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(*deadline - steady_clock::now()).count();
      if (left <= 0) {
        return Failure{Exit::no_connection, "no answer within " + std::to_string(kPatience.count()) +
                                                " seconds; its log may say why (journalctl -u personad)"};
      }
      timeout = static_cast<int>(left);
    }
    pollfd wanted{descriptor_, events, 0};
    const int ready = poll(&wanted, 1, timeout);
    if (ready > 0) return std::nullopt;
    if (ready < 0 && errno != EINTR) return Failure{Exit::no_connection, std::strerror(errno)};
  }
}

std::optional<Failure> AdminConnection::send(std::string_view text, Deadline deadline) {
  while (!text.empty()) {
    if (auto failure = wait_for(POLLOUT, deadline)) return failure;
    const auto sent = ::send(descriptor_, text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0 && (errno == EAGAIN || errno == EINTR)) continue;
    if (sent < 0) return gone();
    text.remove_prefix(static_cast<std::size_t>(sent));
  }
  return std::nullopt;
}

std::optional<Failure> AdminConnection::next_line(std::string& line, Deadline deadline) {
  for (;;) {
    const auto end = buffer_.find('\n', searched_);
    if (end != std::string::npos) {
      line = buffer_.substr(0, end);
      buffer_.erase(0, end + 1);
      searched_ = 0;
      return std::nullopt;
    }
    searched_ = buffer_.size();
    if (auto failure = wait_for(POLLIN, deadline)) return failure;
    std::array<char, 64u << 10> chunk{};
    const auto size = recv(descriptor_, chunk.data(), chunk.size(), MSG_DONTWAIT);
    if (size < 0 && (errno == EAGAIN || errno == EINTR)) continue;
    if (size <= 0) return gone();
    buffer_.append(chunk.data(), static_cast<std::size_t>(size));
  }
}

Reply AdminConnection::ask(std::string_view type, json data) {
  const auto asked = make_request(type, std::move(data));
  const Deadline deadline = steady_clock::now() + kPatience;
  auto failure = connect();
  if (!failure) failure = send(asked.line + '\n', deadline);
  for (std::string line; !failure;) {
    failure = next_line(line, deadline);
    if (failure) break;
    if (auto reply = answer_in(line, asked)) return std::move(*reply);
  }
  return {.result = {}, .failure = std::move(failure)};
}

Failure AdminConnection::tail(const std::string& session_id, const OnTurn& on_turn) {
  auto data = json::object();
  if (!session_id.empty()) data["session_id"] = session_id;
  if (auto reply = ask("personad.tail", std::move(data)); reply.failure) return *reply.failure;
  for (std::string line;;) {
    if (auto failure = next_line(line, std::nullopt)) return *failure;
    const auto message = json::parse(line, nullptr, false);
    if (!message.is_object() || !message.contains("data")) continue;
    const auto& turn = message["data"];
    if (turn.is_object() && message.contains("type") && message["type"] == "personad.turn") on_turn(turn);
  }
}

}  // namespace personad::ctl
