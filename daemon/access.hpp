#pragma once
#include <optional>
#include <string>
#include <variant>

#include "bus/wire_map.hpp"
#include "daemon/field_reader.hpp"
#include "daemon/request.hpp"
#include "persona/keys.hpp"
#include "persona/recall/recall.hpp"

// Who may ask what, about whose conversation: decided here and nowhere else.
namespace personad {

/// Who an operation is for.
enum class Audience : std::uint8_t {
  everyone,       ///< a satellite about its own conversation, a local component about any
  local,          ///< components of this host
  administrator,  ///< the admin socket; the bus too where `bus_admin` is set
};

struct Refused {
  Refusal refusal;
  std::string words;
};

/// Decides for each request whether it may be asked, and which conversation it is about.
///
/// A satellite (or anything else that a hub stamped) only ever reaches its own conversation: what it says of owner,
/// session or on_behalf_of is ignored, not obeyed. Threading: io thread. Source: docs/identity.md.
class Access {
 public:
  /// `wire_map` outlives it.
  Access(const bus::WireMap& wire_map, bool bus_admin) : wire_map_(wire_map), bus_admin_(bus_admin) {}

  [[nodiscard]] std::variant<persona::ConversationKey, Refused> decide(const Request& request, Audience audience) const;

  /// Why the asker may not look through this scope; nothing: it may. `configured`: that of the persona's own recall,
  /// which a satellite may not widen; and nothing shows it what others said.
  [[nodiscard]] static std::optional<Refused> refuses_scope(const Request& request, persona::RecallScope asked,
                                                            persona::RecallScope configured);

  /// Whether the asker may see a persona's system prompt.
  [[nodiscard]] static bool sees_system_prompt(const Request& request, bool exposed_to_satellites);

  void set_bus_admin(bool on) { bus_admin_ = on; }

 private:
  [[nodiscard]] std::variant<persona::ConversationKey, Refused> named(const Request& request) const;
  [[nodiscard]] std::variant<persona::ConversationKey, Refused> on_behalf(const nlohmann::json& whom) const;

  const bus::WireMap& wire_map_;
  bool bus_admin_;
};

}  // namespace personad
