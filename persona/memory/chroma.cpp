#include "persona/memory/chroma.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "persona/memory/assembly.hpp"
#include "persona/memory/context.hpp"
#include "persona/memory/recency.hpp"
#include "persona/memory/retrieval.hpp"
#include "persona/memory/settings.hpp"
#include "persona/white_space.hpp"

namespace persona {
namespace {

constexpr std::size_t kMostMemories = 100;
constexpr std::size_t kMostAround = 100;
constexpr std::size_t kMostLoaded = 1000;
constexpr std::size_t kMostSteps = 1000000;

bool is_said(const ContextMessage& message) {
  return (message.role == Role::user || message.role == Role::assistant) && !is_blank(message.content);
}

// The rows that are among the messages of the asker: only newest ones can be.
std::vector<TurnPtr> present_rows(const Window& window, std::span<const ContextMessage> newest) {
  std::vector<TurnPtr> present;
  std::size_t looked_at = 2 * newest.size();
  const auto turns = window.turns();
  for (auto turn = turns.rbegin(); turn != turns.rend() && looked_at > 0; ++turn, --looked_at) {
    const auto same = [&](const ContextMessage& message) {
      return message.role == (*turn)->role && message.content == (*turn)->content;
    };
    if (std::ranges::any_of(newest, same)) present.push_back(*turn);
  }
  return present;
}

std::vector<ContextMessage> newest_said(const Window& window, std::size_t most, Number as_of) {
  std::vector<ContextMessage> said;
  const auto turns = window.turns();
  for (auto turn = turns.rbegin(); turn != turns.rend() && said.size() < most; ++turn) {
    if (!is_said(**turn) || (as_of != 0 && (*turn)->number >= as_of)) continue;
    ContextMessage& message = said.emplace_back();
    message.role = (*turn)->role;
    message.content = (*turn)->content;
  }
  std::ranges::reverse(said);
  return said;
}

// An emotion decays by a share of itself. Pantella's users write whether others' feelings count as a number.
FeelingRules read_feelings(SettingsReader& reader) {
  FeelingRules rules;
  rules.decay_min = reader.number("emotional_decay_min", rules.decay_min, 0, 1);
  rules.decay_max = reader.number("emotional_decay_max", rules.decay_max, 0, 1);
  if (rules.decay_min > rules.decay_max) {
    reader.warn("emotional_decay_min", "it is above emotional_decay_max; they are swapped");
    std::swap(rules.decay_min, rules.decay_max);
  }
  const nlohmann::json* empathy = reader.value("empathy");
  const bool is_flag = empathy != nullptr && empathy->is_boolean();
  rules.for_others = is_flag ? empathy->get<bool>() : reader.number("empathy", 0.5, 0, 1) > 0;
  return rules;
}

}  // namespace

ChromaMemory::Settings ChromaMemory::Settings::read(SettingsReader reader) {
  Settings settings;
  // Some versions of Pantella spell it so.
  const char* query_size = reader.value("chromadb_query_size") == nullptr && reader.value("chromedb_query_size")
                               ? "chromedb_query_size"
                               : "chromadb_query_size";
  settings.query_size = reader.count(query_size, settings.query_size, kMostLoaded);
  settings.logical_memories = reader.count("logical_memories", settings.logical_memories, kMostMemories);
  settings.messages_before = reader.count("chromadb_memory_messages_before", settings.messages_before, kMostAround);
  settings.messages_after = reader.count("chromadb_memory_messages_after", settings.messages_after, kMostAround);
  settings.update_interval = std::max<std::size_t>(reader.count("memory_update_interval", 1, kMostSteps), 1);
  settings.reload_buffer = std::max<std::size_t>(reader.count("reload_buffer", settings.reload_buffer, kMostLoaded), 1);
  settings.scope = read_scope(reader);
  settings.place = read_place(reader, "chromadb_memory");
  settings.feelings = read_feelings(reader);
  settings.system_prompt = reader.text("system_prompt");
  return settings;
}

ChromaMemory::ChromaMemory(Settings settings, CharacterProperties properties)
    : settings_(std::move(settings)), properties_(std::move(properties)) {}

std::size_t ChromaMemory::wanted_messages() const {
  return std::max(settings_.reload_buffer, settings_.query_size) + 2;
}

std::string ChromaMemory::introduction() const {
  return (properties_.name.empty() ? "The character" : properties_.name) + " remembers what was said earlier:";
}

StepAsk ChromaMemory::before_step(const Window& window, std::span<const ContextMessage> newest, Number as_of) const {
  StepAsk ask;
  MemorySearch& search = ask.search.emplace();
  search.before = settings_.messages_before;
  search.after = settings_.messages_after;
  search.update_interval = settings_.update_interval;
  search.feelings = settings_.feelings;
  std::vector<ContextMessage> said;
  std::ranges::copy_if(newest, std::back_inserter(said),
                       [](const ContextMessage& message) { return is_said(message); });
  if (said.empty()) said = newest_said(window, settings_.query_size, as_of);
  for (const TurnPtr& turn : present_rows(window, said)) {
    search.present.push_back(turn->number);
    search.recall.left_out.push_back(turn->exchange);
  }
  if (said.size() > settings_.query_size)
    said.erase(said.begin(), said.end() - static_cast<long>(settings_.query_size));
  for (const ContextMessage& message : said) search.recall.query.append(message.content).append("\n");
  search.recall.most = settings_.logical_memories;
  search.recall.scope = settings_.scope;
  search.recall.as_of = as_of;
  return ask;
}

CharacterMemories ChromaMemory::memories(StepFound found) const {
  CharacterMemories memories;
  if (!found.turns.empty()) memories.introduction = introduction();
  memories.turns = std::move(found.turns);
  memories.emotions = std::move(found.emotions);
  return memories;
}

Wants ChromaMemory::wants(const Window& window, const ContextQuery& query) const {
  Wants wants;
  if (settings_.logical_memories == 0) return wants;
  RecallAsk& ask = wants.recall.emplace_back();
  ask.query = trimmed(query.utterance);
  ask.most = settings_.logical_memories;
  ask.scope = settings_.scope;
  ask.as_of = query.as_of;
  if (query.left_out) ask.left_out.push_back(*query.left_out);
  for (const ContextMessage& message : newest_rows(window, query, settings_.reload_buffer)) {
    ask.left_out.push_back(message.exchange);
  }
  return wants;
}

ContextParts ChromaMemory::build_conversation_context(const Window& window, const Recollection& recollection,
                                                      const ContextQuery& query) const {
  ContextParts parts;
  if (query.with_system_prompt) parts.system_prompt = settings_.system_prompt;
  if (!recollection.recalled.empty()) parts.recalled = recollection.recalled.front();
  parts.rendering.header = introduction();
  parts.history = newest_rows(window, query, settings_.reload_buffer);
  return parts;
}

}  // namespace persona
