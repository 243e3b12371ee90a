#include "daemon/tail.hpp"

#include <nlohmann/json.hpp>
#include <utility>

#include "bus/message.hpp"
#include "daemon/turn_json.hpp"

namespace personad {

void Tail::watch(std::uint64_t client, std::string session_id, Write write) {
  watchers_.insert_or_assign(client, Watcher{std::move(session_id), std::move(write)});
}

void Tail::gone(std::uint64_t client) {
  watchers_.erase(client);
}

void Tail::turn(const persona::ThreadKey& thread, const persona::Turn& turn) {
  std::string line;
  for (const auto& [client, watcher] : watchers_) {
    if (!watcher.session_id.empty() && watcher.session_id != thread.where.conversation) continue;
    if (line.empty()) {
      bus::Message message{"personad.turn", to_json(turn), nlohmann::json::object()};
      message.data["owner"] = thread.where.owner;
      message.data["session_id"] = thread.where.conversation;
      message.data["persona_id"] = thread.persona;
      line = message.dump();
    }
    watcher.write(line);
  }
}

}  // namespace personad
