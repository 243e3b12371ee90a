#include <arpa/inet.h>

#include <charconv>

#include "daemon/configuration_schema.hpp"

namespace personad {

std::optional<HostAndPort> parse_host_and_port(std::string_view text) {
  const auto colon = text.rfind(':');
  if (colon == std::string_view::npos) return std::nullopt;
  auto host = text.substr(0, colon);
  const auto port = text.substr(colon + 1);
  HostAndPort parsed;
  const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), parsed.port);
  if (port.empty() || error != std::errc{} || end != port.data() + port.size()) return std::nullopt;
  if (host.size() >= 2 && host.front() == '[' && host.back() == ']') {
    parsed.host = host.substr(1, host.size() - 2);
    in6_addr address{};
    if (inet_pton(AF_INET6, parsed.host.c_str(), &address) != 1) return std::nullopt;
    return parsed;
  }
  if (host.empty() || host.find_first_of(":[]/ ") != std::string_view::npos) return std::nullopt;
  parsed.host = host;
  return parsed;
}

bool is_loopback(const std::string& host) {
  if (host == "localhost") return true;
  in_addr v4{};
  if (inet_pton(AF_INET, host.c_str(), &v4) == 1) return (ntohl(v4.s_addr) >> 24) == 127;
  in6_addr v6{};
  return inet_pton(AF_INET6, host.c_str(), &v6) == 1 && IN6_IS_ADDR_LOOPBACK(&v6);
}

}  // namespace personad
