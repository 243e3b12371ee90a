#pragma once
#include <chrono>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

// How personactl reaches a running personad: one interface over the admin socket and the bus.
namespace personad::ctl {

/// What personactl leaves with.
enum class Exit {
  ok = 0,
  error_answer = 1,  ///< personad answered that it cannot or will not
  wrong_use = 2,
  no_connection = 3,  ///< nobody there, or nobody who answers
};

/// What went wrong and, where known, what to do about it.
struct Failure {
  Exit exit = Exit::error_answer;
  std::string words;
};

/// The answer to one request: a result, or a failure.
struct Reply {
  nlohmann::json result;
  std::optional<Failure> failure = std::nullopt;
};

/// One request as it goes out.
struct Asked {
  std::string type;
  std::string request_id;
  std::string line;  ///< the whole message as JSON text
};

/// How long one request may take.
inline constexpr std::chrono::seconds kPatience{10};

[[nodiscard]] Asked make_request(std::string_view type, nlohmann::json data);
/// The reply in `line` when that is the answer to `asked` (or says why the line was not understood), else nothing.
[[nodiscard]] std::optional<Reply> answer_in(std::string_view line, const Asked& asked);

/// A way to a running personad.
class Connection {
 public:
  /// A turn as `personad.turn` carries it: `session_id`, `role`, `content`, `timestamp`, and more where known.
  using OnTurn = std::function<void(const nlohmann::json& turn)>;

  virtual ~Connection() = default;
  /// Sends one request and waits for its answer, at most `kPatience`.
  [[nodiscard]] virtual Reply ask(std::string_view type, nlohmann::json data) = 0;
  /// Reports each turn of a conversation (of all when empty) until the connection ends; returns why it ended.
  [[nodiscard]] virtual Failure tail(const std::string& session_id, const OnTurn& on_turn) = 0;
};

}  // namespace personad::ctl
