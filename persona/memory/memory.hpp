#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "persona/memory/recollection.hpp"
#include "persona/memory/window.hpp"

namespace persona {

class Character;
struct CharacterProperties;
class ForeignMemories;
class ForeignMemory;
class Learning;
struct ContextParts;

/// One message of a context: the five fields a model is given.
struct ContextMessage {
  Role role = Role::user;
  std::string content;
  std::string name;          ///< empty: none
  std::string tool_calls;    ///< JSON array text; empty: none
  std::string tool_call_id;  ///< empty: none
  bool null_content = false;
  Number exchange = 0;                 ///< that its first row belongs to; 0: none. No part of what it says
  std::vector<Number> more_exchanges;  ///< of rows that joined it from other exchanges: speech nobody asked for

  friend bool operator==(const ContextMessage& a, const ContextMessage& b) {
    return a.role == b.role && a.content == b.content && a.name == b.name && a.tool_calls == b.tool_calls &&
           a.tool_call_id == b.tool_call_id && a.null_content == b.null_content;
  }
};

/// What a context is asked for.
struct ContextQuery {
  std::string_view utterance;      ///< not yet trimmed
  std::optional<Number> left_out;  ///< the open exchange that this utterance belongs to
  Number as_of = 0;                ///< rows with this number or a higher one came later than the question; 0: none did
  bool with_system_prompt = true;  ///< false for an asker who may not see it
  double now = 0;                  ///< unix seconds: when it was asked
  std::string_view lang = {};      ///< of the utterance, BCP 47; empty: not known
};

/// What a persona remembers: decides which of a thread's rows, facts and summaries, and in which form, make a context.
///
/// Immutable after construction and shared by all conversations of a persona; what is remembered is the thread's, in
/// the archive. A context is made in three steps, so that no memory ever waits: the window is loaded, what the memory
/// `wants` beside it is fetched, and the parts are chosen; `assemble` puts them together by the rules that hold for
/// all. Threading: none needed. Errors: none; a memory always gives a context, at the least the utterance.
class Memory {
 public:
  virtual ~Memory() = default;
  /// How many messages of history (after folding rows into messages) a context can need. The window is loaded so far
  /// back that this many are there, or all.
  [[nodiscard]] virtual std::size_t wanted_messages() const = 0;
  /// How many rows of history are this persona's window, where nobody says how many.
  [[nodiscard]] virtual std::size_t window_messages() const = 0;
  /// What it needs from the archive beside the window; nothing: its contexts are made at once.
  [[nodiscard]] virtual Wants wants(const Window&, const ContextQuery&) const { return {}; }
  /// What it needs once that is known: what to look for can depend on what was summed up. Asked once.
  [[nodiscard]] virtual Wants wants_then(const Window&, const Recollection&, const ContextQuery&) const { return {}; }
  [[nodiscard]] virtual ContextParts build_conversation_context(const Window& window, const Recollection& recollection,
                                                                const ContextQuery& query) const = 0;
  /// Whose conversations its contexts recall from.
  [[nodiscard]] virtual RecallScope recall_scope() const { return RecallScope::session; }
  /// What it learns from a conversation with the help of a model, behind it. Lifetime: the memory's.
  [[nodiscard]] virtual std::vector<const Learning*> learnings() const { return {}; }
  /// The program of others that makes this persona's contexts, where there is one; null: none.
  [[nodiscard]] virtual ForeignMemory* foreign() const { return nullptr; }
  /// The character of a game that this persona is, where it is one; null: it is none.
  [[nodiscard]] virtual const Character* character() const { return nullptr; }
  /// False: what is heard on the bus is not recorded, since the persona's host sends it.
  [[nodiscard]] virtual bool records_from_bus() const { return true; }
};

/// Makes the memory that a persona file names, from its whole configuration object.
///
/// `memory_module` absent: short-term; null, "" or false: none, silently; a name that is not known here is looked for
/// among the memories of others (where `foreign` is given); not found, or a value of another type: none, and `warning`
/// says which.
struct MadeMemory {
  std::shared_ptr<const Memory> memory;  ///< null: this persona remembers nothing
  std::string module;                    ///< the name it was asked for; empty: none
  std::string warning;                   ///< empty: all is well
};
[[nodiscard]] MadeMemory make_memory(const nlohmann::json& persona_config, ForeignMemories* foreign = nullptr);

/// The memory of a module that is built in, from its own settings; null: there is none of that name.
[[nodiscard]] std::shared_ptr<const Memory> make_module(std::string_view module, const nlohmann::json& settings,
                                                        std::string& warning);
/// The same for a persona that is a character.
[[nodiscard]] std::shared_ptr<const Memory> make_module(std::string_view module, const nlohmann::json& settings,
                                                        const CharacterProperties& properties, std::string& warning);

}  // namespace persona
