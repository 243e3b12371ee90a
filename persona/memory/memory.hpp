#pragma once
#include <cstddef>
#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "persona/memory/window.hpp"

namespace persona {

/// One message of a context: the five fields a model is given.
struct ContextMessage {
  Role role = Role::user;
  std::string content;
  std::string name;          ///< empty: none
  std::string tool_calls;    ///< JSON array text; empty: none
  std::string tool_call_id;  ///< empty: none
  bool null_content = false;
  friend bool operator==(const ContextMessage&, const ContextMessage&) = default;
};

/// What a context is asked for.
struct ContextQuery {
  std::string_view utterance;      ///< not yet trimmed
  std::optional<Number> left_out;  ///< the open exchange that this utterance belongs to
  Number as_of = 0;                ///< rows with this number or a higher one came later than the question; 0: none did
  bool with_system_prompt = true;  ///< false for an asker who may not see it
};

/// What a persona remembers: decides which of a thread's rows, and in which form, make a context.
///
/// Immutable after construction and shared by all conversations of a persona; what is remembered is the thread's.
/// Threading: none needed. Errors: none; a memory always gives a context, at the least the utterance.
class Memory {
 public:
  virtual ~Memory() = default;
  /// How many messages of history (after folding rows into messages) a context can need. The window is loaded so far
  /// back that this many are there, or all.
  [[nodiscard]] virtual std::size_t wanted_messages() const = 0;
  /// How many rows of history are this persona's window, where nobody says how many.
  [[nodiscard]] virtual std::size_t window_messages() const = 0;
  [[nodiscard]] virtual std::vector<ContextMessage> build_conversation_context(const Window& window,
                                                                               const ContextQuery& query) const = 0;
};

/// Makes the memory that a persona file names, from its whole configuration object.
///
/// `memory_module` absent: short-term; null, "" or false: none, silently; a name that is not known here, or a value of
/// another type: none, and `warning` says which.
struct MadeMemory {
  std::shared_ptr<const Memory> memory;  ///< null: this persona remembers nothing
  std::string module;                    ///< the name it was asked for; empty: none
  std::string warning;                   ///< empty: all is well
};
[[nodiscard]] MadeMemory make_memory(const nlohmann::json& persona_config);

}  // namespace persona
