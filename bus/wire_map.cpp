#include "bus/wire_map.hpp"

#include <algorithm>

namespace bus {
namespace {

constexpr std::size_t kMaxBehindOne = 8;

bool same_memory(const Identity& a, const Identity& b) {
  return a.owner == b.owner && a.conversation == b.conversation;
}

/// Puts the identity last. One that is known is moved; a full list loses the oldest with the same memory, so that a
/// client that reconnects under new peers does not hide that somebody else uses the wire id too.
void put(std::vector<Identity>& identities, const Identity& identity) {
  const auto known = std::find_if(identities.begin(), identities.end(), [&](const Identity& other) {
    return same_memory(other, identity) && other.peer == identity.peer;
  });
  if (known != identities.end()) {
    *known = identity;
    std::rotate(known, known + 1, identities.end());
    return;
  }
  if (identities.size() == kMaxBehindOne) {
    const auto same = std::find_if(identities.begin(), identities.end(),
                                   [&](const Identity& other) { return same_memory(other, identity); });
    identities.erase(same == identities.end() ? identities.begin() : same);
  }
  identities.push_back(identity);
}

}  // namespace

void WireMap::learn(const Identity& identity) {
  if (capacity_ == 0) return;
  saw_a_peer_ = saw_a_peer_ || !identity.is_local();
  if (const auto found = index_.find(identity.wire_session); found != index_.end()) {
    recent_.splice(recent_.begin(), recent_, found->second);
    put(recent_.front().identities, identity);
    return;
  }
  if (recent_.size() == capacity_) {
    index_.erase(recent_.back().wire_session);
    recent_.pop_back();
  }
  recent_.push_front({identity.wire_session, {identity}});
  index_.emplace(recent_.front().wire_session, recent_.begin());
}

WireMap::Found WireMap::find(std::string_view wire_session, std::string_view peer) const {
  const auto entry = index_.find(wire_session);
  if (entry == index_.end()) return {};
  const std::vector<Identity>& identities = entry->second->identities;
  Found found;
  if (peer.empty()) {
    found.ambiguous = std::any_of(identities.begin(), identities.end(),
                                  [&](const Identity& other) { return !same_memory(other, identities.back()); });
    if (!found.ambiguous) found.identity = identities.back();
    return found;
  }
  const auto match =
      std::find_if(identities.rbegin(), identities.rend(), [&](const Identity& other) { return other.peer == peer; });
  if (match != identities.rend()) found.identity = *match;
  return found;
}

}  // namespace bus
