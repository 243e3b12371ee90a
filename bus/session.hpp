#pragma once
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

// The session carrier: those fields of `context.session` that this project reads.
//
// Source: OVOS-SESSION-1 and -2, OVOS-PERSONA-1 section 3, OVOS-CONVERSE-1 section 2.2.
namespace bus {

/// The session that is local to the device and owned by the orchestrator.
inline constexpr std::string_view kDefaultSession = "default";

/// The fields of a session that `Session::read` looks at.
inline constexpr std::string_view kSessionFields[] = {"session_id", "persona_id", "response_mode", "utterance_states",
                                                      "lang"};

/// A skill that asked something and waits for the user's next utterance.
struct ResponseMode {
  std::string skill_id;
  double expires_at = 0;  ///< unix seconds
};

/// A session as one message carries it. A null or wrong-typed field counts as omitted.
struct Session {
  std::string session_id = std::string(kDefaultSession);  ///< "default" when absent, empty, or there is no session
  std::optional<std::string> persona_id;                  ///< as carried; an empty string is told apart from absent
  std::optional<ResponseMode> response_mode;
  /// Skills that wait for a response as the legacy field `utterance_states` says ("response"); nothing when absent.
  std::optional<std::vector<std::string>> awaiting_response;
  std::string lang;  ///< BCP 47; empty when absent

  [[nodiscard]] bool is_default() const { return session_id == kDefaultSession; }

  /// From `context.session`, or from a snapshot in `data`; anything but an object reads as the empty session.
  [[nodiscard]] static Session read(const nlohmann::json& carrier);
  [[nodiscard]] static Session of_context(const nlohmann::json& context);
};

}  // namespace bus
