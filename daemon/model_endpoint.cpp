#include "daemon/model_endpoint.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <utility>

#include "daemon/bearer_key.hpp"
#include "daemon/model_answers.hpp"

namespace personad {
namespace {

namespace net = boost::asio;
using bus::error_code;
using bus::Task;
using persona::ModelError;
using Kind = ModelError::Kind;
using std::chrono::seconds;
using Clock = std::chrono::steady_clock;

constexpr seconds kLongestTimeout{86400};
constexpr std::size_t kMostListedModels = 16;
constexpr std::size_t kMostKeyWarnings = 64;
// Some hundred microseconds of parsing.
constexpr std::size_t kReadAtOnce = 32768;

ModelError closed() {
  return failure(Kind::closed, "shutting down");
}

/// An answer that is being taken apart in another thread.
struct Reading {
  Reading(bus::Executor executor, std::string answer) : body(std::move(answer)), done(executor) {}
  std::string body;
  std::optional<ModelError> problem;
  bus::Timer done;
};

}  // namespace

ModelEndpoint::ModelEndpoint(std::shared_ptr<ModelSurroundings> surroundings, const HttpUrl& url,
                             std::function<void()> at_rest)
    : surroundings_(std::move(surroundings)),
      at_rest_(std::move(at_rest)),
      gate_(surroundings_->settings.gate, surroundings_->settings.uniform),
      origin_(surroundings_->executor, url, surroundings_->proxies.way_to(url), surroundings_->settings.http,
              surroundings_->trust) {}

void ModelEndpoint::submit(const SharedCall& call) {
  const auto now = Clock::now();
  last_used_ = now;
  switch (gate_.enter(now, waiting_.size())) {
    case EndpointGate::Entry::runs:
      limit_time(call);
      return start(call);
    case EndpointGate::Entry::waits:
      limit_time(call);
      return waiting_.push_back(call);
    case EndpointGate::Entry::full:
      gate_.turned_away();
      return surroundings_->tell_later(call, failure(Kind::overloaded, "too many calls wait for this endpoint"));
    case EndpointGate::Entry::down:
      gate_.turned_away();
      return surroundings_->tell_later(call, gate_.reason(now));
  }
}

void ModelEndpoint::close() {
  for (const SharedCall& call : std::exchange(waiting_, {})) {
    call->time_limit.cancel();
    surroundings_->tell_later(call, closed());
  }
  for (const SharedCall& call : running_) {
    call->time_limit.cancel();
    call->give_up(closed());
  }
  origin_.drop_kept();
}

nlohmann::json ModelEndpoint::status() const {
  nlohmann::json one = {
      {"url", origin_.url().origin()}, {"state", gate_.is_down() ? "down" : "ok"}, {"calls", gate_.calls()},
      {"failures", gate_.failures()},  {"turned_away", gate_.turned_aways()},      {"running", running_.size()},
      {"waiting", waiting_.size()}};
  if (!gate_.last_error().empty()) one["last_error"] = gate_.last_error();
  if (gate_.is_down()) one["tried_again_in_s"] = std::chrono::ceil<seconds>(gate_.until_tried(Clock::now())).count();
  return one;
}

void ModelEndpoint::limit_time(const SharedCall& call) {
  const auto limit = std::clamp(call->address.timeout, seconds(1), kLongestTimeout);
  call->time_limit.expires_after(limit);
  call->time_limit.async_wait([self = shared_from_this(), call, limit](error_code ec) {
    if (!ec && !self->surroundings_->abandoned) self->time_is_up(call, limit);
  });
}

void ModelEndpoint::time_is_up(const SharedCall& call, seconds limit) {
  const std::string within = " within " + std::to_string(limit.count()) + " s";
  if (running_.contains(call)) return call->give_up(failure(Kind::timed_out, "no answer" + within));
  // Not found: it ended while this was queued.
  if (std::erase(waiting_, call) == 0) return;
  gate_.turned_away();
  call->tell(failure(Kind::timed_out, "not its turn" + within));
}

void ModelEndpoint::start(const SharedCall& call) {
  gate_.began();
  running_.insert(call);
  // Not from inside the call: what needs no network would be answered there.
  net::post(surroundings_->executor, [self = shared_from_this(), call] {
    net::co_spawn(
        self->surroundings_->executor, [self, call] { return self->run(call); },
        [self](std::exception_ptr problem) {
          if (problem) std::rethrow_exception(problem);
        });
  });
}

void ModelEndpoint::start_waiting() {
  const auto now = Clock::now();
  if (gate_.until_tried(now).count() > 0) {
    for (const SharedCall& call : std::exchange(waiting_, {})) {
      call->time_limit.cancel();
      gate_.turned_away();
      surroundings_->tell_later(call, gate_.reason(now));
    }
  }
  while (!waiting_.empty() && gate_.has_room(now)) {
    const SharedCall call = std::move(waiting_.front());
    waiting_.pop_front();
    start(call);
  }
}

void ModelEndpoint::ended(const SharedCall& call, Problem problem) {
  call->time_limit.cancel();
  running_.erase(call);
  if (surroundings_->abandoned) return;
  log(gate_.ended(Clock::now(), problem));
  if (gate_.is_down()) origin_.drop_kept();
  start_waiting();
  // Last: whoever is told may ask again, or end everything.
  call->tell(std::move(problem));
  if (at_rest_ && is_at_rest()) at_rest_();
}

void ModelEndpoint::log(EndpointGate::Change change) const {
  const std::string url = origin_.url().origin();
  if (change == EndpointGate::Change::works_again) spdlog::info("models: {} works again", url);
  if (change != EndpointGate::Change::went_down) return;
  spdlog::warn("models: {} is down: {}; tried again in {} ms, then less and less often", url, gate_.last_error(),
               gate_.until_tried(Clock::now()).count());
}

ModelEndpoint::Problem ModelEndpoint::read_key(const ModelCall& call, std::string& bearer) {
  auto key = read_bearer_key(call.address, surroundings_->settings.environment);
  if (!key) return failure(Kind::misconfigured, key.error());
  auto& warned = surroundings_->open_key_files;
  const std::string& file = call.address.key_file;
  if (key->readable_for_everybody && warned.size() < kMostKeyWarnings && warned.insert(file).second) {
    spdlog::warn("models: every user of this host can read the key file {}", file);
  }
  bearer = std::move(key->text);
  return std::nullopt;
}

Task<void> ModelEndpoint::run(SharedCall call) {
  Problem problem = co_await perform(call);
  if (problem && call->given_up) problem = std::move(call->given_up);
  ended(call, std::move(problem));
}

Task<ModelEndpoint::Problem> ModelEndpoint::perform(SharedCall call) {
  HttpRequest request;
  Problem problem = read_key(*call, request.bearer);
  if (problem) co_return problem;
  std::string model = call->address.model;
  const bool named = !model.empty();
  if (!named) problem = co_await find_model(*call, request.bearer, model);
  if (problem) co_return problem;
  request.method = "POST";
  request.path = call->url.path + std::string(call->route());
  request.body = call->request(model);
  HttpResult result = co_await exchange(*call, request);
  if (auto* error = std::get_if<ModelError>(&result)) {
    problem = std::move(*error);
  } else {
    auto& answer = std::get<HttpAnswer>(result);
    problem = error_of(answer.status, answer.retry_after, std::chrono::system_clock::now());
    std::string body = std::move(answer.body);
    if (!problem) problem = co_await take(call, std::move(body));
  }
  if (problem && !named) listed_.erase(call->url.path);
  co_return problem;
}

Task<ModelEndpoint::Problem> ModelEndpoint::find_model(ModelCall& call, const std::string& bearer, std::string& model) {
  if (const auto known = listed_.find(call.url.path); known != listed_.end()) {
    model = known->second;
    co_return Problem();
  }
  HttpRequest request;
  request.method = "GET";
  request.path = call.url.path + "/models";
  request.bearer = bearer;
  const HttpResult result = co_await exchange(call, request);
  Problem problem;
  if (const auto* error = std::get_if<ModelError>(&result)) {
    problem = *error;
  } else {
    const auto& answer = std::get<HttpAnswer>(result);
    problem = error_of(answer.status, answer.retry_after, std::chrono::system_clock::now());
    auto found = problem ? persona::ModelResult<std::string>(*problem) : read_models(answer.body);
    if (const auto* unusable = std::get_if<ModelError>(&found)) problem = *unusable;
    if (!problem) model = std::get<std::string>(std::move(found));
  }
  if (problem) {
    problem->words = "asked for its models: " + problem->words;
    co_return problem;
  }
  if (listed_.size() >= kMostListedModels) listed_.clear();
  listed_[call.url.path] = model;
  co_return problem;
}

Task<HttpResult> ModelEndpoint::exchange(ModelCall& call, const HttpRequest& request) {
  if (call.given_up) {
    HttpResult given_up = *call.given_up;
    co_return given_up;
  }
  HttpExchange one(origin_);
  call.exchange = &one;
  HttpResult result = co_await one.run(request);
  call.exchange = nullptr;
  co_return result;
}

Task<ModelEndpoint::Problem> ModelEndpoint::take(SharedCall call, std::string body) {
  if (body.size() <= kReadAtOnce) co_return call->take(body);
  auto reading = std::make_shared<Reading>(surroundings_->executor, std::move(body));
  // Both are moved on to the io thread: no other may be the last to let go of them.
  net::post(surroundings_->reader(), [reading, call, executor = surroundings_->executor]() mutable {
    reading->problem = call->take(reading->body);
    net::post(executor, [reading = std::move(reading), call = std::move(call)] { reading->done.cancel(); });
  });
  reading->done.expires_at(Clock::time_point::max());
  co_await reading->done.async_wait(bus::kToken);
  co_return std::move(reading->problem);
}

}  // namespace personad
