#include "daemon/model_endpoints.hpp"

#include <pthread.h>

#include <algorithm>
#include <boost/asio/post.hpp>
#include <cstdlib>
#include <map>
#include <utility>

#include "daemon/model_call.hpp"
#include "daemon/model_endpoint.hpp"

namespace personad {
namespace {

namespace net = boost::asio;
using persona::ModelError;
using Kind = ModelError::Kind;

std::optional<std::string> of_process(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  return value != nullptr ? std::optional<std::string>(value) : std::nullopt;
}

ModelEndpointSettings completed(ModelEndpointSettings settings) {
  if (!settings.environment) settings.environment = of_process;
  if (!settings.uniform) settings.uniform = bus::Backoff::random();
  return settings;
}

}  // namespace

ModelSurroundings::ModelSurroundings(bus::Executor with, ModelEndpointSettings these)
    : executor(with),
      settings(completed(std::move(these))),
      proxies(settings.environment),
      trust(settings.http.ca_file) {}

void ModelSurroundings::tell_later(std::shared_ptr<ModelCall> call, std::optional<ModelError> problem) {
  net::post(executor, [self = shared_from_this(), call = std::move(call), problem = std::move(problem)] {
    if (!self->abandoned) call->tell(problem);
  });
}

net::thread_pool& ModelSurroundings::reader() {
  if (!reader_) {
    reader_.emplace(1);
    net::post(*reader_, [] { ::pthread_setname_np(::pthread_self(), "models"); });
  }
  return *reader_;
}

/// Which endpoints there are.
///
/// Ownership: the ModelEndpoints, and what it posted. Invariant: after `abandon` nobody is told anything.
class ModelEndpoints::Registry : public std::enable_shared_from_this<Registry> {
 public:
  Registry(net::io_context& io, ModelEndpointSettings settings)
      : surroundings_(std::make_shared<ModelSurroundings>(io.get_executor(), std::move(settings))) {}

  [[nodiscard]] bus::Executor executor() const { return surroundings_->executor; }
  void submit(const std::shared_ptr<ModelCall>& call);
  void stop(std::function<void()> done);
  void abandon();
  [[nodiscard]] nlohmann::json status() const;

 private:
  [[nodiscard]] ModelEndpoint* endpoint_for(const HttpUrl& url);
  bool make_room();
  void finish_later();
  void finish_if_done();

  std::shared_ptr<ModelSurroundings> surroundings_;
  std::map<std::string, std::shared_ptr<ModelEndpoint>> endpoints_;
  std::vector<std::function<void()>> when_stopped_;
  bool stopping_ = false;
};

void ModelEndpoints::Registry::submit(const std::shared_ptr<ModelCall>& call) {
  if (stopping_) return surroundings_->tell_later(call, failure(Kind::closed, "shutting down"));
  if (call->is_trivial()) return surroundings_->tell_later(call, std::nullopt);
  auto url = HttpUrl::parse(call->address.api_url);
  if (!url) {
    // Without the URL: it may hold a password, which is what may be wrong with it.
    return surroundings_->tell_later(call, failure(Kind::misconfigured, "api_url " + url.error()));
  }
  call->url = *std::move(url);
  if (ModelEndpoint* endpoint = endpoint_for(call->url)) return endpoint->submit(call);
  surroundings_->tell_later(call, failure(Kind::overloaded, "too many endpoints are in use"));
}

ModelEndpoint* ModelEndpoints::Registry::endpoint_for(const HttpUrl& url) {
  const std::string origin = url.origin();
  if (const auto known = endpoints_.find(origin); known != endpoints_.end()) return known->second.get();
  if (endpoints_.size() >= surroundings_->settings.most_endpoints && !make_room()) return nullptr;
  auto at_rest = [weak = weak_from_this()] {
    if (const auto self = weak.lock()) self->finish_later();
  };
  auto made = std::make_shared<ModelEndpoint>(surroundings_, url, std::move(at_rest));
  return endpoints_.emplace(origin, std::move(made)).first->second.get();
}

bool ModelEndpoints::Registry::make_room() {
  auto oldest = endpoints_.end();
  for (auto one = endpoints_.begin(); one != endpoints_.end(); ++one) {
    if (!one->second->is_at_rest()) continue;
    if (oldest == endpoints_.end() || one->second->last_used() < oldest->second->last_used()) oldest = one;
  }
  if (oldest == endpoints_.end()) return false;
  endpoints_.erase(oldest);
  return true;
}

void ModelEndpoints::Registry::stop(std::function<void()> done) {
  when_stopped_.push_back(std::move(done));
  stopping_ = true;
  for (auto& [origin, endpoint] : endpoints_) endpoint->close();
  finish_later();
}

void ModelEndpoints::Registry::finish_later() {
  // Behind the answers that are posted already.
  if (stopping_) net::post(executor(), [self = shared_from_this()] { self->finish_if_done(); });
}

void ModelEndpoints::Registry::finish_if_done() {
  const auto is_busy = [](const auto& one) { return !one.second->is_at_rest(); };
  if (std::any_of(endpoints_.begin(), endpoints_.end(), is_busy)) return;
  for (auto& done : std::exchange(when_stopped_, {})) {
    if (done) done();
  }
}

void ModelEndpoints::Registry::abandon() {
  surroundings_->abandoned = true;
  when_stopped_.clear();
  stopping_ = true;
  for (auto& [origin, endpoint] : endpoints_) endpoint->close();
}

nlohmann::json ModelEndpoints::Registry::status() const {
  auto all = nlohmann::json::array();
  for (const auto& [origin, endpoint] : endpoints_) all.push_back(endpoint->status());
  return all;
}

ModelEndpoints::ModelEndpoints(net::io_context& io, ModelEndpointSettings settings)
    : registry_(std::make_shared<Registry>(io, std::move(settings))) {}
ModelEndpoints::~ModelEndpoints() {
  registry_->abandon();
}
void ModelEndpoints::chat(persona::ChatAsk ask, Answer done) {
  registry_->submit(std::make_shared<ChatCall>(registry_->executor(), std::move(ask), std::move(done)));
}
void ModelEndpoints::embed(persona::ModelAddress address, std::vector<std::string> texts,
                           std::function<void(persona::ModelResult<Vectors>)> done) {
  registry_->submit(
      std::make_shared<EmbedCall>(registry_->executor(), std::move(address), std::move(texts), std::move(done)));
}
void ModelEndpoints::stop(std::function<void()> done) {
  registry_->stop(std::move(done));
}
nlohmann::json ModelEndpoints::status() const {
  return registry_->status();
}

}  // namespace personad
