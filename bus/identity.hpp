#pragma once
#include <boost/system/result.hpp>
#include <nlohmann/json_fwd.hpp>
#include <regex>
#include <string>
#include <string_view>
#include <vector>

// Who a message belongs to, from what a hub stamped and what is only claimed.
//
// Source: HiveMind (hivemind-core and its OVOS agent plugin): a hub stamps `context.peer` on whatever it injects and
// namespaces the session id of its satellites.
namespace bus {

/// What kind of caller a message comes from; it decides what may be asked.
enum class Caller {
  local,         ///< a component of this host
  satellite,     ///< stamped by a hub, with a peer of the known form
  unknown_peer,  ///< stamped, but not in a form we know; the rights of a satellite
  namespaced,    ///< no stamp, but a hub's session namespace, or a source listed as remote; the rights of a satellite
};

/// The owner and conversation of one message.
struct Identity {
  Caller caller = Caller::local;
  std::string owner;         ///< `local`, `hivemind:<hub>:<client_id>:<client_name>`, `hivemind-ns:<ns>`, `peer:<...>`
  std::string conversation;  ///< the session id without a hub's namespace; `default` when there is none
  std::string wire_session;  ///< the session id as on the wire
  std::string peer;          ///< `context.peer` where stamped, else empty
  bool one_shot = false;     ///< HiveMind query: session_id equals query_id. Answered, never stored.

  [[nodiscard]] bool is_local() const { return caller == Caller::local; }
};

/// The rules an operator can set.
struct IdentitySettings {
  std::string hub_name = "hub";
  /// ECMAScript. Groups: 1 user agent, 2 client id (integer), 3 client name, 4 (optional) declared session.
  std::string peer_pattern = R"(^([^:]*)::([0-9]+)::((?:(?!::).)*)(?:::(.*))?$)";
  /// ECMAScript patterns of `context.source` values that mark a message as coming from outside this host.
  std::vector<std::string> remote_sources;
};

/// Derives owner and conversation of each message. Threading: none; immutable after construction.
class IdentityRules {
 public:
  /// Errors: throws std::regex_error on an ill-formed pattern (configuration checks each pattern first).
  explicit IdentityRules(IdentitySettings settings);

  /// Never throws; `context` is a JSON object.
  [[nodiscard]] Identity identify(const nlohmann::json& context) const;

 private:
  void identify_stamped(Identity& identity, const std::string& session_id, const nlohmann::json& peer) const;
  void identify_unstamped(Identity& identity, const std::string& session_id, std::string source) const;
  IdentitySettings settings_;
  std::regex peer_;
  std::vector<std::regex> remote_sources_;
};

/// `id` without a leading hub namespace (16 or 32 lower-case hex digits and a colon), and that namespace.
struct Namespaced {
  std::string_view name_space;  ///< empty when there is none
  std::string_view rest;
};
[[nodiscard]] Namespaced split_namespace(std::string_view session_id) noexcept;

}  // namespace bus
