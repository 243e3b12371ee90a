#include "daemon/http_proxy.hpp"

#include <doctest/doctest.h>

#include <map>
#include <string>

using namespace personad;

namespace {

using Variables = std::map<std::string, std::string>;

/// The way in short: "direct", "host:port", "host:port credentials", or "unusable".
std::string way(const Variables& variables, const std::string& url) {
  const HttpProxies proxies([&](const std::string& name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    return found == variables.end() ? std::nullopt : std::optional<std::string>(found->second);
  });
  const auto found = proxies.way_to(*HttpUrl::parse(url));
  if (std::holds_alternative<HttpProxies::Direct>(found)) return "direct";
  const auto* proxy = std::get_if<HttpProxy>(&found);
  if (proxy == nullptr) return "unusable";
  return proxy->host + ':' + proxy->port + (proxy->credentials.empty() ? "" : ' ' + proxy->credentials);
}

}  // namespace

TEST_CASE("each scheme has its proxy, and HTTP_PROXY in upper case is nobody's") {
  const std::string http = "http://host/v1";
  const std::string https = "https://host/v1";
  CHECK(way({}, http) == "direct");
  CHECK(way({{"http_proxy", "http://proxy:3128"}}, http) == "proxy:3128");
  CHECK(way({{"http_proxy", "http://proxy:3128"}}, https) == "direct");
  CHECK(way({{"HTTP_PROXY", "http://proxy:3128"}}, http) == "direct");
  CHECK(way({{"https_proxy", "http://a:1"}, {"HTTPS_PROXY", "http://b:2"}}, https) == "a:1");
  CHECK(way({{"https_proxy", ""}, {"HTTPS_PROXY", "http://b:2"}}, https) == "b:2");
  CHECK(way({{"all_proxy", "http://a:1"}}, http) == "a:1");
  CHECK(way({{"ALL_PROXY", "http://a:1"}, {"https_proxy", "http://b:2"}}, https) == "b:2");
}

TEST_CASE("a proxy is a host with or without scheme, port, user and password") {
  const std::string url = "http://host/v1";
  CHECK(way({{"http_proxy", "proxy"}}, url) == "proxy:1080");
  CHECK(way({{"http_proxy", "HTTP://proxy:8080/"}}, url) == "proxy:8080");
  CHECK(way({{"http_proxy", "http://[::1]:8080"}}, url) == "::1:8080");
  CHECK(way({{"http_proxy", "http://user:p%40ss@proxy:8080"}}, url) == "proxy:8080 Basic dXNlcjpwQHNz");
  for (const char* value : {"socks5://proxy:1080", "https://proxy", "http://", "http://proxy:x", "http://pro xy"}) {
    CAPTURE(value);
    CHECK(way({{"http_proxy", value}}, url) == "unusable");
  }
}

TEST_CASE("no_proxy names domains with all below them, addresses, networks, or everything") {
  struct Row {
    const char* exceptions;
    const char* host;
    bool direct;
  };
  for (const Row& row : {
           Row{"*", "host", true},
           Row{"host", "host", true},
           Row{"HOST", "host", true},
           Row{"other,host", "host", true},
           Row{"other host", "host", true},
           Row{"example.com", "a.example.com", true},
           Row{".example.com", "example.com", true},
           Row{"example.com", "badexample.com", false},
           Row{"example.com", "example.com.evil.net", false},
           Row{"example.com", "example.com.", true},
           Row{"127.0.0.1", "127.0.0.1", true},
           Row{"127.0.0.1", "127.0.0.2", false},
           Row{"0.0.1", "127.0.0.1", false},
           Row{"10.0.0.0/8", "10.1.2.3", true},
           Row{"10.0.0.0/8", "11.1.2.3", false},
           Row{"10.0.0.0/99", "10.1.2.3", false},
           Row{"[::1]", "[::1]", true},
           Row{"fd00::/8", "[fd12::1]", true},
           Row{"fd00::/8", "10.1.2.3", false},
           Row{", ,", "host", false},
       }) {
    CAPTURE(row.exceptions);
    CAPTURE(row.host);
    const std::string url = "http://" + std::string(row.host) + "/v1";
    CHECK(way({{"http_proxy", "proxy:1"}, {"no_proxy", row.exceptions}}, url) == (row.direct ? "direct" : "proxy:1"));
    CHECK(way({{"http_proxy", "proxy:1"}, {"NO_PROXY", row.exceptions}}, url) == (row.direct ? "direct" : "proxy:1"));
  }
}
