#pragma once
#include <cstddef>
#include <list>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "bus/identity.hpp"

namespace bus {

/// From a session id as it is on the wire to the owner and conversation behind it, learnt from what a hub stamped and
/// from what people of this host say.
///
/// A local component that answers for a satellite knows only the wire id; this finds the memory it means.
/// Invariant: at most `capacity` wire ids, the least recently seen forgotten first; at most 8 owners behind one.
/// Threading: none.
class WireMap {
 public:
  explicit WireMap(std::size_t capacity = 100000) : capacity_(capacity) {}

  /// A hub may leave a satellite's session id as it is: then this host and the satellite are two owners behind one id.
  void learn(const Identity& identity);

  struct Found {
    std::optional<Identity> identity;  ///< nothing when unknown or ambiguous
    bool ambiguous = false;            ///< two owners use this wire id, and no peer was given to tell them apart
  };
  [[nodiscard]] Found find(std::string_view wire_session, std::string_view peer = {}) const;
  [[nodiscard]] bool saw_a_peer() const { return saw_a_peer_; }

 private:
  struct Entry {
    std::string wire_session;
    std::vector<Identity> identities;
  };
  std::size_t capacity_;
  bool saw_a_peer_ = false;
  std::list<Entry> recent_;  // most recent first
  std::unordered_map<std::string_view, std::list<Entry>::iterator> index_;
};

}  // namespace bus
