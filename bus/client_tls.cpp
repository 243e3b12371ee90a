#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/host_name_verification.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/beast/websocket/ssl.hpp>

#include "bus/client_websocket.hpp"

namespace bus {
namespace {

namespace ssl = net::ssl;

class Tls {
 public:
  using Stream = ssl::stream<Socket>;

  explicit Tls(const ClientSettings& settings) : settings_(settings), context_(ssl::context::tls_client) {
    SSL_CTX_set_min_proto_version(context_.native_handle(), TLS1_2_VERSION);
    if (!settings.tls_verify) return;
    error_code ec;
    if (settings.tls_ca_file.empty()) {
      context_.set_default_verify_paths(ec);
    } else {
      context_.load_verify_file(settings.tls_ca_file, ec);
    }
    if (ec) problem_ = "certificates of authorities (" + settings.tls_ca_file + "): " + ec.message();
  }

  [[nodiscard]] std::string problem() const { return problem_; }
  [[nodiscard]] Stream make_stream(Executor executor) { return Stream(executor, context_); }

  [[nodiscard]] Task<std::string> secure(Stream& stream) {
    const std::string& host = settings_.url.host;
    error_code not_numeric;
    (void)net::ip::make_address(host, not_numeric);
    // An address is no server name (RFC 6066, 3).
    if (not_numeric) SSL_set_tlsext_host_name(stream.native_handle(), host.c_str());
    error_code ec;
    if (settings_.tls_verify) {
      stream.set_verify_mode(ssl::verify_peer, ec);
      stream.set_verify_callback(ssl::host_name_verification(host), ec);
    } else {
      stream.set_verify_mode(ssl::verify_none, ec);
    }
    const auto [failed] = co_await stream.async_handshake(ssl::stream_base::client, kToken);
    co_return failed ? "TLS handshake: " + failed.message() : std::string();
  }

 private:
  const ClientSettings& settings_;
  ssl::context context_;
  std::string problem_;
};

}  // namespace

std::shared_ptr<ClientConnection> tls_connection(Executor executor, const ClientSettings& settings) {
  return std::make_shared<ClientWebsocket<Tls>>(executor, settings);
}

}  // namespace bus
