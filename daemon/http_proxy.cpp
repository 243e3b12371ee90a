#include "daemon/http_proxy.hpp"

#include <openssl/evp.h>

#include <algorithm>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/network_v4.hpp>
#include <boost/asio/ip/network_v6.hpp>
#include <charconv>
#include <initializer_list>

namespace personad {
namespace {

namespace ip = boost::asio::ip;
using boost::system::error_code;

// curl's, for a proxy that names none.
constexpr const char* kProxyPort = "1080";

std::string lower(std::string_view text) {
  std::string folded(text);
  std::transform(folded.begin(), folded.end(), folded.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return folded;
}

std::string first_set(const Environment& environment, std::initializer_list<const char*> names) {
  for (const char* name : names) {
    if (auto value = environment(name); value && !value->empty()) return *std::move(value);
  }
  return {};
}

std::string percent_decoded(std::string_view text) {
  std::string decoded;
  for (std::size_t at = 0; at < text.size(); ++at) {
    unsigned byte = 0;
    if (text[at] == '%' && at + 2 < text.size() &&
        std::from_chars(&text[at + 1], &text[at + 1] + 2, byte, 16).ptr == &text[at + 1] + 2) {
      decoded += static_cast<char>(byte);
      at += 2;
    } else {
      decoded += text[at];
    }
  }
  return decoded;
}

std::string basic(std::string_view user_and_password) {
  const std::string plain = percent_decoded(user_and_password);
  std::vector<unsigned char> coded(4 * (plain.size() / 3 + 1) + 1);
  const int length = EVP_EncodeBlock(coded.data(), reinterpret_cast<const unsigned char*>(plain.data()),
                                     static_cast<int>(plain.size()));
  return "Basic " + std::string(coded.begin(), coded.begin() + length);
}

HttpProxies::Way parse_proxy(std::string_view value) {
  HttpProxies::Unusable unusable;
  if (const std::size_t scheme = value.find("://"); scheme != std::string_view::npos) {
    if (lower(value.substr(0, scheme)) != "http") {
      unusable.words = "the proxy of the environment must be one of http://";
      return unusable;
    }
    value.remove_prefix(scheme + 3);
  }
  value = value.substr(0, value.find('/'));
  HttpProxy proxy;
  if (const std::size_t at = value.rfind('@'); at != std::string_view::npos) {
    proxy.credentials = basic(value.substr(0, at));
    value.remove_prefix(at + 1);
  }
  const bool printable = std::all_of(value.begin(), value.end(), [](char c) { return c > ' ' && c < '\x7F'; });
  auto parts = split_authority(value);
  if (!printable || !parts) {
    unusable.words = "the proxy of the environment is no host, or no host and port";
    return unusable;
  }
  proxy.host = std::move(parts->host);
  proxy.port = parts->port.empty() ? kProxyPort : std::move(parts->port);
  return proxy;
}

/// Whether an address is in a network such as 10.0.0.0/8.
bool is_in_network(const ip::address& address, const std::string& network) {
  error_code ec;
  if (address.is_v4()) {
    const auto of = ip::make_network_v4(network, ec);
    return !ec && ip::network_v4(address.to_v4(), of.prefix_length()).canonical() == of.canonical();
  }
  const auto of = ip::make_network_v6(network, ec);
  return !ec && ip::network_v6(address.to_v6(), of.prefix_length()).canonical() == of.canonical();
}

bool covers(const std::string& entry, const std::string& host) {
  error_code not_numeric;
  const auto address = ip::make_address(host, not_numeric);
  if (!not_numeric) {
    if (entry.find('/') != std::string::npos) return is_in_network(address, entry);
    error_code ec;
    const auto named = ip::make_address(entry, ec);
    return !ec && named == address;
  }
  return host == entry || host.ends_with('.' + entry);
}

}  // namespace

HttpProxies::HttpProxies(const Environment& environment)
    : for_http_(first_set(environment, {"http_proxy", "all_proxy", "ALL_PROXY"})),
      for_https_(first_set(environment, {"https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"})) {
  const std::string exceptions = first_set(environment, {"no_proxy", "NO_PROXY"});
  never_ = exceptions == "*";
  for (std::size_t at = 0; at < exceptions.size();) {
    const std::size_t end = std::min(exceptions.find_first_of(", \t", at), exceptions.size());
    std::string entry = lower(std::string_view(exceptions).substr(at, end - at));
    at = end + 1;
    if (entry.starts_with('.')) entry.erase(0, 1);
    if (entry.ends_with('.')) entry.pop_back();
    if (entry.starts_with('[') && entry.ends_with(']')) entry = entry.substr(1, entry.size() - 2);
    if (!entry.empty()) direct_.push_back(std::move(entry));
  }
}

HttpProxies::Way HttpProxies::way_to(const HttpUrl& url) const {
  const std::string& proxy = url.tls ? for_https_ : for_http_;
  if (proxy.empty() || never_ || goes_direct(url.host)) return Direct();
  return parse_proxy(proxy);
}

bool HttpProxies::goes_direct(const std::string& host) const {
  std::string folded = lower(host);
  if (folded.ends_with('.')) folded.pop_back();
  return std::any_of(direct_.begin(), direct_.end(), [&](const std::string& entry) { return covers(entry, folded); });
}

}  // namespace personad
