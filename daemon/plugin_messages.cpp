#include "daemon/plugin_messages.hpp"

#include <limits>
#include <nlohmann/json.hpp>
#include <utility>
#include <variant>

#include "daemon/turn_json.hpp"

namespace personad {

using nlohmann::json;
using persona::ContextMessage;

namespace {

// Whoever writes an object of theirs as JSON says null where there is nothing.
void drop_nulls(json& message) {
  if (!message.is_object()) return;
  for (const char* key : {"name", "tool_calls", "tool_call_id", "type", "lang", "meta", "timestamp"}) {
    const auto member = message.find(key);
    if (member != message.end() && member->is_null()) message.erase(member);
  }
}

ContextMessage context_message(persona::NewMessage read) {
  ContextMessage message;
  message.role = read.role;
  message.content = std::move(read.content);
  message.name = std::move(read.name);
  message.tool_calls = std::move(read.tool_calls);
  message.tool_call_id = std::move(read.tool_call_id);
  message.null_content = read.null_content;
  return message;
}

}  // namespace

json plugin_messages(std::vector<ContextMessage> messages) {
  json list = json::array();
  for (ContextMessage& message : messages) list.push_back(to_json(std::move(message)));
  return list;
}

PluginMessages read_plugin_messages(json result, std::size_t most) {
  if (!result.is_array()) return {{}, "the result is no array"};
  if (result.size() > most) return {{}, "more than " + std::to_string(most) + " messages"};
  PluginMessages made;
  made.messages.reserve(result.size());
  for (std::size_t i = 0; i < result.size(); ++i) {
    drop_nulls(result[i]);
    // How long a text may be is bounded by the line it came in.
    auto read = read_message(result[i], "[" + std::to_string(i) + "]", std::numeric_limits<std::size_t>::max());
    if (const auto* bad = std::get_if<BadMessage>(&read)) return {{}, bad->words};
    made.messages.push_back(context_message(std::get<persona::NewMessage>(std::move(read))));
  }
  return made;
}

PluginMessages read_plugin_context(json result, std::size_t most) {
  PluginMessages made = read_plugin_messages(std::move(result), most);
  if (!made.wrong.empty()) return made;
  if (made.messages.empty() || made.messages.back().role != persona::Role::user) {
    return {{}, "the last message is not the user's"};
  }
  return made;
}

}  // namespace personad
