#include "bench/bus_connection.hpp"

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>

namespace bench {
namespace {

constexpr std::uint8_t kText = 1, kClose = 8, kPing = 9, kPong = 10;
constexpr std::size_t kReadBytes = 256u << 10;

[[noreturn]] void fail(const std::string& what) {
  throw std::runtime_error("bus connection: " + what + (errno != 0 ? std::string(": ") + std::strerror(errno) : ""));
}

void set_option(int descriptor, int option) {
  const int on = 1;
  setsockopt(descriptor, IPPROTO_TCP, option, &on, sizeof on);
}

int connect_to(const std::string& host, const std::string& port) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (getaddrinfo(host.c_str(), port.c_str(), &hints, &found) != 0) fail("no such host " + host);
  const int descriptor = socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int connected = connect(descriptor, found->ai_addr, found->ai_addrlen);
  freeaddrinfo(found);
  if (connected != 0) {
    close(descriptor);
    fail("cannot connect to " + host + ":" + port);
  }
  return descriptor;
}

std::uint64_t big_endian(const char* bytes, int count) {
  std::uint64_t value = 0;
  for (int i = 0; i < count; ++i) value = value << 8 | static_cast<unsigned char>(bytes[i]);
  return value;
}

}  // namespace

BusConnection::BusConnection(std::string_view url) : buffer_(2 * kReadBytes) {
  constexpr std::string_view kScheme = "ws://";
  errno = 0;
  if (!url.starts_with(kScheme)) fail("not a ws:// URL");
  url.remove_prefix(kScheme.size());
  const auto slash = url.find('/');
  const auto colon = url.find(':');
  if (slash == std::string_view::npos || colon > slash) fail("expected ws://HOST:PORT/ROUTE");
  const std::string host(url.substr(0, colon));
  const std::string port(url.substr(colon + 1, slash - colon - 1));
  descriptor_ = connect_to(host, port);
  set_option(descriptor_, TCP_NODELAY);
  handshake(host, port, std::string(url.substr(slash)));
}

BusConnection::~BusConnection() {
  close(descriptor_);
}

void BusConnection::handshake(const std::string& host, const std::string& port, const std::string& route) {
  write_all("GET " + route + " HTTP/1.1\r\nHost: " + host + ":" + port +
            "\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"
            "Sec-WebSocket-Version: 13\r\n\r\n");
  for (;;) {
    pollfd readable{descriptor_, POLLIN, 0};
    if (poll(&readable, 1, 10000) <= 0 || !fill()) fail("no answer to the handshake");
    const std::string_view head(buffer_.data(), end_);
    const auto ends = head.find("\r\n\r\n");
    if (ends == std::string_view::npos) continue;
    if (head.find(" 101 ") > head.find("\r\n")) fail("refused: " + std::string(head.substr(0, head.find("\r\n"))));
    begin_ = ends + 4;
    return;
  }
}

void BusConnection::write_all(std::string_view bytes) {
  while (!bytes.empty()) {
    const auto sent = ::send(descriptor_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) fail("cannot write");
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
}

// A mask of zeros is a mask: the server unmasks what it does not change, at its usual cost.
void BusConnection::write_frame(std::uint8_t opcode, std::string_view payload) {
  out_.clear();
  out_ += static_cast<char>(0x80 | opcode);
  const std::size_t size = payload.size();
  const int length_bytes = size < 126 ? 0 : size < 65536 ? 2 : 8;
  out_ += static_cast<char>(0x80 | (length_bytes == 0 ? size : length_bytes == 2 ? 126u : 127u));
  for (int i = length_bytes - 1; i >= 0; --i) out_ += static_cast<char>(size >> (8 * i));
  out_.append(4, '\0');
  out_ += payload;
  write_all(out_);
}

void BusConnection::send(std::string_view text) {
  write_frame(kText, text);
}

bool BusConnection::fill() {
  if (begin_ == end_) begin_ = end_ = 0;
  if (buffer_.size() - end_ < kReadBytes) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
    if (buffer_.size() - end_ < kReadBytes) buffer_.resize(2 * buffer_.size());
  }
  const auto size = recv(descriptor_, buffer_.data() + end_, buffer_.size() - end_, MSG_DONTWAIT);
  if (size == 0) fail("the server closed it");
  if (size < 0 && errno != EAGAIN && errno != EINTR) fail("cannot read");
  set_option(descriptor_, TCP_QUICKACK);
  if (size > 0) end_ += static_cast<std::size_t>(size);
  return size > 0;
}

std::optional<std::string_view> BusConnection::next_frame(std::uint8_t& opcode) {
  const std::size_t available = end_ - begin_;
  const char* at = buffer_.data() + begin_;
  if (available < 2) return std::nullopt;
  if ((at[0] & 0x80) == 0) fail("a fragmented frame");
  const auto short_length = static_cast<std::uint8_t>(at[1]) & 0x7fu;
  const std::size_t head = short_length == 126 ? 4 : short_length == 127 ? 10 : 2;
  if (available < head) return std::nullopt;
  const std::uint64_t size = head == 2 ? short_length : big_endian(at + 2, static_cast<int>(head - 2));
  if (available - head < size) return std::nullopt;
  opcode = static_cast<std::uint8_t>(at[0]) & 0x0f;
  begin_ += head + size;
  return std::string_view(at + head, size);
}

std::optional<std::string_view> BusConnection::received() {
  std::uint8_t opcode = 0;
  while (const auto payload = next_frame(opcode)) {
    if (opcode == kText) return payload;
    if (opcode == kPing) write_frame(kPong, *payload);
    errno = 0;
    if (opcode == kClose) fail("the server closed it");
  }
  return std::nullopt;
}

std::size_t BusConnection::discard() {
  std::size_t frames = 0;
  do {
    while (received()) ++frames;
  } while (fill());
  return frames;
}

std::optional<std::string_view> BusConnection::receive(std::chrono::nanoseconds limit) {
  const auto end = std::chrono::steady_clock::now() + limit;
  for (;;) {
    if (const auto frame = received()) return frame;
    const auto left = end - std::chrono::steady_clock::now();
    pollfd readable{descriptor_, POLLIN, 0};
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(left);
    const timespec wait{static_cast<time_t>(seconds.count()),
                        static_cast<long>(std::chrono::nanoseconds(left - seconds).count())};
    if (left.count() <= 0 || ppoll(&readable, 1, &wait, nullptr) <= 0) return std::nullopt;
    fill();
  }
}

}  // namespace bench
