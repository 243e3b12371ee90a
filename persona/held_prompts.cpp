#include "persona/held_prompts.hpp"

#include <algorithm>

namespace persona {
namespace {

using What = Heard::What;

constexpr std::chrono::minutes kPromptLasts{5};

}  // namespace

void HeldPrompts::follow_session(const Heard& heard) {
  const bool full_session = heard.what == What::handled || (heard.what == What::entry && !heard.session.local_default);
  if (heard.session.response_mode) {
    prompts_[kFromSession] = heard.session.response_mode;
    if (!prompts_[kFromSession]->expires) prompts_[kFromSession]->expires = heard.at.wall + kPromptLasts;
  } else if (full_session) {
    prompts_[kFromSession].reset();
  }
}

void HeldPrompts::follow_states(const Heard& heard, const RecordingRules& rules) {
  if (!heard.session.awaiting) return;
  const auto asks = std::ranges::find_if(*heard.session.awaiting,
                                         [&](const std::string& skill) { return rules.prompts_in_private(skill); });
  prompts_[kFromStates].reset();
  if (asks != heard.session.awaiting->end()) prompts_[kFromStates] = HeldPrompt{*asks, heard.at.wall + kPromptLasts};
}

HeldPrompts::Held HeldPrompts::follow(const Heard& heard, const RecordingRules& rules) {
  follow_session(heard);
  follow_states(heard, rules);
  if (heard.what == What::prompt_enabled) {
    prompts_[kFromEvent] = HeldPrompt{heard.skill_id, heard.at.wall + kPromptLasts};
  }
  Held held;
  held.delivered =
      heard.what == What::prompt_answered || (heard.what == What::dispatched && heard.intent == "response");
  const bool ends = held.delivered || heard.what == What::prompt_disabled;
  for (auto& prompt : prompts_) {
    if (prompt && ends && prompt->skill_id == heard.skill_id) prompt.reset();
    if (prompt && prompt->expires && *prompt->expires < heard.at.wall) prompt.reset();
    if (!held.prompt && prompt && rules.prompts_in_private(prompt->skill_id)) held.prompt = prompt;
  }
  return held;
}

}  // namespace persona
