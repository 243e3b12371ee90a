#include "daemon/plugin_process.hpp"

#include <spdlog/spdlog.h>

#include <boost/asio/post.hpp>
#include <utility>

namespace personad {

namespace asio = boost::asio;
using boost::system::error_code;
using nlohmann::json;
using Clock = std::chrono::steady_clock;

namespace {
constexpr int kProtocol = 1;
}

std::string_view name(PluginProcess::State state) noexcept {
  switch (state) {
    case PluginProcess::State::starting:
      return "starting";
    case PluginProcess::State::running:
      return "running";
    case PluginProcess::State::restarting:
      return "restarting";
    case PluginProcess::State::stopping:
      return "stopping";
    case PluginProcess::State::stopped:
      return "stopped";
  }
  return "";
}

PluginProcess::PluginProcess(asio::io_context& io, Start start)
    : io_(io),
      program_(std::move(start.program)),
      settings_(std::move(start.settings)),
      limits_(start.limits),
      calls_(limits_.calls),
      health_(limits_, std::move(start.uniform)),
      time_(io),
      restart_(io) {}

boost::system::result<void, std::string> PluginProcess::launch() {
  auto started = start_child();
  if (!started) {
    last_error_ = started.error();
    state_ = State::stopped;
  }
  return started;
}

boost::system::result<void, std::string> PluginProcess::start_child() {
  // The child calls back only while it is ours, and is ours until it is reaped: it keeps us until then.
  const auto self = shared_from_this();
  PluginChild::Events events{.line = [self](std::string_view line) { self->take(line); },
                             .broken = [self](std::string why) { self->fail(std::move(why)); },
                             .exited = [self](const std::string& how) { self->exited(how); }};
  auto child = PluginChild::start(io_, program_, limits_, std::move(events));
  if (!child) return child.error();
  child_ = *child;
  why_.clear();
  missing_.clear();
  health_.started(Clock::now());
  initialize();
  return {};
}

void PluginProcess::initialize() {
  const bool sent =
      send("initialize", {{"config", settings_}, {"protocol", kProtocol}}, Clock::now() + limits_.start_time,
           [self = shared_from_this()](const PluginAnswer& answer) { self->initialized(answer); });
  if (!sent) later([self = shared_from_this()] { self->fail("its settings are larger than its queue"); });
}

void PluginProcess::initialized(const PluginAnswer& answer) {
  if (state_ != State::starting && state_ != State::restarting) return;
  switch (answer.end) {
    case PluginAnswer::End::result:
      state_ = State::running;
      health_.ready(Clock::now());
      if (on_ready_) on_ready_();
      return;
    case PluginAnswer::End::error:
      // Its settings will not be better next time: it stays away until the persona is read again.
      last_error_ = "it refuses to start: " + answer.message + " (code " + std::to_string(answer.code) + ")";
      spdlog::warn("memory plugin {}: {}", name(), last_error_);
      state_ = State::stopping;
      if (child_) child_->end();
      return;
    case PluginAnswer::End::timed_out:
      return fail("it did not answer initialize in time");
    case PluginAnswer::End::lost:
      return;  // whoever lost it has said why
  }
}

void PluginProcess::call(std::string_view method, json params, PluginCalls::Done done) {
  ++counts_.calls;
  if (missing_.contains(method)) {
    PluginAnswer none;
    none.end = PluginAnswer::End::error;
    none.code = PluginAnswer::kUnknownMethod;
    return later([done = std::move(done), none] { done(none); });
  }
  // `done` is needed again when the line finds no room.
  const auto shared = std::make_shared<PluginCalls::Done>(std::move(done));
  const auto asked = [self = shared_from_this(), method = std::string(method), shared](PluginAnswer answer) {
    if (answer.unknown_method()) self->missing_.insert(method);
    (*shared)(std::move(answer));
  };
  if (state_ == State::running) {
    if (!calls_.full() && send(method, std::move(params), Clock::now() + limits_.call_time, asked)) return;
    ++counts_.refused;
  }
  later([shared] { (*shared)({}); });
}

bool PluginProcess::send(std::string_view method, json params, Time deadline, PluginCalls::Done done) {
  std::string line = calls_.begin(method, std::move(params), deadline, std::move(done));
  if (!child_ || !child_->write(std::move(line))) {
    static_cast<void>(calls_.cancel_newest());
    return false;
  }
  watch_time();
  return true;
}

void PluginProcess::take(std::string_view line) {
  PluginCalls::Taken taken = calls_.take(line);
  if (taken.line == PluginCalls::Line::answer) {
    health_.answered();
    return taken.done(std::move(taken.answer));
  }
  ++counts_.strays;
  if (health_.stray(Clock::now())) fail("it babbles: too many lines that answer no call");
}

void PluginProcess::watch_time() {
  const auto next = calls_.next_deadline();
  if (!next || (watched_ && *watched_ <= *next)) return;
  watched_ = next;
  time_.expires_at(*next);
  time_.async_wait([self = shared_from_this()](error_code ec) {
    if (ec) return;  // an earlier time is waited for instead, or none
    self->watched_.reset();
    self->expire();
    self->watch_time();
  });
}

void PluginProcess::expire() {
  PluginAnswer late;
  late.end = PluginAnswer::End::timed_out;
  bool hung = false;
  for (const auto& done : calls_.expire(Clock::now())) {
    ++counts_.timeouts;
    hung = health_.timed_out() || hung;
    done(late);
  }
  if (hung) fail("it is hung: too many calls in a row were not answered in time");
}

void PluginProcess::fail(std::string why) {
  if (!child_ || (state_ != State::starting && state_ != State::running && state_ != State::restarting)) return;
  state_ = State::restarting;
  if (why_.empty()) why_ = std::move(why);
  child_->end();
  lose_calls();
}

void PluginProcess::exited(const std::string& how) {
  child_.reset();
  lose_calls();
  if (state_ == State::stopping || state_ == State::stopped) return gone();
  last_error_ = why_.empty() ? how : why_ + "; " + how;
  state_ = State::restarting;
  wait_and_restart();
}

void PluginProcess::wait_and_restart() {
  const auto wait = health_.ended(Clock::now());
  if (const auto held = log_limit_.allow(Clock::now())) {
    spdlog::warn("memory plugin {} failed: {}; it is started again in {} ms ({} failures since the last such line)",
                 name(), last_error_, wait.count(), *held + 1);
  }
  restart_.expires_after(wait);
  restart_.async_wait([self = shared_from_this()](error_code ec) {
    if (!ec && self->state_ == State::restarting) self->start_again();
  });
}

void PluginProcess::start_again() {
  ++counts_.restarts;
  const auto started = start_child();
  if (started) return;
  last_error_ = started.error();
  wait_and_restart();
}

void PluginProcess::lose_calls() {
  // Not from in here: who made the call may be the caller of this.
  for (auto& done : calls_.abandon()) later([done = std::move(done)] { done({}); });
}

void PluginProcess::stop(std::function<void()> done) {
  if (done) stopped_.push_back(std::move(done));
  if (state_ == State::stopping) return;
  const bool polite = state_ == State::running;
  state_ = State::stopping;
  restart_.cancel();
  if (!child_) return later([self = shared_from_this()] { self->gone(); });
  if (!polite || !send("close", json::object(), Clock::now() + limits_.end_time, [](const PluginAnswer&) {})) {
    return child_->end();
  }
  child_->close_input();
  restart_.expires_after(limits_.end_time);
  restart_.async_wait([self = shared_from_this()](error_code ec) {
    if (!ec && self->child_) self->child_->end();
  });
}

void PluginProcess::gone() {
  state_ = State::stopped;
  restart_.cancel();
  time_.cancel();
  watched_.reset();
  on_ready_ = {};
  for (const auto& done : std::exchange(stopped_, {})) done();
}

void PluginProcess::abandon() {
  state_ = State::stopped;
  restart_.cancel();
  time_.cancel();
  watched_.reset();
  if (child_) child_->kill_now();
  child_.reset();
  lose_calls();
}

void PluginProcess::later(std::function<void()> what) {
  asio::post(io_, std::move(what));
}

}  // namespace personad
