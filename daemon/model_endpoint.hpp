#pragma once
#include <boost/asio/thread_pool.hpp>
#include <chrono>
#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>

#include "bus/sockets.hpp"
#include "daemon/endpoint_gate.hpp"
#include "daemon/http_exchange.hpp"
#include "daemon/model_call.hpp"
#include "daemon/model_endpoints.hpp"

namespace personad {

/// What all endpoints share. Threading: io thread, but for what runs in the reader.
class ModelSurroundings : public std::enable_shared_from_this<ModelSurroundings> {
 public:
  ModelSurroundings(bus::Executor with, ModelEndpointSettings these);

  /// Tells whoever asked, and not from inside the call.
  void tell_later(std::shared_ptr<ModelCall> call, std::optional<persona::ModelError> problem);
  /// The thread that takes large answers apart, which would hold up the io thread.
  [[nodiscard]] boost::asio::thread_pool& reader();

  const bus::Executor executor;
  const ModelEndpointSettings settings;
  const HttpProxies proxies;
  HttpTrust trust;
  std::set<std::string> open_key_files;  ///< that were warned of
  bool abandoned = false;                ///< nobody is told anything any more

 private:
  std::optional<boost::asio::thread_pool> reader_;
};

/// One origin of models: which call runs when, and what becomes of it.
///
/// Ownership: the ModelEndpoints and the coroutines that run. Invariant: a call that was submitted is in `waiting_` or
/// in `running_`, or its answer is posted. Threading: io thread.
class ModelEndpoint : public std::enable_shared_from_this<ModelEndpoint> {
 public:
  using SharedCall = std::shared_ptr<ModelCall>;
  /// `at_rest` is called whenever the last call has ended.
  ModelEndpoint(std::shared_ptr<ModelSurroundings> surroundings, const HttpUrl& url, std::function<void()> at_rest);

  void submit(const SharedCall& call);
  /// Every call ends, as closed.
  void close();
  [[nodiscard]] bool is_at_rest() const { return running_.empty() && waiting_.empty(); }
  [[nodiscard]] std::chrono::steady_clock::time_point last_used() const { return last_used_; }
  [[nodiscard]] nlohmann::json status() const;

 private:
  using Problem = std::optional<persona::ModelError>;
  void limit_time(const SharedCall& call);
  void time_is_up(const SharedCall& call, std::chrono::seconds limit);
  void start(const SharedCall& call);
  void start_waiting();
  void ended(const SharedCall& call, Problem problem);
  void log(EndpointGate::Change change) const;
  [[nodiscard]] Problem read_key(const ModelCall& call, std::string& bearer);

  [[nodiscard]] bus::Task<void> run(SharedCall call);
  [[nodiscard]] bus::Task<Problem> perform(SharedCall call);
  [[nodiscard]] bus::Task<Problem> find_model(ModelCall& call, const std::string& bearer, std::string& model);
  [[nodiscard]] bus::Task<HttpResult> exchange(ModelCall& call, const HttpRequest& request);
  [[nodiscard]] bus::Task<Problem> take(SharedCall call, std::string body);

  std::shared_ptr<ModelSurroundings> surroundings_;
  std::function<void()> at_rest_;
  EndpointGate gate_;
  HttpOrigin origin_;
  std::deque<SharedCall> waiting_;
  std::set<SharedCall> running_;
  std::map<std::string, std::string> listed_;  // path of an address -> the model that it lists first
  std::chrono::steady_clock::time_point last_used_{};
};

}  // namespace personad
