#pragma once
#include <boost/system/result.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace personad {

/// The URL of something that speaks HTTP, taken apart: `http://host[:port][/path]` or `https://...`.
struct HttpUrl {
  bool tls = false;
  std::string host;  ///< without the brackets of an IPv6 address
  std::string port;
  std::string path;  ///< empty, or starts with a slash and does not end with one

  /// Errors: a message in words ("must start with http:// or https://").
  [[nodiscard]] static boost::system::result<HttpUrl, std::string> parse(std::string_view text);
  /// Scheme, host and port, the port always named: what connections are shared by.
  [[nodiscard]] std::string origin() const;
  /// Host and port as a request names them; the scheme's own port is left out.
  [[nodiscard]] std::string authority() const;
};

/// Host and port of a URL.
struct HostPort {
  std::string host;
  std::string port;  ///< empty: not named
};

/// Splits `host`, `host:port`, `[v6]` or `[v6]:port`; nothing when it is none of these.
[[nodiscard]] std::optional<HostPort> split_authority(std::string_view authority);
/// With brackets where it is an IPv6 address.
[[nodiscard]] std::string bracketed(const std::string& host);

}  // namespace personad
