#pragma once
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace personad {

/// How a call of a plugin ended.
struct PluginAnswer {
  enum class End : std::uint8_t { result, error, timed_out, lost };
  End end = End::lost;
  nlohmann::json result;  ///< with End::result
  std::int64_t code = 0;  ///< with End::error
  std::string message;    ///< with End::error: the program's words, cut to `kMaxMessageBytes`
  static constexpr std::size_t kMaxMessageBytes = 200;

  static constexpr std::int64_t kUnknownMethod = -32601;
  [[nodiscard]] bool unknown_method() const { return end == End::error && code == kUnknownMethod; }
};

/// The calls of JSON-RPC 2.0 that wait for their answers: requests out, answers in, matched by id.
///
/// Invariant: each `Done` is handed out exactly once, to be called by whoever got it; none is called in here.
/// Threading: none. Errors: a line of any bytes is one of `Line`; nothing throws. Source: jsonrpc.org/specification.
class PluginCalls {
 public:
  using Time = std::chrono::steady_clock::time_point;
  using Done = std::function<void(PluginAnswer)>;
  enum class Line : std::uint8_t {
    answer,    ///< of a call that waits
    unasked,   ///< well-formed, but of no call that waits: late, a notification, a request
    nonsense,  ///< not JSON-RPC 2.0
  };
  struct Taken {
    Line line = Line::nonsense;
    Done done;
    PluginAnswer answer;
  };

  /// At most `most` wait at a time.
  explicit PluginCalls(std::size_t most) : most_(most) {}

  [[nodiscard]] bool full() const { return waiting_.size() >= most_; }
  /// The request as one line, its newline included. `done` waits until `deadline`.
  [[nodiscard]] std::string begin(std::string_view method, nlohmann::json params, Time deadline, Done done);
  /// Takes back the newest call, whose line could not be sent.
  [[nodiscard]] Done cancel_newest();
  [[nodiscard]] Taken take(std::string_view line);
  /// Calls whose time is over, oldest first.
  [[nodiscard]] std::vector<Done> expire(Time now);
  /// When the next one's time is over.
  [[nodiscard]] std::optional<Time> next_deadline() const;
  /// All that wait, oldest first: the program is gone.
  [[nodiscard]] std::vector<Done> abandon();

 private:
  struct Waiting {
    Time deadline;
    Done done;
  };
  std::size_t most_;
  std::uint64_t last_id_ = 0;
  std::map<std::uint64_t, Waiting> waiting_;
};

}  // namespace personad
