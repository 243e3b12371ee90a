#include "daemon/admin_socket.hpp"

#include <doctest/doctest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/write.hpp>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

namespace {

namespace asio = boost::asio;
namespace fs = std::filesystem;
using asio::local::stream_protocol;
using personad::AdminSocket;

constexpr auto kPatience = std::chrono::seconds(20);

/// An admin socket in a folder of its own, and clients, all on one io context that the test drives.
struct World {
  World() {
    auto pattern = (fs::temp_directory_path() / "personad-admin-XXXXXX").string();
    REQUIRE(mkdtemp(pattern.data()) != nullptr);
    folder = pattern;
    path = folder / "run" / "admin.sock";
    open();
  }
  ~World() {
    socket->stop();
    io.run_for(std::chrono::milliseconds(50));
    fs::remove_all(folder);
  }
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  void open() {
    socket = std::make_unique<AdminSocket>(
        io, path,
        [this](std::string_view line, const AdminSocket::Answer& answer, std::uint64_t client) {
          lines.emplace_back(line);
          clients.push_back(client);
          answers.push_back(answer);
          if (echo) answer("echo " + std::string(line));
        },
        [this](std::uint64_t client) { gone.push_back(client); });
  }

  /// Runs the io context until `done` holds; false when patience ends first.
  bool until(const std::function<bool()>& done) {
    const auto end = std::chrono::steady_clock::now() + kPatience;
    while (!done() && std::chrono::steady_clock::now() < end) {
      if (io.stopped()) io.restart();
      io.run_one_for(std::chrono::milliseconds(100));
    }
    return done();
  }

  fs::path folder;
  fs::path path;
  asio::io_context io{1};
  std::unique_ptr<AdminSocket> socket;
  bool echo = true;
  std::vector<std::string> lines;
  std::vector<std::uint64_t> clients;
  std::vector<AdminSocket::Answer> answers;
  std::vector<std::uint64_t> gone;
};

struct Client {
  explicit Client(World& world) : world_(world), socket(world.io) {
    socket.connect(stream_protocol::endpoint(world.path.string()));
  }

  void say(const std::string& text) {
    bool written = false;
    asio::async_write(socket, asio::buffer(text), [&](boost::system::error_code, std::size_t) { written = true; });
    REQUIRE(world_.until([&] { return written; }));
  }

  /// The next line, or "" when the connection has ended.
  std::string hear() {
    bool done = false;
    std::string line;
    asio::async_read_until(socket, asio::dynamic_buffer(heard_), '\n',
                           [&](boost::system::error_code ec, std::size_t size) {
                             done = true;
                             if (!ec) line = heard_.substr(0, size - 1);
                             heard_.erase(0, ec ? 0 : size);
                           });
    REQUIRE(world_.until([&] { return done; }));
    return line;
  }

  World& world_;
  stream_protocol::socket socket;
  std::string heard_;
};

std::string error_of(const std::string& line) {
  const auto parsed = nlohmann::json::parse(line, nullptr, false);
  REQUIRE(parsed.is_object());
  return parsed.at("data").at("error").get<std::string>();
}

}  // namespace

TEST_CASE("the socket is for its user alone, in a folder that is made when missing") {
  World world;
  REQUIRE(world.socket->listen().has_value());
  struct stat about {};
  REQUIRE(lstat(world.path.c_str(), &about) == 0);
  CHECK(S_ISSOCK(about.st_mode));
  CHECK((about.st_mode & 0777) == 0600);
  REQUIRE(lstat(world.path.parent_path().c_str(), &about) == 0);
  CHECK((about.st_mode & 0777) == 0700);
  world.socket->stop();
  CHECK_FALSE(fs::exists(world.path));
}

TEST_CASE("lines are answered one by one, however they are cut into pieces") {
  World world;
  REQUIRE(world.socket->listen().has_value());
  Client client(world);
  client.say("one\ntwo\n\n  \r\nthr");
  CHECK(client.hear() == "echo one");
  CHECK(client.hear() == "echo two");
  client.say("ee\n");
  CHECK(client.hear() == "echo three");
  CHECK(world.lines == std::vector<std::string>{"one", "two", "three"});
}

TEST_CASE("an answer may come later, more than once, and after its client has gone") {
  World world;
  world.echo = false;
  REQUIRE(world.socket->listen().has_value());
  {
    Client client(world);
    client.say("wait\n");
    REQUIRE(world.until([&] { return !world.answers.empty(); }));
    world.answers[0]("first");
    world.answers[0]("second");
    CHECK(client.hear() == "first");
    CHECK(client.hear() == "second");
  }
  REQUIRE(world.until([&] { return !world.gone.empty(); }));
  CHECK(world.gone == world.clients);
  world.answers[0]("to nobody");
}

TEST_CASE("a client that closes its own side still gets its answers") {
  World world;
  world.echo = false;
  REQUIRE(world.socket->listen().has_value());
  Client client(world);
  client.say("question\n");
  client.socket.shutdown(stream_protocol::socket::shutdown_send);
  REQUIRE(world.until([&] { return !world.answers.empty(); }));
  world.io.poll();
  world.answers[0]("late answer");
  CHECK(client.hear() == "late answer");
  CHECK(world.gone.empty());
  client.socket.close();
  CHECK(world.until([&] { return world.gone.size() == 1; }));
}

TEST_CASE("a line over the bound is answered with an error and ends the connection, others go on") {
  World world;
  REQUIRE(world.socket->listen().has_value());
  Client other(world);
  Client client(world);
  const std::string endless(AdminSocket::kMaxLineBytes + 1, 'x');
  bool ended = false;
  asio::async_write(client.socket, asio::buffer(endless),
                    [&](boost::system::error_code, std::size_t) { ended = true; });
  CHECK(error_of(client.hear()).starts_with("too_large: "));
  CHECK(client.hear().empty());
  CHECK(world.lines.empty());
  other.say("still here\n");
  CHECK(other.hear() == "echo still here");
  client.socket.close();
  CHECK(world.until([&] { return ended && world.gone.size() == 1; }));
}

TEST_CASE("a reader that takes nothing is disconnected when its queue is full") {
  World world;
  world.echo = false;
  REQUIRE(world.socket->listen().has_value());
  Client client(world);
  client.say("tell me all\n");
  REQUIRE(world.until([&] { return !world.answers.empty(); }));
  const std::string large(1u << 20, 'y');
  for (std::size_t sent = 0; sent < AdminSocket::kMaxQueueBytes + (4u << 20); sent += large.size()) {
    world.answers[0](large);
  }
  CHECK(world.until([&] { return world.gone.size() == 1; }));
}

TEST_CASE("one answer may be larger than the queue's bound") {
  World world;
  world.echo = false;
  REQUIRE(world.socket->listen().has_value());
  Client client(world);
  client.say("all of it\n");
  REQUIRE(world.until([&] { return !world.answers.empty(); }));
  const std::string large(AdminSocket::kMaxQueueBytes + 1, 'z');
  world.answers[0](large);
  CHECK(client.hear() == large);
}

TEST_CASE("more connections than the bound are told so") {
  World world;
  REQUIRE(world.socket->listen().has_value());
  std::vector<std::unique_ptr<Client>> clients;
  for (std::size_t i = 0; i < AdminSocket::kMaxConnections; ++i) {
    clients.push_back(std::make_unique<Client>(world));
    clients.back()->say("x\n");
    REQUIRE(clients.back()->hear() == "echo x");
  }
  Client extra(world);
  CHECK(error_of(extra.hear()).starts_with("busy: "));
  CHECK(extra.hear().empty());
  clients.pop_back();
  REQUIRE(world.until([&] { return world.gone.size() == 1; }));
  Client next(world);
  next.say("y\n");
  CHECK(next.hear() == "echo y");
}

TEST_CASE("a stale socket file is replaced, a live one is an error that names it") {
  World world;
  fs::create_directory(world.path.parent_path());
  {
    const int dead = ::socket(AF_UNIX, SOCK_STREAM, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    world.path.string().copy(address.sun_path, sizeof address.sun_path - 1);
    REQUIRE(::bind(dead, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
    ::close(dead);
  }
  REQUIRE(world.socket->listen().has_value());
  AdminSocket second(world.io, world.path, {}, {});
  const auto refused = second.listen();
  REQUIRE(refused.has_error());
  CHECK(refused.error().find(world.path.string()) != std::string::npos);
  CHECK(refused.error().find("running already") != std::string::npos);
  second.stop();
  CHECK_MESSAGE(fs::exists(world.path), "the one that failed leaves the other's socket alone");
}

TEST_CASE("a file that is no socket is left alone") {
  World world;
  fs::create_directory(world.path.parent_path());
  std::ofstream(world.path) << "precious";
  const auto refused = world.socket->listen();
  REQUIRE(refused.has_error());
  CHECK(refused.error().find("no socket") != std::string::npos);
  world.socket->stop();
  CHECK(fs::file_size(world.path) == 8);
}

TEST_CASE("a path that no socket can have is an error in words") {
  World world;
  AdminSocket deep(world.io, world.folder / std::string(120, 'a'), {}, {});
  const auto refused = deep.listen();
  REQUIRE(refused.has_error());
  CHECK(refused.error().find("too long") != std::string::npos);
}

TEST_CASE("stopping ends all connections and calls nobody any more") {
  World world;
  REQUIRE(world.socket->listen().has_value());
  Client client(world);
  client.say("a\n");
  CHECK(client.hear() == "echo a");
  world.socket->stop();
  CHECK(client.hear().empty());
  CHECK(world.gone.empty());
}
