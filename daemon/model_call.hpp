#pragma once
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bus/sockets.hpp"
#include "daemon/http_exchange.hpp"
#include "daemon/http_url.hpp"
#include "daemon/model_answers.hpp"
#include "persona/memory/language_model.hpp"

namespace personad {

/// One call to a model endpoint, from the question to the answer.
///
/// Ownership: the queue or the coroutine that it is in, and its time limit's handler. Threading: io thread.
class ModelCall {
 public:
  ModelCall(bus::Executor executor, persona::ModelAddress where) : address(std::move(where)), time_limit(executor) {}
  virtual ~ModelCall() = default;
  ModelCall(const ModelCall&) = delete;
  ModelCall& operator=(const ModelCall&) = delete;

  /// What follows the address.
  [[nodiscard]] virtual std::string_view route() const = 0;
  [[nodiscard]] virtual std::string request(const std::string& model) const = 0;
  /// Takes the body of an answer; the error when it is none.
  [[nodiscard]] virtual std::optional<persona::ModelError> take(std::string_view body) = 0;
  /// Tells whoever asked what was taken, or the error. Once.
  virtual void tell(std::optional<persona::ModelError> problem) = 0;
  /// Whether what was not asked yet is an answer already.
  [[nodiscard]] virtual bool is_trivial() const { return false; }

  /// Ends what runs, with this as the reason.
  void give_up(persona::ModelError why) {
    if (!given_up) given_up = std::move(why);
    if (exchange != nullptr) exchange->abort();
  }

  const persona::ModelAddress address;
  HttpUrl url;  ///< of the address
  bus::Timer time_limit;
  HttpExchange* exchange = nullptr;  ///< that runs
  std::optional<persona::ModelError> given_up;
};

/// What `ModelCall` is for an answer of some type.
template <typename T>
class ModelCallFor : public ModelCall {
 public:
  using Done = std::function<void(persona::ModelResult<T>)>;
  ModelCallFor(bus::Executor executor, persona::ModelAddress where, Done done)
      : ModelCall(executor, std::move(where)), done_(std::move(done)) {}

  std::optional<persona::ModelError> take(std::string_view body) override {
    auto result = read(body);
    if (auto* error = std::get_if<persona::ModelError>(&result)) return std::move(*error);
    answer_ = std::get<T>(std::move(result));
    return std::nullopt;
  }

  void tell(std::optional<persona::ModelError> problem) override {
    const Done done = std::exchange(done_, nullptr);
    if (!done) return;
    if (problem) {
      done(*std::move(problem));
    } else {
      done(std::move(answer_));
    }
  }

 protected:
  [[nodiscard]] virtual persona::ModelResult<T> read(std::string_view body) const = 0;

 private:
  Done done_;
  T answer_;
};

class ChatCall final : public ModelCallFor<std::string> {
 public:
  ChatCall(bus::Executor executor, persona::ChatAsk ask, Done done)
      : ModelCallFor(executor, std::move(ask.address), std::move(done)),
        prompt_(std::move(ask.prompt)),
        max_tokens_(ask.max_tokens) {}
  std::string_view route() const override { return "/chat/completions"; }
  std::string request(const std::string& model) const override { return chat_request(model, prompt_, max_tokens_); }

 private:
  persona::ModelResult<std::string> read(std::string_view body) const override { return read_chat(body, max_tokens_); }

  std::string prompt_;
  std::size_t max_tokens_;
};

class EmbedCall final : public ModelCallFor<persona::LanguageModels::Vectors> {
 public:
  EmbedCall(bus::Executor executor, persona::ModelAddress where, std::vector<std::string> texts, Done done)
      : ModelCallFor(executor, std::move(where), std::move(done)), texts_(std::move(texts)) {}
  std::string_view route() const override { return "/embeddings"; }
  std::string request(const std::string& model) const override { return embeddings_request(model, texts_); }
  bool is_trivial() const override { return texts_.empty(); }

 private:
  persona::ModelResult<persona::LanguageModels::Vectors> read(std::string_view body) const override {
    return read_embeddings(body, texts_.size());
  }

  std::vector<std::string> texts_;
};

}  // namespace personad
