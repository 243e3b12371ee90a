#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "persona/keys.hpp"
#include "persona/turn.hpp"

namespace personad {

/// Those who watch turns live, over the admin socket.
///
/// Threading: io thread. Invariant: one watch for each client, so at most as many as the socket has connections.
class Tail {
 public:
  using Write = std::function<void(std::string line)>;
  /// Watches every turn, or those of one session.
  void watch(std::uint64_t client, std::string session_id, Write write);
  void gone(std::uint64_t client);
  void turn(const persona::ThreadKey& thread, const persona::Turn& turn);

 private:
  struct Watcher {
    std::string session_id;  // empty: all
    Write write;
  };
  std::map<std::uint64_t, Watcher> watchers_;
};

}  // namespace personad
