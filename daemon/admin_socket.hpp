#pragma once
#include <boost/asio/io_context.hpp>
#include <boost/system/result.hpp>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace personad {

/// The administration socket: the messages of the bus over a unix stream socket, one JSON object a line.
///
/// The socket file is made with mode 0600 and removed on stop; each peer's user id is checked (SO_PEERCRED): root and
/// our own user only. A stale socket file of a dead process is replaced, a live one is an error.
/// Bounds: `kMaxConnections`; lines of at most `kMaxLineBytes`; `kMaxQueueBytes` of answers waiting for one reader,
/// which is then disconnected. Threading: io thread only. Lifetime: `stop` before destruction.
class AdminSocket {
 public:
  /// Writes lines to one client; safe to call after that client has gone (nothing happens then).
  using Answer = std::function<void(std::string line)>;
  /// One line from a client. `answer` may be kept and called later, any number of times.
  using OnLine = std::function<void(std::string_view line, const Answer& answer, std::uint64_t client)>;
  /// A client has gone: what was kept for it can be dropped.
  using OnGone = std::function<void(std::uint64_t client)>;

  AdminSocket(boost::asio::io_context& io, std::filesystem::path path, OnLine on_line, OnGone on_gone);
  ~AdminSocket();
  AdminSocket(const AdminSocket&) = delete;
  AdminSocket& operator=(const AdminSocket&) = delete;

  /// Errors: in words, naming the path (folder missing and not creatable, another process listens there, too long a
  /// path).
  [[nodiscard]] boost::system::result<void, std::string> listen();
  void stop();

  static constexpr std::size_t kMaxConnections = 32;
  static constexpr std::size_t kMaxLineBytes = 32u << 20;
  static constexpr std::size_t kMaxQueueBytes = 16u << 20;

 private:
  class Server;
  std::shared_ptr<Server> server_;
};

}  // namespace personad
