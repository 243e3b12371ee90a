#include "bus/client_websocket.hpp"

namespace bus {
namespace {

struct Plain {
  using Stream = Socket;
  explicit Plain(const ClientSettings&) {}
  [[nodiscard]] std::string problem() const { return {}; }
  [[nodiscard]] Stream make_stream(Executor executor) { return Stream(executor); }
  [[nodiscard]] Task<std::string> secure(Stream&) { co_return std::string(); }
};

}  // namespace

std::shared_ptr<ClientConnection> plain_connection(Executor executor, const ClientSettings& settings) {
  return std::make_shared<ClientWebsocket<Plain>>(executor, settings);
}

}  // namespace bus
