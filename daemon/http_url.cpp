#include "daemon/http_url.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>

namespace personad {
namespace {

using Parsed = boost::system::result<HttpUrl, std::string>;

bool is_port(std::string_view text) {
  std::uint16_t port = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), port);
  return failed == std::errc() && end == text.data() + text.size() && port != 0;
}

const char* own_port(bool tls) {
  return tls ? "443" : "80";
}

}  // namespace

std::optional<HostPort> split_authority(std::string_view authority) {
  std::string_view host = authority;
  std::string_view after;
  if (authority.starts_with('[')) {
    const std::size_t bracket = authority.find(']');
    if (bracket == std::string_view::npos) return std::nullopt;
    host = authority.substr(1, bracket - 1);
    after = authority.substr(bracket + 1);
  } else if (const std::size_t colon = authority.find(':'); colon != std::string_view::npos) {
    host = authority.substr(0, colon);
    after = authority.substr(colon);
  }
  if (host.empty()) return std::nullopt;
  HostPort parts;
  parts.host = host;
  if (after.empty()) return parts;
  if (!after.starts_with(':') || !is_port(after.substr(1))) return std::nullopt;
  parts.port = after.substr(1);
  return parts;
}

std::string bracketed(const std::string& host) {
  return host.find(':') == std::string::npos ? host : '[' + host + ']';
}

Parsed HttpUrl::parse(std::string_view text) {
  HttpUrl url;
  if (text.starts_with("https://")) {
    url.tls = true;
  } else if (!text.starts_with("http://")) {
    return Parsed(boost::system::in_place_error, "must start with http:// or https://");
  }
  // Whatever is no printable ASCII could end the request line it is put in.
  if (!std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c < '\x7F'; })) {
    return Parsed(boost::system::in_place_error, "must be printable ASCII without spaces");
  }
  text.remove_prefix(text.find("//") + 2);
  if (text.find_first_of("?#") != std::string_view::npos) {
    return Parsed(boost::system::in_place_error, "must not hold a query (?) or a fragment (#)");
  }
  const std::size_t slash = std::min(text.find('/'), text.size());
  const std::string_view authority = text.substr(0, slash);
  if (authority.find('@') != std::string_view::npos) {
    return Parsed(boost::system::in_place_error, "must not hold a user name or password");
  }
  auto parts = split_authority(authority);
  if (!parts) return Parsed(boost::system::in_place_error, "must name a host, and a port from 1 to 65535 if any");
  url.host = std::move(parts->host);
  std::transform(url.host.begin(), url.host.end(), url.host.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  url.port = parts->port.empty() ? own_port(url.tls) : std::move(parts->port);
  std::string_view path = text.substr(slash);
  while (path.ends_with('/')) path.remove_suffix(1);
  url.path = path;
  return url;
}

std::string HttpUrl::origin() const {
  return (tls ? "https://" : "http://") + bracketed(host) + ':' + port;
}

std::string HttpUrl::authority() const {
  return port == own_port(tls) ? bracketed(host) : bracketed(host) + ':' + port;
}

}  // namespace personad
