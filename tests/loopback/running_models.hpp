#pragma once
#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/spdlog.h>

#include <future>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "daemon/model_endpoints.hpp"
#include "tests/loopback/io_thread.hpp"

namespace tests {

/// Settings that nothing around the test has a say in, for endpoints that are tried again at once.
inline personad::ModelEndpointSettings quick_models() {
  personad::ModelEndpointSettings settings;
  settings.gate.backoff.first = std::chrono::milliseconds(0);
  settings.gate.backoff.most = std::chrono::milliseconds(0);
  settings.environment = [](const std::string&) { return std::nullopt; };
  settings.uniform = [](std::int64_t most) { return most; };
  return settings;
}

/// The same, for endpoints that are not tried again while a test lasts.
inline personad::ModelEndpointSettings patient_models() {
  auto settings = quick_models();
  settings.gate.backoff.first = std::chrono::hours(1);
  settings.gate.backoff.most = std::chrono::hours(1);
  return settings;
}

inline personad::Environment environment_of(std::map<std::string, std::string> variables) {
  return [variables = std::move(variables)](const std::string& name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    return found == variables.end() ? std::nullopt : std::optional<std::string>(found->second);
  };
}

inline persona::ModelAddress address_of(std::string url, std::string model = "small") {
  persona::ModelAddress address;
  address.api_url = std::move(url);
  address.model = std::move(model);
  address.timeout = std::chrono::seconds(20);
  return address;
}

/// An answer that comes in another thread.
template <typename T>
class Pending {
 public:
  explicit Pending(std::future<persona::ModelResult<T>> future) : future_(std::move(future)) {}
  [[nodiscard]] bool is_there() const { return future_.wait_for(std::chrono::seconds(0)) == std::future_status::ready; }
  /// An error of kind `closed` with words of its own when none came in time.
  persona::ModelResult<T> result() {
    if (future_.wait_for(std::chrono::seconds(30)) == std::future_status::ready) return future_.get();
    persona::ModelError none;
    none.kind = persona::ModelError::Kind::closed;
    none.words = "the test waited too long";
    return none;
  }
  /// The answer; what its type has by default when there was an error.
  T answer() {
    auto result = this->result();
    if (auto* error = std::get_if<persona::ModelError>(&result)) {
      FAIL_CHECK("an error: ", error->words);
      return T();
    }
    return std::get<T>(std::move(result));
  }
  /// The error; kind `closed` without words when there was an answer.
  persona::ModelError error() {
    auto result = this->result();
    if (auto* error = std::get_if<persona::ModelError>(&result)) return *error;
    persona::ModelError none;
    none.kind = persona::ModelError::Kind::closed;
    return none;
  }

 private:
  std::future<persona::ModelResult<T>> future_;
};

/// Model endpoints in a thread of their own.
class RunningModels {
 public:
  explicit RunningModels(personad::ModelEndpointSettings settings = quick_models())
      : models_(std::make_unique<personad::ModelEndpoints>(thread_.io(), std::move(settings))) {}
  ~RunningModels() {
    if (models_) destroy();
  }

  Pending<std::string> chat(const persona::ModelAddress& address, const std::string& prompt = "a prompt",
                            std::size_t max_tokens = 256) {
    persona::ChatAsk ask;
    ask.address = address;
    ask.prompt = prompt;
    ask.max_tokens = max_tokens;
    auto promise = std::make_shared<std::promise<persona::ModelResult<std::string>>>();
    Pending<std::string> pending(promise->get_future());
    thread_.call([&] { models_->chat(ask, [promise](auto result) { promise->set_value(std::move(result)); }); });
    return pending;
  }
  using Vectors = persona::LanguageModels::Vectors;
  Pending<Vectors> embed(const persona::ModelAddress& address, const std::vector<std::string>& texts) {
    auto promise = std::make_shared<std::promise<persona::ModelResult<Vectors>>>();
    Pending<Vectors> pending(promise->get_future());
    thread_.call(
        [&] { models_->embed(address, texts, [promise](auto result) { promise->set_value(std::move(result)); }); });
    return pending;
  }
  /// Whether a call to this address, which must be one that fails, is answered before it returns; waits for the answer.
  bool is_told_from_inside(const persona::ModelAddress& address) {
    auto told = std::make_shared<std::promise<bool>>();
    auto inside = std::make_shared<bool>(true);
    thread_.call([&] {
      persona::ChatAsk ask;
      ask.address = address;
      models_->chat(ask, [told, inside](auto) { told->set_value(*inside); });
      *inside = false;
    });
    return told->get_future().get();
  }
  bool stop() {
    return thread_.wait_done([this](std::function<void()> done) { models_->stop(std::move(done)); });
  }
  void destroy() {
    thread_.call([this] { models_.reset(); });
  }
  [[nodiscard]] nlohmann::json status() {
    return thread_.call([this] { return models_->status(); });
  }
  [[nodiscard]] IoThread& thread() { return thread_; }

 private:
  IoThread thread_;
  std::unique_ptr<personad::ModelEndpoints> models_;
};

/// Everything that is logged while it is there.
class CapturedLog {
 public:
  CapturedLog() : before_(spdlog::default_logger()) {
    auto sink = std::make_shared<spdlog::sinks::ostream_sink_mt>(text_);
    auto logger = std::make_shared<spdlog::logger>("captured", std::move(sink));
    logger->set_level(spdlog::level::trace);
    spdlog::set_default_logger(std::move(logger));
  }
  ~CapturedLog() { spdlog::set_default_logger(before_); }
  CapturedLog(const CapturedLog&) = delete;
  CapturedLog& operator=(const CapturedLog&) = delete;
  /// Only while nothing logs.
  [[nodiscard]] std::string text() const { return text_.str(); }
  [[nodiscard]] std::size_t count(const std::string& part) const {
    const std::string all = text();
    std::size_t found = 0;
    for (std::size_t at = all.find(part); at != std::string::npos; at = all.find(part, at + 1)) ++found;
    return found;
  }

 private:
  std::ostringstream text_;
  std::shared_ptr<spdlog::logger> before_;
};

}  // namespace tests
