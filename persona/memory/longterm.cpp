#include "persona/memory/longterm.hpp"

#include <algorithm>
#include <utility>

#include "persona/memory/assembly.hpp"
#include "persona/memory/context.hpp"
#include "persona/memory/model_settings.hpp"
#include "persona/memory/settings.hpp"
#include "persona/memory/short_term.hpp"

namespace persona {
namespace {

// How far the window grows while no model answers, in multiples of its usual size.
constexpr std::size_t kPatience = 4;
constexpr std::size_t kMostExchanges = 1000;
constexpr std::size_t kMostShown = 131072;  // bytes of a conversation that a model is shown at a time

// Of the exchanges before `end`; when they are more than a model can be shown, `end` becomes the first that is left
// over.
std::string transcript_before(std::span<const ContextMessage> messages, Number& end) {
  std::string text;
  std::string exchange;
  Number of = 0;
  for (const ContextMessage& message : messages) {
    if (message.exchange >= end) break;
    if (message.exchange != of && !exchange.empty()) {
      if (!text.empty() && text.size() + exchange.size() > kMostShown) {
        end = of;
        return text;
      }
      text += exchange;
      exchange.clear();
    }
    of = message.exchange;
    if (!text.empty() || !exchange.empty()) exchange += '\n';
    exchange.append(name(message.role)).append(": ").append(shortened(message.content, kMostShown / 4));
  }
  if (!text.empty() && text.size() + exchange.size() > kMostShown) {
    end = of;
    return text;
  }
  return text + exchange;
}

}  // namespace

LongtermMemory::Settings LongtermMemory::Settings::read(SettingsReader reader) {
  Settings settings;
  settings.address = read_model_address(reader, std::chrono::seconds(30));
  settings.summarize_every =
      std::max<std::size_t>(reader.count("summarize_every", settings.summarize_every, kMostExchanges), 1);
  settings.max_summary_tokens =
      std::max<std::size_t>(reader.count("max_summary_tokens", settings.max_summary_tokens, 32768), 1);
  settings.recent_window = reader.count("recent_window", settings.recent_window, kMostExchanges);
  settings.system_prompt = reader.text("system_prompt");
  return settings;
}

LongtermMemory::LongtermMemory(Settings settings) : settings_(std::move(settings)), summarising_(settings_) {}

std::size_t LongtermMemory::window_messages() const {
  return std::min(kMostHistory, 2 * kPatience * (settings_.summarize_every + settings_.recent_window));
}

Wants LongtermMemory::wants(const Window&, const ContextQuery&) const {
  Wants wants;
  wants.summary = true;
  return wants;
}

ContextParts LongtermMemory::build_conversation_context(const Window& window, const Recollection& recollection,
                                                        const ContextQuery& query) const {
  ContextParts parts;
  if (query.with_system_prompt) parts.system_prompt = settings_.system_prompt;
  if (!recollection.summary.text.empty()) {
    parts.summary = "[Conversation summary so far]\n" + recollection.summary.text;
  }
  parts.summary_place = ContextParts::SummaryPlace::system_prompt;
  std::vector<TurnPtr> since;
  for (const TurnPtr& turn : window.turns()) {
    if (turn->exchange > recollection.summary.progress.upto) since.push_back(turn);
  }
  parts.history = fold(since, query);
  cut(parts.history, window_messages());
  return parts;
}

std::size_t LongtermMemory::Summarising::most_rows() const {
  return std::min<std::size_t>(kMostHistory, 2000 + 4 * (settings_.summarize_every + settings_.recent_window));
}

std::optional<Learning::Lesson> LongtermMemory::Summarising::lesson(const Unlearned& unlearned) const {
  const auto messages = fold(unlearned.turns, {});
  const auto is_new_answer = [&](const ContextMessage& message) {
    return message.role == Role::assistant && message.exchange > unlearned.progress.looked;
  };
  const auto new_answers = static_cast<std::size_t>(std::ranges::count_if(messages, is_new_answer));
  const bool full = end_of_full_page(unlearned.turns, most_rows()) != 0;  // else the rows behind it are never seen
  if (new_answers < settings_.summarize_every && !full) return std::nullopt;
  Lesson lesson;
  lesson.learnt.kind = LearningKind::summary;
  lesson.learnt.progress = {unlearned.progress.upto, messages.back().exchange};
  const std::size_t kept = std::min(messages.size(), 2 * settings_.recent_window);
  const Number whole_from = kept == 0 ? messages.back().exchange + 1 : messages[messages.size() - kept].exchange;
  Number kept_from = whole_from;
  const std::string transcript = transcript_before(messages, kept_from);
  for (const TurnPtr& turn : unlearned.turns) {
    if (turn->exchange >= kept_from) continue;
    lesson.learnt.turns.push_back(turn->number);
    lesson.learnt.progress.upto = turn->exchange;
  }
  if (lesson.learnt.turns.empty()) return lesson;
  // What was left over is looked at again as soon as this is stored.
  if (kept_from < whole_from) lesson.learnt.progress.looked = unlearned.progress.looked;
  ChatAsk& ask = lesson.ask.emplace();
  ask.address = settings_.address;
  ask.max_tokens = settings_.max_summary_tokens;
  if (!unlearned.summary.empty()) ask.prompt = "Previous summary:\n" + unlearned.summary + "\n\n";
  ask.prompt += "New conversation:\n" + transcript + "\n\n";
  ask.prompt += "Write a concise updated summary of what was discussed. Be brief.";
  return lesson;
}

void LongtermMemory::Summarising::take(const std::string& answer, Learnt& into) const {
  into.summary = answer;
}

}  // namespace persona
