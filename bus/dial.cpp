#include "bus/dial.hpp"

#include <charconv>

namespace bus {

/// One question to the name service. Shared with its handler: a lookup that was given up still runs in the resolver's
/// thread, and answers when it will.
struct Dialer::Lookup {
  explicit Lookup(Executor executor) : resolver(executor), answered_or_late(executor) {}
  Resolver resolver;
  Timer answered_or_late;
  bool answered = false;
  error_code ec;
  std::vector<tcp::endpoint> endpoints;
};

Task<std::string> Dialer::dial(Socket& socket, const Url& url) {
  std::string problem = co_await resolve(url);
  if (problem.empty()) problem = co_await connect(socket);
  co_return problem;
}

void Dialer::abort() {
  aborted_ = true;
  if (lookup_) lookup_->answered_or_late.cancel();
}

Task<std::string> Dialer::resolve(const Url& url) {
  error_code not_numeric;
  const auto address = net::ip::make_address(url.host, not_numeric);
  if (!not_numeric) {
    // A numeric host needs no name service, and so no resolver thread.
    std::uint16_t port = 0;
    std::from_chars(url.port.data(), url.port.data() + url.port.size(), port);
    endpoints_.assign(1, tcp::endpoint(address, port));
    co_return std::string();
  }
  lookup_ = std::make_shared<Lookup>(executor_);
  lookup_->answered_or_late.expires_after(limit_);
  lookup_->resolver.async_resolve(url.host, url.port, [lookup = lookup_](error_code ec, Resolver::results_type found) {
    lookup->answered = true;
    lookup->ec = ec;
    for (const auto& entry : found) lookup->endpoints.push_back(entry.endpoint());
    lookup->answered_or_late.cancel();
  });
  co_await lookup_->answered_or_late.async_wait(kToken);
  const std::shared_ptr<Lookup> lookup = std::move(lookup_);
  lookup_.reset();
  lookup->resolver.cancel();
  if (aborted_) co_return std::string("given up");
  if (!lookup->answered) co_return "no answer about the name " + url.host;
  if (lookup->ec) co_return lookup->ec.message();
  endpoints_ = std::move(lookup->endpoints);
  co_return std::string();
}

Task<std::string> Dialer::connect(Socket& socket) {
  std::string problem = "the name has no address";
  for (const tcp::endpoint& endpoint : endpoints_) {
    if (aborted_) break;
    error_code ec;
    socket.close(ec);
    TimeLimit limit(socket, limit_);
    const auto [failed] = co_await socket.async_connect(endpoint, kToken);
    if (aborted_) break;
    if (!failed) {
      set_low_latency(socket);
      co_return std::string();
    }
    problem = limit.expired() ? "no answer to the connection" : failed.message();
  }
  co_return aborted_ ? std::string("given up") : problem;
}

}  // namespace bus
