#pragma once
#include <boost/asio/ssl/context.hpp>
#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "bus/sockets.hpp"
#include "daemon/http_proxy.hpp"
#include "daemon/http_url.hpp"
#include "daemon/http_wire.hpp"
#include "persona/memory/language_model.hpp"

// HTTP/1.1 as a client: one call at a time over connections that are kept.
namespace personad {

/// What went wrong with a call, in words for an operator.
[[nodiscard]] persona::ModelError failure(persona::ModelError::Kind kind, std::string words);

struct HttpSettings {
  std::size_t max_answer_bytes = 4u << 20;
  std::size_t max_header_bytes = 32u << 10;
  std::chrono::milliseconds connect_timeout{10000};  ///< for each step: the name, each address, the TLS handshake
  std::string ca_file;                               ///< of the authorities that are trusted; empty: the system's
  std::size_t most_kept = 2;                         ///< connections at rest, for each origin
  std::chrono::seconds keep_for{30};
};

/// The certificates of authorities, read when they are first needed.
class HttpTrust {
 public:
  explicit HttpTrust(std::string ca_file) : ca_file_(std::move(ca_file)) {}
  /// Nothing when they cannot be read: `problem` then says why.
  [[nodiscard]] boost::asio::ssl::context* context(std::string& problem);

 private:
  std::string ca_file_;
  std::optional<boost::asio::ssl::context> context_;
};

/// Where requests for one origin go, and the connections to there that are at rest.
///
/// Ownership: settings and trust outlive it. It outlives its exchanges.
class HttpOrigin {
 public:
  HttpOrigin(bus::Executor executor, HttpUrl url, HttpProxies::Way way, const HttpSettings& settings, HttpTrust& trust);
  ~HttpOrigin();
  HttpOrigin(const HttpOrigin&) = delete;
  HttpOrigin& operator=(const HttpOrigin&) = delete;

  /// A connection at rest that looks alive, if there is one.
  [[nodiscard]] std::unique_ptr<HttpWire> take_kept();
  void keep(std::unique_ptr<HttpWire> wire);
  void drop_kept();

  [[nodiscard]] bus::Executor executor() const { return executor_; }
  [[nodiscard]] const HttpUrl& url() const { return url_; }
  [[nodiscard]] const HttpProxies::Way& way() const { return way_; }
  [[nodiscard]] const HttpSettings& settings() const { return settings_; }
  [[nodiscard]] HttpTrust& trust() { return trust_; }

 private:
  struct Kept;
  static void drop_later(const std::shared_ptr<Kept>& kept);

  bus::Executor executor_;
  HttpUrl url_;
  HttpProxies::Way way_;
  const HttpSettings& settings_;
  HttpTrust& trust_;
  std::shared_ptr<Kept> kept_;  // shared with the handler of its timer
};

struct HttpRequest {
  std::string method;  ///< GET or POST
  std::string path;
  std::string bearer;  ///< empty: none
  std::string body;    ///< JSON
};

struct HttpAnswer {
  unsigned status = 0;
  std::string retry_after;  ///< as the header said it
  std::string body;
};
using HttpResult = persona::ModelResult<HttpAnswer>;

/// One HTTP call; it is used once.
///
/// A connection that was kept may have been closed by the other side meanwhile: if it ends before anything of an answer
/// was read, the request goes out once more over a fresh one. Redirects are not followed.
/// Threading: io thread. Cancellation: `abort` ends it with an error. Errors: values, of the kinds unreachable, refused
/// (by a proxy), unusable and misconfigured; there is no time limit but the one for connecting.
class HttpExchange {
 public:
  explicit HttpExchange(HttpOrigin& origin);
  ~HttpExchange();
  /// The request outlives it.
  [[nodiscard]] bus::Task<HttpResult> run(const HttpRequest& request);
  void abort();

 private:
  class Reader;
  using Problem = std::optional<persona::ModelError>;
  [[nodiscard]] bus::Task<Problem> open();
  [[nodiscard]] bus::Task<Problem> tunnel(const HttpProxy& proxy);
  [[nodiscard]] bus::Task<HttpResult> ask(const HttpRequest& request);
  [[nodiscard]] std::string head_of(const HttpRequest& request) const;

  HttpOrigin& origin_;
  std::unique_ptr<HttpWire> wire_;
  bool aborted_ = false;
  bool heard_anything_ = false;
};

}  // namespace personad
