#pragma once
#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "persona/keys.hpp"
#include "persona/memory/memory.hpp"

// Memories that are not built in: programs of others that speak JSON-RPC; the transport is elsewhere.
//
// Source: docs/memory-plugins.md.
namespace persona {

/// One memory program, for one persona.
///
/// `key` is opaque and unique for each owner and conversation. Threading: io thread; `done` is called later on it,
/// exactly once. Errors: nothing, when the program is dead, slow or talks nonsense; the caller goes on with what it
/// has.
class ForeignMemory {
 public:
  virtual ~ForeignMemory() = default;
  /// Messages that were recorded; what cannot be handed over (see the bounds of the implementation) is counted and lost
  /// to the program, never to the archive.
  virtual void update_history(std::vector<ContextMessage> messages, const std::string& key) = 0;
  virtual void build_conversation_context(const std::string& utterance, const std::string& key,
                                          std::function<void(std::optional<std::vector<ContextMessage>>)> done) = 0;
  /// False: the program did not say that it forgot.
  virtual void forget(const std::string& key, std::function<void(bool)> done) = 0;
};

/// Finds the program of a memory module that is not built in.
class ForeignMemories {
 public:
  virtual ~ForeignMemories() = default;
  /// Null when there is no such program, or it cannot be started; `warning` then says why, and where it was looked for.
  [[nodiscard]] virtual std::shared_ptr<ForeignMemory> open(const std::string& module, const nlohmann::json& settings,
                                                            std::string& warning) = 0;
};

/// What a program knows a conversation by: no two have the same.
[[nodiscard]] std::string foreign_key(const ConversationKey& where);

/// The memory of a persona that has such a program. Without an answer of it, contexts show the newest ten rows.
[[nodiscard]] std::shared_ptr<const Memory> make_foreign(std::shared_ptr<ForeignMemory> program);

}  // namespace persona
