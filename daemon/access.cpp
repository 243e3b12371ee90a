#include "daemon/access.hpp"

#include <nlohmann/json.hpp>
#include <utility>

namespace personad {

using persona::ConversationKey;
using Decision = std::variant<ConversationKey, Refused>;

Decision Access::decide(const Request& request, Audience audience) const {
  const bus::Identity& asker = request.identity();
  const bool administrator = request.transport() == Transport::admin || (bus_admin_ && asker.is_local());
  if (audience == Audience::administrator && !administrator) {
    return Refused{Refusal::forbidden,
                   "this is asked over the admin socket (personactl), or on the bus where bus_admin is set"};
  }
  if (!asker.is_local()) {
    if (audience != Audience::everyone) {
      return Refused{Refusal::forbidden, "a satellite may ask for its own context and history only"};
    }
    return ConversationKey{asker.owner, asker.conversation};
  }
  return named(request);
}

Decision Access::named(const Request& request) const {
  FieldReader fields(request.data());
  const nlohmann::json* whom = fields.object("on_behalf_of");
  auto owner = fields.text("owner", kMaxNameBytes);
  auto session = fields.text("session_id", kMaxNameBytes);
  if (!fields.ok()) return Refused{Refusal::bad_request, fields.error()};
  if (whom != nullptr) return on_behalf(*whom);
  if (owner && owner->empty()) return Refused{Refusal::bad_request, "owner must not be empty"};
  if (session && session->empty()) session.reset();  // as in a session carrier: the default one
  return ConversationKey{owner ? std::move(*owner) : request.identity().owner,
                         session ? std::move(*session) : request.identity().conversation};
}

Decision Access::on_behalf(const nlohmann::json& whom) const {
  FieldReader fields(whom);
  const std::string session = fields.required_text("session_id", kMaxNameBytes);
  const auto given = fields.text("peer", kMaxNameBytes);
  if (!fields.ok()) return Refused{Refusal::bad_request, "on_behalf_of." + fields.error()};
  if (given && given->empty()) return ConversationKey{"local", session};  // a message that no hub stamped
  const std::string peer = given.value_or("");
  const bus::WireMap::Found found = wire_map_.find(session, peer);
  // The default session is this host's too, whether or not anybody has spoken yet.
  const bool shared = found.identity && peer.empty() && session == "default" && !found.identity->is_local();
  if (found.ambiguous || shared) {
    return Refused{Refusal::ambiguous,
                   "more than one owner uses this session id; name the peer as well (empty: somebody of this host)"};
  }
  if (found.identity) return ConversationKey{found.identity->owner, found.identity->conversation};
  if (!peer.empty() || !bus::split_namespace(session).name_space.empty()) {
    return Refused{Refusal::unknown_conversation, "nothing was heard from this satellite yet"};
  }
  return ConversationKey{"local", session};
}

std::optional<Refused> Access::refuses_scope(const Request& request, persona::RecallScope asked,
                                             persona::RecallScope configured) {
  using persona::RecallScope;
  if (request.identity().is_local() || asked == RecallScope::session) return std::nullopt;
  if (asked == RecallScope::persona) {
    return Refused{Refusal::forbidden, "a satellite does not look through the conversations of others"};
  }
  if (configured >= asked) return std::nullopt;
  return Refused{Refusal::forbidden,
                 "this persona recalls from one conversation at a time, and a satellite may not widen that"};
}

bool Access::sees_system_prompt(const Request& request, bool exposed_to_satellites) {
  return request.identity().is_local() || exposed_to_satellites;
}

}  // namespace personad
