#include <algorithm>
#include <deque>

#include "daemon/http_exchange.hpp"

namespace personad {

namespace ssl = boost::asio::ssl;
using bus::error_code;
using Clock = std::chrono::steady_clock;

ssl::context* HttpTrust::context(std::string& problem) {
  if (context_) return &*context_;
  ssl::context context(ssl::context::tls_client);
  SSL_CTX_set_min_proto_version(context.native_handle(), TLS1_2_VERSION);
  error_code ec;
  if (ca_file_.empty()) {
    context.set_default_verify_paths(ec);
  } else {
    context.load_verify_file(ca_file_, ec);
  }
  if (ec) {
    problem = "certificates of authorities (" + ca_file_ + "): " + ec.message();
    return nullptr;
  }
  context_.emplace(std::move(context));
  return &*context_;
}

/// Connections at rest, the oldest in front.
struct HttpOrigin::Kept {
  explicit Kept(bus::Executor executor) : timer(executor) {}
  struct Resting {
    Resting(std::unique_ptr<HttpWire> kept, Clock::time_point when) : wire(std::move(kept)), until(when) {}
    std::unique_ptr<HttpWire> wire;
    Clock::time_point until;
  };
  std::deque<Resting> resting;
  bus::Timer timer;
};

HttpOrigin::HttpOrigin(bus::Executor executor, HttpUrl url, HttpProxies::Way way, const HttpSettings& settings,
                       HttpTrust& trust)
    : executor_(executor),
      url_(std::move(url)),
      way_(std::move(way)),
      settings_(settings),
      trust_(trust),
      kept_(std::make_shared<Kept>(executor)) {}

HttpOrigin::~HttpOrigin() {
  drop_kept();
}

std::unique_ptr<HttpWire> HttpOrigin::take_kept() {
  while (!kept_->resting.empty()) {
    std::unique_ptr<HttpWire> wire = std::move(kept_->resting.back().wire);
    kept_->resting.pop_back();
    if (wire->rests()) return wire;
  }
  return nullptr;
}

void HttpOrigin::keep(std::unique_ptr<HttpWire> wire) {
  if (kept_->resting.size() >= settings_.most_kept) return;
  kept_->resting.emplace_back(std::move(wire), Clock::now() + settings_.keep_for);
  if (kept_->resting.size() == 1) drop_later(kept_);
}

void HttpOrigin::drop_kept() {
  kept_->resting.clear();
  kept_->timer.cancel();
}

void HttpOrigin::drop_later(const std::shared_ptr<Kept>& kept) {
  kept->timer.expires_at(kept->resting.front().until);
  kept->timer.async_wait([kept](error_code ec) {
    if (ec) return;
    const auto now = Clock::now();
    while (!kept->resting.empty() && kept->resting.front().until <= now) kept->resting.pop_front();
    if (!kept->resting.empty()) drop_later(kept);
  });
}

}  // namespace personad
