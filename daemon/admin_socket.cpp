#include "daemon/admin_socket.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <cerrno>
#include <cstring>
#include <deque>
#include <map>
#include <nlohmann/json.hpp>

namespace personad {
namespace {

namespace asio = boost::asio;
namespace fs = std::filesystem;
using Local = asio::local::stream_protocol;
using boost::system::error_code;
using Outcome = boost::system::result<void, std::string>;

constexpr auto kLinger = std::chrono::seconds(10);
constexpr auto kAcceptPause = std::chrono::milliseconds(100);
constexpr std::size_t kReadBytes = 64u << 10;
constexpr mode_t kSocketMode = S_IRUSR | S_IWUSR;

std::string error_line(const std::string& what) {
  const nlohmann::json line = {{"type", "personad.error"}, {"data", {{"error", what}}}};
  return line.dump();
}

bool may_connect(int descriptor) {
  ucred peer{};
  socklen_t size = sizeof peer;
  if (getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return false;
  return peer.uid == 0 || peer.uid == geteuid();
}

/// True when the other side has closed altogether, false when it only has nothing more to say.
bool hung_up(int descriptor) {
  pollfd wanted{descriptor, 0, 0};
  return poll(&wanted, 1, 0) > 0 && (wanted.revents & (POLLHUP | POLLERR)) != 0;
}

Outcome make_folder(const fs::path& folder) {
  std::error_code error;
  if (folder.empty() || fs::is_directory(folder, error)) return {};
  fs::create_directories(folder.parent_path(), error);
  if (mkdir(folder.c_str(), S_IRWXU) == 0 || errno == EEXIST) return {};
  return "cannot create the folder " + folder.string() + " of the admin socket: " + std::strerror(errno);
}

/// Makes room at `path`: a socket that nobody listens on any more is removed.
Outcome clear_stale(const fs::path& path) {
  struct stat about {};
  if (lstat(path.c_str(), &about) != 0) return {};
  if (!S_ISSOCK(about.st_mode)) return path.string() + " exists and is no socket: remove it or name another path";
  const int probe = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
  const int connected = connect(probe, reinterpret_cast<const sockaddr*>(&address), sizeof address);
  const int why = connected == 0 ? 0 : errno;
  close(probe);
  if (why == ENOENT) return {};
  if (why != ECONNREFUSED) {
    return "another process listens at the admin socket " + path.string() +
           (why == 0 ? ": is a personad running already?" : std::string(": ") + std::strerror(why));
  }
  if (unlink(path.c_str()) == 0) return {};
  return "cannot remove the stale admin socket " + path.string() + ": " + std::strerror(errno);
}

/// One client. Owned by the server's table and by its own pending operations.
class Connection : public std::enable_shared_from_this<Connection> {
 public:
  struct Events {
    std::function<void(std::string_view line)> line;
    std::function<void()> gone;
  };

  explicit Connection(Local::socket socket) : socket_(std::move(socket)), timer_(socket_.get_executor()) {}

  void start(Events events) {
    events_ = std::move(events);
    read();
  }

  /// Says why and ends the connection once that is written.
  void refuse(const std::string& what) {
    refused_ = true;
    pending_.clear();
    send(error_line(what));
    linger();
  }

  void send(std::string line) {
    if (closed_) return;
    // A single answer may be larger than the bound; what is bounded is what piles up behind a slow reader.
    if (waiting_bytes_ > 0 && waiting_bytes_ + line.size() > AdminSocket::kMaxQueueBytes) return close();
    line += '\n';
    waiting_bytes_ += line.size();
    queue_.push_back(std::move(line));
    if (queue_.size() == 1) write();
  }

  /// Ends the connection; `gone` follows from the operation that is pending.
  void close() {
    closed_ = true;
    error_code ignored;
    socket_.close(ignored);
    timer_.cancel();
  }

  /// Ends the connection without telling anybody.
  void drop() {
    events_ = {};
    close();
  }

 private:
  void read() {
    socket_.async_read_some(asio::buffer(buffer_),
                            [self = shared_from_this()](error_code ec, std::size_t size) { self->on_read(ec, size); });
  }

  void on_read(error_code ec, std::size_t size) {
    if (!ec && !refused_) take({buffer_.data(), size});
    if (closed_ || (ec && ec != asio::error::eof)) return gone();
    if (!ec) return read();
    // The client has said all it wants to say, but may still wait for its answers.
    if (hung_up(socket_.native_handle())) return gone();
    socket_.async_wait(Local::socket::wait_error, [self = shared_from_this()](error_code) { self->gone(); });
    linger();
  }

  void take(std::string_view bytes) {
    while (!bytes.empty() && !refused_ && !closed_) {
      const auto newline = bytes.find('\n');
      const auto part = bytes.substr(0, newline);
      if (pending_.size() + part.size() > AdminSocket::kMaxLineBytes) {
        return refuse("too_large: a line may have at most " + std::to_string(AdminSocket::kMaxLineBytes) + " bytes");
      }
      pending_ += part;
      if (newline == std::string_view::npos) return;
      bytes.remove_prefix(newline + 1);
      const auto line = std::exchange(pending_, {});
      if (line.find_first_not_of(" \t\r") != std::string::npos && events_.line) events_.line(line);
    }
  }

  void write() {
    asio::async_write(socket_, asio::buffer(queue_.front()),
                      [self = shared_from_this()](error_code ec, std::size_t) { self->on_written(ec); });
  }

  void on_written(error_code ec) {
    if (ec || closed_) return close();
    waiting_bytes_ -= queue_.front().size();
    queue_.pop_front();
    if (!queue_.empty()) return write();
    if (!refused_) return;
    error_code ignored;
    socket_.shutdown(Local::socket::shutdown_send, ignored);
  }

  void linger() {
    timer_.expires_after(kLinger);
    timer_.async_wait([self = shared_from_this()](error_code ec) {
      if (!ec) self->close();
    });
  }

  void gone() {
    close();
    const auto tell = std::exchange(events_, {}).gone;
    if (tell) tell();
  }

  Local::socket socket_;
  asio::steady_timer timer_;
  Events events_;
  std::array<char, kReadBytes> buffer_{};
  std::string pending_;  ///< of a line whose end has not come yet
  std::deque<std::string> queue_;
  std::size_t waiting_bytes_ = 0;
  bool refused_ = false;
  bool closed_ = false;
};

}  // namespace

/// The listening side. Owned by the AdminSocket and by the pending accept.
class AdminSocket::Server : public std::enable_shared_from_this<Server> {
 public:
  Server(asio::io_context& io, fs::path path, OnLine on_line, OnGone on_gone)
      : acceptor_(io), pause_(io), path_(std::move(path)), on_line_(std::move(on_line)), on_gone_(std::move(on_gone)) {}

  Outcome listen() {
    if (path_.string().size() >= sizeof(sockaddr_un::sun_path)) {
      return "the path of the admin socket is too long (at most " + std::to_string(sizeof(sockaddr_un::sun_path) - 1) +
             " bytes): " + path_.string();
    }
    if (auto made = make_folder(path_.parent_path()); made.has_error()) return made;
    if (auto cleared = clear_stale(path_); cleared.has_error()) return cleared;
    error_code ec;
    acceptor_.open(Local(), ec);
    // The mode of the descriptor is that of the file from its first moment on; a chmod afterwards would be too late.
    if (!ec) fchmod(acceptor_.native_handle(), kSocketMode);
    if (!ec) acceptor_.bind(Local::endpoint(path_.string()), ec);
    if (!ec) remember_file();
    if (!ec) acceptor_.listen(asio::socket_base::max_listen_connections, ec);
    if (ec) return "cannot listen at the admin socket " + path_.string() + ": " + ec.message();
    accept();
    return {};
  }

  void stop() {
    stopped_ = true;
    error_code ignored;
    acceptor_.close(ignored);
    pause_.cancel();
    for (const auto& [client, connection] : std::exchange(connections_, {})) connection->drop();
    on_line_ = nullptr;
    on_gone_ = nullptr;
    remove_file();
  }

 private:
  void remember_file() {
    struct stat about {};
    if (lstat(path_.c_str(), &about) == 0) file_ = {about.st_dev, about.st_ino};
  }

  /// Removes the socket file unless it has been replaced by somebody else's.
  void remove_file() {
    struct stat about {};
    const auto ours = std::exchange(file_, std::nullopt);
    if (!ours || lstat(path_.c_str(), &about) != 0) return;
    if (about.st_dev == ours->first && about.st_ino == ours->second) unlink(path_.c_str());
  }

  void accept() {
    acceptor_.async_accept([self = shared_from_this()](error_code ec, Local::socket socket) {
      if (self->stopped_ || ec == asio::error::operation_aborted) return;
      if (ec) return self->accept_later();
      self->add(std::move(socket));
      self->accept();
    });
  }

  // Out of descriptors or memory: trying again at once would only burn time.
  void accept_later() {
    pause_.expires_after(kAcceptPause);
    pause_.async_wait([self = shared_from_this()](error_code ec) {
      if (!ec && !self->stopped_) self->accept();
    });
  }

  void add(Local::socket socket) {
    const bool allowed = may_connect(socket.native_handle());
    const auto connection = std::make_shared<Connection>(std::move(socket));
    const auto client = ++last_client_;
    const std::weak_ptr<Connection> weak = connection;
    const Answer answer = [weak](std::string line) {
      if (const auto alive = weak.lock()) alive->send(std::move(line));
    };
    if (!allowed || connections_.size() >= kMaxConnections) {
      connection->start({});
      connection->refuse(allowed ? "busy: there are " + std::to_string(kMaxConnections) + " connections already"
                                 : "forbidden: only root and the user of personad may connect");
      return;
    }
    connections_.emplace(client, connection);
    const std::weak_ptr<Server> server = weak_from_this();
    connection->start(
        {.line = [server, answer, client](std::string_view line) { hand_over(server, line, answer, client); },
         .gone = [server, client] { forget(server, client); }});
  }

  static void hand_over(const std::weak_ptr<Server>& weak, std::string_view line, const Answer& answer,
                        std::uint64_t client) {
    const auto self = weak.lock();
    if (!self || !self->on_line_) return;
    const auto call = self->on_line_;  // stays alive when the handler stops the server
    call(line, answer, client);
  }

  static void forget(const std::weak_ptr<Server>& weak, std::uint64_t client) {
    const auto self = weak.lock();
    if (!self) return;
    self->connections_.erase(client);
    const auto call = self->on_gone_;
    if (call) call(client);
  }

  Local::acceptor acceptor_;
  asio::steady_timer pause_;
  fs::path path_;
  OnLine on_line_;
  OnGone on_gone_;
  std::map<std::uint64_t, std::shared_ptr<Connection>> connections_;
  std::optional<std::pair<dev_t, ino_t>> file_;
  std::uint64_t last_client_ = 0;
  bool stopped_ = false;
};

AdminSocket::AdminSocket(asio::io_context& io, fs::path path, OnLine on_line, OnGone on_gone)
    : server_(std::make_shared<Server>(io, std::move(path), std::move(on_line), std::move(on_gone))) {}

AdminSocket::~AdminSocket() {
  stop();
}

boost::system::result<void, std::string> AdminSocket::listen() {
  return server_->listen();
}

void AdminSocket::stop() {
  server_->stop();
}

}  // namespace personad
