#include "persona/memory/short_term.hpp"

#include <utility>

#include "persona/memory/assembly.hpp"
#include "persona/memory/context.hpp"
#include "persona/memory/settings.hpp"

namespace persona {

ShortTermMemory::Settings ShortTermMemory::Settings::read(SettingsReader reader) {
  Settings settings;
  settings.max_history = reader.count("max_history", settings.max_history, kMostHistory);
  settings.system_prompt = reader.text("system_prompt");
  return settings;
}

ShortTermMemory::ShortTermMemory(Settings settings) : settings_(std::move(settings)) {
  if (settings_.max_history == 0 || settings_.max_history > kMostHistory) settings_.max_history = kMostHistory;
}

ContextParts ShortTermMemory::build_conversation_context(const Window& window, const Recollection&,
                                                         const ContextQuery& query) const {
  ContextParts parts;
  if (query.with_system_prompt) parts.system_prompt = settings_.system_prompt;
  parts.history = fold(window.turns(), query);
  cut(parts.history, settings_.max_history);
  return parts;
}

}  // namespace persona
