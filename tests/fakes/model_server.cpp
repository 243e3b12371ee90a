#include "tests/fakes/model_server.hpp"

#include <algorithm>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <charconv>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>
#include <utility>

namespace tests {
namespace {

namespace net = boost::asio;
using tcp = net::ip::tcp;
using boost::system::error_code;
using nlohmann::json;

constexpr auto kToken = net::as_tuple(net::use_awaitable);

std::string text_of(const json& tree) {
  return tree.dump(-1, ' ', false, json::error_handler_t::replace);
}

/// One connection: in the clear, over TLS, or a tunnel to somewhere else.
struct Guest {
  Guest(tcp::socket accepted, std::size_t counted)
      : socket(std::move(accepted)), further(socket.get_executor()), held(socket.get_executor()), number(counted) {}

  net::awaitable<error_code> write(std::string bytes) {
    if (tls) {
      const auto [ec, written] = co_await net::async_write(*tls, net::buffer(bytes), kToken);
      co_return ec;
    }
    const auto [ec, written] = co_await net::async_write(socket, net::buffer(bytes), kToken);
    co_return ec;
  }

  /// False when the connection ended.
  net::awaitable<bool> read_more() {
    const std::size_t had = incoming.size();
    incoming.resize(had + 16384);
    const auto into = net::buffer(incoming.data() + had, 16384);
    error_code ec;
    std::size_t got = 0;
    if (tls) {
      std::tie(ec, got) = co_await tls->async_read_some(into, kToken);
    } else {
      std::tie(ec, got) = co_await socket.async_read_some(into, kToken);
    }
    incoming.resize(had + got);
    co_return !ec;
  }

  void close() {
    error_code ignored;
    socket.close(ignored);
    further.close(ignored);
    held.cancel();
  }

  void reset() {
    error_code ignored;
    socket.set_option(net::socket_base::linger(true, 0), ignored);
    close();
  }

  tcp::socket socket;
  tcp::socket further;  // of a tunnel
  std::optional<net::ssl::stream<tcp::socket&>> tls;
  net::steady_timer held;
  std::string incoming;
  std::size_t number;
};
using SharedGuest = std::shared_ptr<Guest>;

std::string lower(std::string_view text) {
  std::string folded(text);
  std::transform(folded.begin(), folded.end(), folded.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return folded;
}

ModelRequest parse_head(std::string_view head) {
  ModelRequest request;
  std::size_t at = head.find("\r\n");
  const std::string_view line = head.substr(0, at);
  const std::size_t first = line.find(' ');
  const std::size_t last = line.rfind(' ');
  request.method = line.substr(0, first);
  if (last > first) request.target = line.substr(first + 1, last - first - 1);
  while (at != std::string_view::npos && at + 2 < head.size()) {
    const std::size_t end = head.find("\r\n", at + 2);
    const std::string_view field = head.substr(at + 2, end - at - 2);
    at = end;
    const std::size_t colon = field.find(':');
    if (colon == std::string_view::npos) continue;
    std::string_view value = field.substr(colon + 1);
    while (value.starts_with(' ')) value.remove_prefix(1);
    request.headers[lower(field.substr(0, colon))] = value;
  }
  return request;
}

/// One way of a tunnel, until either side ends.
net::awaitable<void> pump(SharedGuest guest, tcp::socket& from, tcp::socket& to) {
  std::string piece(16384, '\0');
  for (;;) {
    const auto [ec, got] = co_await from.async_read_some(net::buffer(piece), kToken);
    if (ec) break;
    const auto [failed, written] = co_await net::async_write(to, net::buffer(piece.data(), got), kToken);
    if (failed) break;
  }
  guest->close();
}

}  // namespace

std::string ModelRequest::header(const std::string& name) const {
  const auto found = headers.find(name);
  return found == headers.end() ? std::string() : found->second;
}

std::string ModelRequest::prompt() const {
  const json tree = json::parse(body, nullptr, false);
  const json::json_pointer content("/messages/0/content");
  if (!tree.is_object() || !tree.contains(content) || !tree.at(content).is_string()) return {};
  return tree.at(content).get<std::string>();
}

ModelReply ModelReply::json(std::string body, unsigned status, const std::string& more_headers) {
  ModelReply reply;
  reply.bytes = "HTTP/1.1 " + std::to_string(status) + " Words\r\nContent-Type: application/json\r\n" + more_headers +
                "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
  return reply;
}

ModelReply ModelReply::chat(std::string_view text) {
  nlohmann::json message = {{"role", "assistant"}, {"content", std::string(text)}};
  nlohmann::json choice = {{"index", 0}, {"finish_reason", "stop"}};
  choice["message"] = std::move(message);
  nlohmann::json tree = {{"object", "chat.completion"}};
  tree["choices"] = nlohmann::json::array();
  tree["choices"].push_back(std::move(choice));
  return json(text_of(tree));
}

ModelReply ModelReply::raw(std::string bytes, Then then) {
  ModelReply reply;
  reply.bytes = std::move(bytes);
  reply.then = then;
  return reply;
}

ModelReply ModelReply::after_release(ModelReply reply) {
  reply.held = true;
  return reply;
}

ModelReply ModelReply::endless() {
  const std::string chunk(16384, ' ');
  ModelReply reply = raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", Then::stream);
  reply.bytes += "4000\r\n" + chunk + "\r\n";
  return reply;
}

ModelReply ModelReply::huge() {
  return raw("HTTP/1.1 200 OK\r\nContent-Length: 100000000\r\n\r\n" + std::string(1024, ' '), Then::hold);
}

ModelReply ModelReply::half() {
  return raw("HTTP/1.1 200 OK\r\nContent-Length: 200\r\n\r\n{\"choices\":[{\"message\":{\"content\":\"half",
             Then::close);
}

ModelReply ModelReply::closed_without_answer() {
  return raw("", Then::close);
}

struct ModelServer::State {
  explicit State(ModelServerSettings given) : settings(std::move(given)) {
    acceptor.emplace(io, tcp::endpoint(net::ip::address_v4::loopback(), settings.port));
    port = acceptor->local_endpoint().port();
    if (!settings.certificate_file.empty()) {
      trust.emplace(net::ssl::context::tls_server);
      trust->use_certificate_chain_file(settings.certificate_file);
      trust->use_private_key_file(settings.key_file, net::ssl::context::pem);
    }
    net::co_spawn(io, accept(), net::detached);
    thread = std::thread([this] { io.run(); });
  }

  ~State() {
    net::post(io, [this] {
      stopping = true;
      acceptor->close();
      for (const auto& guest : guests) guest->reset();
    });
    thread.join();
  }

  net::awaitable<void> accept() {
    for (;;) {
      auto [ec, socket] = co_await acceptor->async_accept(kToken);
      if (ec) co_return;
      error_code ignored;
      socket.set_option(tcp::no_delay(true), ignored);
      bool unwelcome = false;
      SharedGuest guest;
      {
        const std::lock_guard lock(mutex);
        guest = std::make_shared<Guest>(std::move(socket), ++accepted);
        if (unwelcome_guests > 0) {
          --unwelcome_guests;
          unwelcome = true;
        }
      }
      if (unwelcome) {
        guest->close();
        continue;
      }
      guests.insert(guest);
      note([this] { open = guests.size(); });
      net::co_spawn(io, serve(guest), net::detached);
    }
  }

  net::awaitable<void> serve(SharedGuest guest) {
    bool going = true;
    if (trust) {
      guest->tls.emplace(guest->socket, *trust);
      const auto [ec] = co_await guest->tls->async_handshake(net::ssl::stream_base::server, kToken);
      going = !ec;
    }
    while (going) {
      going = co_await serve_one(guest);
    }
    guest->close();
    guests.erase(guest);
    note([this] { open = guests.size(); });
  }

  /// False when the connection is of no further use.
  net::awaitable<bool> serve_one(SharedGuest guest) {
    std::size_t head = 0;
    while ((head = guest->incoming.find("\r\n\r\n")) == std::string::npos) {
      const bool more = co_await guest->read_more();
      if (!more) co_return false;
    }
    ModelRequest request = parse_head(std::string_view(guest->incoming).substr(0, head + 2));
    request.connection = guest->number;
    guest->incoming.erase(0, head + 4);
    std::size_t length = 0;
    const std::string announced = request.header("content-length");
    std::from_chars(announced.data(), announced.data() + announced.size(), length);
    while (guest->incoming.size() < length) {
      const bool more = co_await guest->read_more();
      if (!more) co_return false;
    }
    request.body = guest->incoming.substr(0, length);
    guest->incoming.erase(0, length);
    const std::optional<ModelReply> scripted = record(request);
    const bool is_tunnel = request.method == "CONNECT" && !scripted;
    if (is_tunnel) {
      co_await tunnel(guest, request.target);
      co_return false;
    }
    const ModelReply reply = scripted ? *scripted : normal(request);
    const bool going = co_await send(guest, reply);
    co_return going;
  }

  net::awaitable<void> tunnel(SharedGuest guest, std::string target) {
    const std::size_t colon = target.rfind(':');
    std::uint16_t to = 0;
    std::from_chars(target.data() + colon + 1, target.data() + target.size(), to);
    const tcp::endpoint there(net::ip::address_v4::loopback(), to);
    const auto [ec] = co_await guest->further.async_connect(there, kToken);
    const std::string words = ec ? "HTTP/1.1 502 No\r\nContent-Length: 0\r\n\r\n" : "HTTP/1.1 200 Connected\r\n\r\n";
    const error_code failed = co_await guest->write(words);
    if (ec || failed) co_return;
    net::co_spawn(io, pump(guest, guest->further, guest->socket), net::detached);
    co_await pump(guest, guest->socket, guest->further);
  }

  net::awaitable<bool> send(SharedGuest guest, ModelReply reply) {
    using Then = ModelReply::Then;
    if (reply.held) co_await hold(guest);
    if (stopping) co_return false;
    if (reply.then == Then::drip) {
      for (const char byte : reply.bytes) {
        const error_code ec = co_await guest->write(std::string(1, byte));
        if (ec) co_return false;
        guest->held.expires_after(reply.pause);
        co_await guest->held.async_wait(kToken);
      }
      co_return true;
    }
    error_code ec = co_await guest->write(reply.bytes);
    const std::size_t body = reply.bytes.find("\r\n\r\n");
    while (!ec && reply.then == Then::stream) {
      ec = co_await guest->write(reply.bytes.substr(body + 4));
    }
    if (!ec && reply.then == Then::hold) co_await hold(guest);
    if (reply.then == Then::reset) guest->reset();
    co_return !ec && reply.then == Then::keep;
  }

  /// Until `release`, or until the client or the server ends it.
  net::awaitable<void> hold(SharedGuest guest) {
    guest->held.expires_at(net::steady_timer::time_point::max());
    holding.insert(guest);
    guest->socket.async_wait(tcp::socket::wait_read, [guest](error_code) { guest->held.cancel(); });
    co_await guest->held.async_wait(kToken);
    holding.erase(guest);
  }

  std::optional<ModelReply> record(const ModelRequest& request) {
    std::optional<ModelReply> reply;
    note([&] {
      requests.push_back(request);
      reply = standing;
      if (!script.empty()) {
        reply = script.front();
        script.pop_front();
      }
    });
    return reply;
  }

  ModelReply normal(const ModelRequest& request) const {
    if (request.target.ends_with("/models")) return models();
    if (request.target.ends_with("/embeddings")) return embeddings(request);
    if (!request.target.ends_with("/chat/completions")) return ModelReply::json(R"({"error":"no such path"})", 404);
    ChatText text;
    {
      const std::lock_guard lock(mutex);
      text = chat_text;
    }
    return ModelReply::chat(text ? text(request) : "an answer");
  }

  ModelReply models() const {
    json tree = {{"object", "list"}};
    tree["data"] = json::array();
    for (const auto& model : settings.models) tree["data"].push_back({{"id", model}, {"object", "model"}});
    return ModelReply::json(text_of(tree));
  }

  ModelReply embeddings(const ModelRequest& request) const {
    const json asked = json::parse(request.body, nullptr, false);
    if (!asked.is_object() || !asked.contains("input") || !asked["input"].is_array()) {
      return ModelReply::json(R"({"error":"no input"})", 400);
    }
    json tree = {{"object", "list"}};
    tree["data"] = json::array();
    std::size_t index = 0;
    for (const json& text : asked["input"]) {
      json entry = {{"object", "embedding"}, {"index", index++}};
      entry["embedding"] = vector_of(text.is_string() ? text.get<std::string>() : std::string());
      tree["data"].push_back(std::move(entry));
    }
    return ModelReply::json(text_of(tree));
  }

  /// Texts with the same bytes have the same direction, whatever the bytes mean.
  std::vector<float> vector_of(std::string_view text) const {
    Vector other;
    {
      const std::lock_guard lock(mutex);
      other = vector;
    }
    if (other) return other(text);
    return vector_of_bytes(text);
  }
  std::vector<float> vector_of_bytes(std::string_view text) const {
    std::vector<float> made(std::max<std::size_t>(settings.dimensions, 1), 0.25F);
    for (const char byte : text) made[static_cast<unsigned char>(byte) % made.size()] += 1.0F;
    return made;
  }

  template <typename Change>
  void note(Change change) {
    {
      const std::lock_guard lock(mutex);
      change();
    }
    changed.notify_all();
  }

  template <typename Ready>
  bool wait(Ready ready, std::chrono::milliseconds timeout) const {
    std::unique_lock lock(mutex);
    return changed.wait_for(lock, timeout, ready);
  }

  const ModelServerSettings settings;
  std::uint16_t port = 0;
  // Of the server's thread.
  net::io_context io{1};
  std::optional<tcp::acceptor> acceptor;
  std::optional<net::ssl::context> trust;
  std::set<SharedGuest> guests;
  std::set<SharedGuest> holding;
  bool stopping = false;
  // Of everybody who holds the mutex.
  mutable std::mutex mutex;
  mutable std::condition_variable changed;
  ChatText chat_text;
  Vector vector;
  std::deque<ModelReply> script;
  std::optional<ModelReply> standing;
  std::vector<ModelRequest> requests;
  std::size_t unwelcome_guests = 0;
  std::size_t accepted = 0;
  std::size_t open = 0;
  std::thread thread;
};

ModelServer::ModelServer(ModelServerSettings settings) : state_(std::make_unique<State>(std::move(settings))) {}
ModelServer::~ModelServer() = default;

std::uint16_t ModelServer::port() const {
  return state_->port;
}
std::string ModelServer::url() const {
  return (state_->trust ? "https" : "http") + ("://127.0.0.1:" + std::to_string(state_->port)) + "/v1";
}
void ModelServer::answer_chat(ChatText text) {
  state_->note([&] { state_->chat_text = std::move(text); });
}
void ModelServer::answer_vectors(Vector vector) {
  state_->note([&] { state_->vector = std::move(vector); });
}
void ModelServer::next(ModelReply reply, std::size_t times) {
  state_->note([&] { state_->script.insert(state_->script.end(), times, reply); });
}
void ModelServer::always(std::optional<ModelReply> reply) {
  state_->note([&] { state_->standing = std::move(reply); });
}
void ModelServer::close_on_accept(std::size_t many) {
  state_->note([&] { state_->unwelcome_guests = many; });
}
void ModelServer::release() {
  net::post(state_->io, [state = state_.get()] {
    for (const auto& guest : state->holding) guest->held.cancel();
  });
}
void ModelServer::drop_connections() {
  net::post(state_->io, [state = state_.get()] {
    for (const auto& guest : state->guests) guest->close();
  });
}
std::vector<ModelRequest> ModelServer::requests() const {
  const std::lock_guard lock(state_->mutex);
  return state_->requests;
}
std::size_t ModelServer::connections() const {
  const std::lock_guard lock(state_->mutex);
  return state_->accepted;
}
bool ModelServer::wait_for_requests(std::size_t many, std::chrono::milliseconds timeout) const {
  return state_->wait([this, many] { return state_->requests.size() >= many; }, timeout);
}
bool ModelServer::wait_for_open(std::size_t many, std::chrono::milliseconds timeout) const {
  return state_->wait([this, many] { return state_->open == many; }, timeout);
}
std::vector<float> ModelServer::vector_of(std::string_view text) const {
  return state_->vector_of(text);
}

}  // namespace tests
