#include "persona/memory/recency.hpp"

#include <algorithm>
#include <utility>

#include "persona/memory/assembly.hpp"
#include "persona/memory/context.hpp"
#include "persona/memory/settings.hpp"
#include "persona/memory/short_term.hpp"

namespace persona {

std::vector<ContextMessage> newest_rows(const Window& window, const ContextQuery& query, std::size_t most,
                                        std::optional<double> oldest) {
  const auto turns = window.turns();
  const std::size_t limit = most == 0 ? kMostHistory : std::min(most, kMostHistory);
  std::vector<TurnPtr> newest;
  for (auto turn = turns.rbegin(); turn != turns.rend() && newest.size() < limit; ++turn) {
    if (!counts(**turn, query) || (oldest && (*turn)->timestamp < *oldest)) continue;
    newest.push_back(*turn);
  }
  std::ranges::reverse(newest);
  auto history = fold(newest, query, Questions::kept);
  settle(history, Questions::kept);
  return history;
}

RecencyMemory::Settings RecencyMemory::Settings::read(SettingsReader reader) {
  Settings settings;
  settings.max_history = reader.count("max_history", settings.max_history, kMostHistory);
  settings.max_age = reader.number("max_age");
  settings.system_prompt = reader.text("system_prompt");
  return settings;
}

std::size_t RecencyMemory::window_messages() const {
  return settings_.max_history == 0 ? kMostHistory : settings_.max_history;
}

ContextParts RecencyMemory::build_conversation_context(const Window& window, const Recollection&,
                                                       const ContextQuery& query) const {
  ContextParts parts;
  if (query.with_system_prompt) parts.system_prompt = settings_.system_prompt;
  std::optional<double> oldest;
  if (settings_.max_age) oldest = query.now - *settings_.max_age;
  parts.history = newest_rows(window, query, settings_.max_history, oldest);
  return parts;
}

}  // namespace persona
