#pragma once
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "daemon/http_url.hpp"

namespace personad {

/// Looks up a variable of the environment.
using Environment = std::function<std::optional<std::string>(const std::string& name)>;

/// A proxy that is spoken to in the clear.
struct HttpProxy {
  std::string host;
  std::string port;
  std::string credentials;  ///< for `Proxy-Authorization`, with the scheme; empty: none. Never logged.
};

/// Which way the environment wants HTTP to go: `http_proxy`, `https_proxy`, `all_proxy`, `no_proxy`.
///
/// Upper case is taken too, but `HTTP_PROXY` is not: in a CGI it is what a client sent. Threading: none.
/// Source: the environment variables that curl(1) describes.
class HttpProxies {
 public:
  explicit HttpProxies(const Environment& environment);

  struct Direct {};
  struct Unusable {
    std::string words;  ///< never holds the variable's value, which may hold a password
  };
  using Way = std::variant<Direct, HttpProxy, Unusable>;
  [[nodiscard]] Way way_to(const HttpUrl& url) const;

 private:
  [[nodiscard]] bool goes_direct(const std::string& host) const;

  std::string for_http_;
  std::string for_https_;
  bool never_ = false;
  std::vector<std::string> direct_;
};

}  // namespace personad
