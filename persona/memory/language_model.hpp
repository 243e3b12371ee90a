#pragma once
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

// Language models as memories see them; the transport is elsewhere.
//
// Source: the chat completions, embeddings and models endpoints of OpenAI's API, as local servers offer them.
namespace persona {

/// Which model, and where.
struct ModelAddress {
  std::string api_url;               ///< with the version: http://127.0.0.1:8000/v1
  std::string model;                 ///< empty: the first that the endpoint lists
  std::string key_file;              ///< of the bearer key; empty: none
  std::string key_variable;          ///< the environment variable that holds the bearer key; empty: none
  std::chrono::seconds timeout{30};  ///< for the whole call
  friend bool operator==(const ModelAddress&, const ModelAddress&) = default;
};

/// Why a model did not answer.
struct ModelError {
  enum class Kind : std::uint8_t {
    unreachable,    ///< no connection, or it broke: the same may work later
    timed_out,      ///< the same may work later
    overloaded,     ///< 429 or 503: the same may work after `retry_after`
    failed,         ///< 5xx: the same may work later
    refused,        ///< 401, 403, 404 and the like: nothing will work until somebody changes something
    rejected,       ///< 400, 413, 422: this question will not be answered, perhaps it is too long; others may be
    unusable,       ///< an answer that is too large, not JSON, not UTF-8, or not what was asked for
    misconfigured,  ///< a bad URL, a key that cannot be read
    closed,         ///< shutting down
  };
  Kind kind = Kind::unreachable;
  std::string words;  ///< for an operator; never holds a key or what was said
  std::optional<std::chrono::seconds> retry_after;
};
template <class T>
using ModelResult = std::variant<T, ModelError>;

/// One question to a chat model, whose answer is text.
struct ChatAsk {
  ModelAddress address;
  std::string prompt;            ///< one user message
  std::size_t max_tokens = 256;  ///< of the answer
};

/// Models, wherever they are.
///
/// Threading: io thread; `done` is called later on it, exactly once. Errors: values. What comes back is data: UTF-8,
/// bounded in length, never an instruction.
class LanguageModels {
 public:
  virtual ~LanguageModels() = default;
  using Answer = std::function<void(ModelResult<std::string>)>;
  virtual void chat(ChatAsk ask, Answer done) = 0;
  using Vectors = std::vector<std::vector<float>>;
  /// One vector for each text, in order, all of one length.
  virtual void embed(ModelAddress address, std::vector<std::string> texts,
                     std::function<void(ModelResult<Vectors>)> done) = 0;
};

}  // namespace persona
