#include "persona/memory/short_term.hpp"

#include <cstdint>
#include <nlohmann/json.hpp>
#include <utility>

#include "persona/memory/context.hpp"

namespace persona {
namespace {

constexpr std::size_t kMostMessages = 10000;  // of a context's history, whatever a file asks for

void warn(std::string& warning, std::string_view key, std::string_view what) {
  if (!warning.empty()) warning += "; ";
  warning.append(kShortTermModule).append(".").append(key).append(": ").append(what);
}

}  // namespace

ShortTermMemory::Settings ShortTermMemory::Settings::read(const nlohmann::json& config, std::string& warning) {
  Settings settings;
  if (!config.is_object()) return settings;
  if (const auto found = config.find("max_history"); found != config.end() && !found->is_null()) {
    if (!found->is_number_unsigned()) {
      warn(warning, "max_history", "expected a whole number of messages, 0 or more; the default holds");
    } else if (const auto most = found->get<std::uint64_t>(); most > kMostMessages) {
      warn(warning, "max_history", "10000 messages is the most");
      settings.max_history = kMostMessages;
    } else {
      settings.max_history = static_cast<std::size_t>(most);
    }
  }
  if (const auto found = config.find("system_prompt"); found != config.end() && !found->is_null()) {
    if (found->is_string()) {
      settings.system_prompt = found->get_ref<const std::string&>();
    } else {
      warn(warning, "system_prompt", "expected a text; the default holds");
    }
  }
  return settings;
}

ShortTermMemory::ShortTermMemory(Settings settings) : settings_(std::move(settings)) {
  if (settings_.max_history == 0 || settings_.max_history > kMostMessages) settings_.max_history = kMostMessages;
}

std::vector<ContextMessage> ShortTermMemory::build_conversation_context(const Window& window,
                                                                        const ContextQuery& query) const {
  auto history = fold(window.turns(), query);
  cut(history, settings_.max_history);
  const std::string_view prompt = query.with_system_prompt ? settings_.system_prompt : std::string_view();
  return assemble(prompt, std::move(history), query.utterance);
}

}  // namespace persona
