#include <algorithm>
#include <charconv>
#include <cstdint>

#include "bus/client.hpp"

namespace bus {
namespace {

using Parsed = boost::system::result<Url, std::string>;

bool is_port(std::string_view text) {
  std::uint16_t port = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), port);
  return failed == std::errc() && end == text.data() + text.size() && port != 0;
}

/// Splits `host`, `host:port`, `[v6]` or `[v6]:port`.
bool split_authority(std::string_view authority, Url& url) {
  std::string_view host = authority;
  std::string_view after;
  if (authority.starts_with('[')) {
    const std::size_t bracket = authority.find(']');
    if (bracket == std::string_view::npos) return false;
    host = authority.substr(1, bracket - 1);
    after = authority.substr(bracket + 1);
  } else if (const std::size_t colon = authority.find(':'); colon != std::string_view::npos) {
    host = authority.substr(0, colon);
    after = authority.substr(colon);
  }
  if (host.empty()) return false;
  url.host = host;
  if (after.empty()) return true;
  if (!after.starts_with(':') || !is_port(after.substr(1))) return false;
  url.port = after.substr(1);
  return true;
}

}  // namespace

Parsed Url::parse(std::string_view text) {
  Url url;
  if (text.starts_with("wss://")) {
    url.tls = true;
  } else if (!text.starts_with("ws://")) {
    return Parsed(boost::system::in_place_error, "must start with ws:// or wss://");
  }
  // Whatever is no printable ASCII could end the request line it is put in.
  if (!std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c < '\x7F'; })) {
    return Parsed(boost::system::in_place_error, "must be printable ASCII without spaces");
  }
  text.remove_prefix(text.find("//") + 2);
  const std::size_t path = std::min(text.find_first_of("/?#"), text.size());
  const std::string_view authority = text.substr(0, path);
  const std::string_view route = text.substr(path);
  if (authority.find('@') != std::string_view::npos) {
    return Parsed(boost::system::in_place_error, "must not hold a user name or password");
  }
  if (route.find('#') != std::string_view::npos) {
    return Parsed(boost::system::in_place_error, "must not hold a fragment (#)");
  }
  if (!split_authority(authority, url)) {
    return Parsed(boost::system::in_place_error, "must name a host, and a port from 1 to 65535 if any");
  }
  if (route.starts_with('/')) {
    url.route = route;
  } else {
    url.route += route;
  }
  return url;
}

std::string Url::text() const {
  const bool v6 = host.find(':') != std::string::npos;
  return (tls ? "wss://" : "ws://") + (v6 ? '[' + host + ']' : host) + ':' + port + route;
}

}  // namespace bus
