#include "bus/identity.hpp"

#include <cstdint>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "bus/session.hpp"

namespace bus {
namespace {

using nlohmann::json;

/// The regular expression engine recurses over its input; what a hub stamps is far shorter.
constexpr std::size_t kMaxMatched = 512;

bool is_hex(std::string_view text) {
  return text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

/// The non-empty string `key`; empty when there is none.
std::string string_of(const json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get_ref<const std::string&>() : std::string();
}

std::string or_default(std::string_view conversation) {
  return std::string(conversation.empty() ? kDefaultSession : conversation);
}

/// A key of bounded length for whatever was stamped: the text itself, or its start and a hash (FNV-1a) of all of it.
std::string bounded(std::string text) {
  if (text.size() <= kMaxMatched) return text;
  std::uint64_t hash = 14695981039346656037ULL;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  char suffix[20];
  std::snprintf(suffix, sizeof suffix, "~%016llx", static_cast<unsigned long long>(hash));
  text.resize(64);
  return text + suffix;
}

/// The session id that the context carries, as a key of bounded length; empty when absent, whatever the reason.
std::string session_id_of(const json& context) {
  const auto session = context.find("session");
  return session != context.end() && session->is_object() ? bounded(string_of(*session, "session_id")) : std::string();
}

std::string text_of(const json& value) {
  if (value.is_string()) return value.get_ref<const std::string&>();
  return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

struct Peer {
  std::string client_id;
  std::string client_name;
  std::string declared_session;
};

std::optional<Peer> match_peer(const std::regex& pattern, const std::string& peer) {
  std::smatch groups;
  if (peer.empty() || peer.size() > kMaxMatched || !std::regex_match(peer, groups, pattern)) return std::nullopt;
  Peer found;
  // A pattern of an operator may have fewer groups: those that do not exist read as empty.
  found.client_id = groups.str(2);
  found.client_name = groups.str(3);
  found.declared_session = groups.str(4);
  // What follows the declared session is a suffix against collisions.
  if (const auto suffix = found.declared_session.find("::"); suffix != std::string::npos) {
    found.declared_session.resize(suffix);
  }
  return found;
}

/// A source too long to be matched counts as remote: whoever sends it gains nothing by its length.
bool is_remote(const std::vector<std::regex>& patterns, const std::string& source) {
  if (patterns.empty() || source.empty()) return false;
  if (source.size() > kMaxMatched) return true;
  for (const std::regex& pattern : patterns) {
    if (std::regex_search(source, pattern)) return true;
  }
  return false;
}

}  // namespace

Namespaced split_namespace(std::string_view session_id) noexcept {
  const std::size_t colon = session_id.find(':');
  if ((colon != 16 && colon != 32) || !is_hex(session_id.substr(0, colon))) return {{}, session_id};
  return {session_id.substr(0, colon), session_id.substr(colon + 1)};
}

IdentityRules::IdentityRules(IdentitySettings settings)
    : settings_(std::move(settings)), peer_(settings_.peer_pattern, std::regex::ECMAScript | std::regex::optimize) {
  for (const std::string& pattern : settings_.remote_sources) {
    remote_sources_.emplace_back(pattern, std::regex::ECMAScript | std::regex::optimize);
  }
}

Identity IdentityRules::identify(const json& context) const {
  const std::string session_id = session_id_of(context);
  Identity identity;
  identity.wire_session = or_default(session_id);
  identity.one_shot = !session_id.empty() && session_id == bounded(string_of(context, "query_id"));
  if (const auto peer = context.find("peer"); peer != context.end()) {
    identify_stamped(identity, session_id, *peer);
  } else {
    identify_unstamped(identity, session_id, string_of(context, "source"));
  }
  return identity;
}

void IdentityRules::identify_stamped(Identity& identity, const std::string& session_id, const json& peer) const {
  std::string text = text_of(peer);
  const auto known = peer.is_string() ? match_peer(peer_, text) : std::nullopt;
  identity.peer = bounded(std::move(text));
  if (!known) {
    identity.caller = Caller::unknown_peer;
    identity.owner = "peer:" + identity.peer;
    identity.conversation = or_default(session_id);
    return;
  }
  identity.caller = Caller::satellite;
  identity.owner = "hivemind:" + settings_.hub_name + ":" + known->client_id + ":" + known->client_name;
  identity.conversation = or_default(session_id.empty() ? known->declared_session : split_namespace(session_id).rest);
}

void IdentityRules::identify_unstamped(Identity& identity, const std::string& session_id, std::string source) const {
  const Namespaced split = split_namespace(session_id);
  identity.conversation = or_default(split.rest);
  if (!split.name_space.empty()) {
    identity.caller = Caller::namespaced;
    identity.owner = "hivemind-ns:" + std::string(split.name_space);
  } else if (is_remote(remote_sources_, source)) {
    identity.caller = Caller::namespaced;
    identity.owner = "peer:" + bounded(std::move(source));
  } else {
    identity.owner = "local";
  }
}

}  // namespace bus
