#include "persona/memory/summarizing.hpp"

#include <algorithm>
#include <utility>

#include "persona/memory/assembly.hpp"
#include "persona/memory/context.hpp"
#include "persona/memory/model_settings.hpp"
#include "persona/memory/recency.hpp"
#include "persona/memory/settings.hpp"
#include "persona/memory/token_estimate.hpp"
#include "persona/white_space.hpp"

namespace persona {
namespace {

constexpr const char* kPrompt =
    "Below is a conversation between {self_name} and {other_name}. Sum up in a few sentences, as {self_name} would "
    "remember it, what they talked about and did, and what {self_name} learnt about {other_name}. Call them by their "
    "names, write in {language}, and write nothing but the summary.";
constexpr const char* kBetweenSummaries = "\n\n";
constexpr std::size_t kMostLoaded = 1000;
constexpr std::size_t kMostTokens = 1 << 24;
constexpr std::size_t kMostRows = 2000;

// A speaker is one line's beginning, whatever the name holds.
std::string on_one_line(std::string_view name) {
  std::string line(name);
  std::ranges::replace_if(
      line, [](char c) { return c == '\n' || c == '\r'; }, ' ');
  return line;
}

std::string other_speaker(const std::vector<TurnPtr>& turns, const std::string& or_else) {
  for (auto turn = turns.rbegin(); turn != turns.rend(); ++turn) {
    if ((*turn)->role == Role::user && !is_blank((*turn)->name)) return on_one_line((*turn)->name);
  }
  return or_else;
}

}  // namespace

SummarizingMemory::Settings SummarizingMemory::Settings::read(SettingsReader reader) {
  Settings settings;
  settings.address = read_model_address(reader, std::chrono::seconds(60));
  settings.min_conversation_length =
      reader.count("min_conversation_length", settings.min_conversation_length, kMostRows / 2);
  settings.summary_limit_pct = reader.number("summary_limit_pct", settings.summary_limit_pct, 0.01, 1);
  settings.token_budget =
      std::max<std::size_t>(reader.count("maximum_local_tokens", settings.token_budget, kMostTokens), 1);
  settings.max_summary_tokens = reader.count("max_summary_tokens", settings.max_summary_tokens, 32768);
  settings.reload_buffer = std::max<std::size_t>(reader.count("reload_buffer", settings.reload_buffer, kMostLoaded), 1);
  settings.prompt = reader.text("summarizing_memory_prompt", kPrompt);
  settings.language = reader.text("language", "the language of the conversation");
  settings.player_name = reader.text("player_name", "the player");
  settings.place = read_place(reader, "summarizing_memory");
  settings.system_prompt = reader.text("system_prompt");
  return settings;
}

SummarizingMemory::SummarizingMemory(Settings settings, CharacterProperties properties)
    : settings_(std::move(settings)), properties_(std::move(properties)), summarising_(*this) {}

std::string SummarizingMemory::self_name() const {
  return properties_.name.empty() ? "the character" : on_one_line(properties_.name);
}

std::string SummarizingMemory::introduction() const {
  return "What " + self_name() + " remembers of earlier conversations, in summary:";
}

bool SummarizingMemory::too_long(std::string_view summaries) const {
  const double limit = settings_.summary_limit_pct * static_cast<double>(settings_.token_budget);
  return static_cast<double>(estimated_tokens(summaries)) > limit;
}

StepAsk SummarizingMemory::before_step(const Window&, std::span<const ContextMessage>, Number) const {
  StepAsk ask;
  ask.summary = true;
  return ask;
}

CharacterMemories SummarizingMemory::memories(StepFound found) const {
  CharacterMemories memories;
  if (found.summary.empty()) return memories;
  memories.introduction = introduction();
  memories.summary = std::move(found.summary);
  return memories;
}

Wants SummarizingMemory::wants(const Window&, const ContextQuery&) const {
  Wants wants;
  wants.summary = true;
  return wants;
}

ContextParts SummarizingMemory::build_conversation_context(const Window& window, const Recollection& recollection,
                                                           const ContextQuery& query) const {
  ContextParts parts;
  if (query.with_system_prompt) parts.system_prompt = settings_.system_prompt;
  if (!recollection.summary.text.empty()) parts.summary = introduction() + "\n" + recollection.summary.text;
  parts.history = newest_rows(window, query, settings_.reload_buffer);
  return parts;
}

ChatAsk SummarizingMemory::ask(std::string_view other_name, std::string_view about) const {
  ChatAsk ask;
  ask.address = settings_.address;
  ask.max_tokens = settings_.max_summary_tokens;
  const std::string self = self_name();
  ask.prompt =
      filled(settings_.prompt, {{"self_name", self}, {"other_name", other_name}, {"language", settings_.language}});
  ask.prompt.append("\n\n").append(about);
  return ask;
}

std::size_t SummarizingMemory::Summarising::most_rows() const {
  return kMostRows;
}

// Summaries that are too long are summarised once; what that makes of them is not, until something was added to it.
std::optional<Learning::Lesson> SummarizingMemory::Summarising::lesson(const Unlearned& unlearned) const {
  const bool as_it_was_added = unlearned.progress.looked == unlearned.progress.upto;
  if (as_it_was_added && memory_.too_long(unlearned.summary)) return of_summaries(unlearned);
  const auto length = std::ranges::count_if(
      unlearned.turns, [&](const TurnPtr& turn) { return turn->exchange <= unlearned.asked_upto && is_said(*turn); });
  if (static_cast<std::size_t>(length) <= memory_.settings_.min_conversation_length) return std::nullopt;
  return of_turns(unlearned);
}

Learning::Lesson SummarizingMemory::Summarising::of_summaries(const Unlearned& unlearned) const {
  Lesson lesson;
  lesson.learnt.kind = LearningKind::summary;
  lesson.learnt.progress = {unlearned.progress.upto, unlearned.progress.looked + 1};
  lesson.learnt.archives_summary = true;
  const std::string other = other_speaker(unlearned.turns, memory_.settings_.player_name);
  lesson.ask = memory_.ask(other, unlearned.summary);
  return lesson;
}

// So many exchanges as a model with this token budget can read at once; the rest is the next lesson.
Learning::Lesson SummarizingMemory::Summarising::of_turns(const Unlearned& unlearned) const {
  const std::size_t room = memory_.settings_.token_budget / 4 * 3;
  const std::string other = other_speaker(unlearned.turns, memory_.settings_.player_name);
  const std::string self = memory_.self_name();
  Lesson lesson;
  lesson.learnt.kind = LearningKind::summary;
  std::string transcript;
  std::size_t tokens = 0;
  for (const TurnPtr& turn : unlearned.turns) {
    if (turn->exchange > unlearned.asked_upto) break;
    const bool begins = turn->exchange != lesson.learnt.progress.upto;
    if (begins && tokens > room) break;
    lesson.learnt.progress = {turn->exchange, turn->exchange};
    lesson.learnt.turns.push_back(turn->number);
    if (!is_said(*turn)) continue;
    const std::string& usual = turn->role == Role::user ? other : self;
    const std::string line = (is_blank(turn->name) ? usual : on_one_line(turn->name)) + ": " + turn->content + "\n";
    tokens += estimated_tokens(line);
    transcript += line;
  }
  lesson.learnt.summary = unlearned.summary;
  lesson.ask = memory_.ask(other, transcript);
  return lesson;
}

void SummarizingMemory::Summarising::take(const std::string& answer, Learnt& into) const {
  const std::string_view summary = trimmed(answer);
  if (into.archives_summary || into.summary.empty()) {
    into.summary = summary;
  } else if (!summary.empty()) {
    into.summary.append(kBetweenSummaries).append(summary);
  }
}

}  // namespace persona
