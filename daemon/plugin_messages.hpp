#pragma once
#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "persona/memory/memory.hpp"

namespace personad {

/// Messages as plugins are given them: role, content, and name, tool_calls, tool_call_id where there are any.
[[nodiscard]] nlohmann::json plugin_messages(std::vector<persona::ContextMessage> messages);

/// Reads what a plugin made. Never throws.
struct PluginMessages {
  std::vector<persona::ContextMessage> messages;
  std::string wrong;  ///< empty: all is well. Else what is wrong with which message, without its text
};
[[nodiscard]] PluginMessages read_plugin_messages(nlohmann::json result, std::size_t most);
/// The same, and its last one must be the user's.
[[nodiscard]] PluginMessages read_plugin_context(nlohmann::json result, std::size_t most);

}  // namespace personad
