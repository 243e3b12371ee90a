#pragma once
#include <boost/asio/io_context.hpp>
#include <cstddef>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bus/backoff.hpp"
#include "daemon/endpoint_gate.hpp"
#include "daemon/http_exchange.hpp"
#include "daemon/http_proxy.hpp"
#include "persona/memory/language_model.hpp"

namespace personad {

struct ModelEndpointSettings {
  HttpSettings http;
  EndpointGate::Settings gate;
  std::size_t most_endpoints = 64;  ///< known at a time; one more takes the place of one that is at rest
  Environment environment;          ///< for the proxies and keys; empty: the process's
  bus::Backoff::Uniform uniform;    ///< for the waits of an endpoint that is down; empty: random
};

/// The language models that are reached over HTTP.
///
/// An endpoint is an origin (scheme, host, port): its calls share connections, a bound on how many run and wait, and
/// what is known of its being down. `timeout` counts from the call, waiting included. Where no model is named, the
/// first that the endpoint lists is asked for, and remembered until a call with it fails.
/// Threading: io thread. Lifetime: `stop` before destruction; a call that is under way at destruction is never
/// answered. Source: docs/model-endpoints.md.
class ModelEndpoints final : public persona::LanguageModels {
 public:
  explicit ModelEndpoints(boost::asio::io_context& io, ModelEndpointSettings settings = {});
  ~ModelEndpoints() override;
  void chat(persona::ChatAsk ask, Answer done) override;
  void embed(persona::ModelAddress address, std::vector<std::string> texts,
             std::function<void(persona::ModelResult<Vectors>)> done) override;
  /// Every call, those under way and those to come, is answered as closed; then `done`, once nothing runs any more.
  void stop(std::function<void()> done);
  /// One object for each endpoint that was asked, for the status: `url`, `state`, `calls`, `failures`, ...
  [[nodiscard]] nlohmann::json status() const;

  class Registry;  // shared with what it has posted

 private:
  std::shared_ptr<Registry> registry_;
};

}  // namespace personad
