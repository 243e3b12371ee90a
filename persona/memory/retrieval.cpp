#include "persona/memory/retrieval.hpp"

#include <algorithm>
#include <utility>

#include "persona/memory/context.hpp"
#include "persona/memory/recency.hpp"
#include "persona/memory/settings.hpp"
#include "persona/memory/short_term.hpp"
#include "persona/white_space.hpp"

namespace persona {
namespace {

constexpr std::size_t kMostResults = 100;

// The texts of ovos-memory-plugins: persona files written for it count on them.
constexpr const char* kHeader =
    "Use the following recalled context to answer the user's question. "
    "If the answer is not in the context, rely on the conversation instead.";
constexpr const char* kSystemPromptTemplate = "{system}\n\n{header}\n\nContext:\n{context}";
constexpr const char* kUserTemplate = "{header}\n\nContext:\n{context}\n\nQuestion: {utterance}";

// The newest first. Also those that got no answer, which the history does not show at its end.
std::vector<std::string_view> newest_questions(const Window& window, Number upto, std::size_t rows, std::size_t most,
                                               const ContextQuery& query) {
  std::vector<std::string_view> questions;
  const auto turns = window.turns();
  for (auto turn = turns.rbegin(); turn != turns.rend() && rows > 0 && questions.size() < most; ++turn) {
    if ((*turn)->exchange <= upto) break;
    if (!counts(**turn, query)) continue;
    --rows;
    if ((*turn)->role == Role::user) questions.push_back((*turn)->content);
  }
  return questions;
}

}  // namespace

RecallScope read_scope(SettingsReader& reader) {
  switch (reader.word("scope", {"session", "owner", "persona", "global"}, 0)) {
    case 0:
      return RecallScope::session;
    case 1:
      return RecallScope::owner;
    default:
      return RecallScope::persona;
  }
}

RetrievalSettings RetrievalSettings::read(SettingsReader reader) {
  RetrievalSettings settings;
  SettingsReader retrieval = reader.section("retrieval");
  settings.max_num_results = retrieval.count("max_num_results", settings.max_num_results, kMostResults);
  settings.min_score = retrieval.number("min_score");
  settings.query_mode = QueryMode{static_cast<std::uint8_t>(retrieval.word("query_mode", {"utterance", "history"}, 0))};
  settings.query_history_turns = retrieval.count("query_history_turns", settings.query_history_turns, kMostHistory);
  SettingsReader context = reader.section("context");
  RecallRendering& shown = settings.rendering;
  shown.header = context.text("header", kHeader);
  shown.chunk_prefix = context.text("chunk_prefix", shown.chunk_prefix);
  shown.chunk_separator = context.text("chunk_separator", shown.chunk_separator);
  shown.include_sources = context.flag("include_sources", shown.include_sources);
  shown.tool_name = context.text("tool_name", shown.tool_name);
  shown.mode = InjectMode{static_cast<std::uint8_t>(
      reader.word("inject_mode", {"system", "developer", "system_prompt", "user", "tool"}, 0))};
  shown.system_prompt_template = reader.text("system_prompt_template", kSystemPromptTemplate);
  shown.user_template = reader.text("user_template", kUserTemplate);
  if (shown.user_template.find("{utterance}") == std::string::npos) {
    reader.warn("user_template", "it does not say where the {utterance} goes; the default holds");
    shown.user_template = kUserTemplate;
  }
  settings.scope = read_scope(reader);
  settings.max_history = reader.count("max_history", settings.max_history, kMostHistory);
  settings.system_prompt = reader.text("system_prompt");
  return settings;
}

RecallAsk RetrievalSettings::ask(const Window& window, Number upto, std::size_t rows,
                                 const std::vector<ContextMessage>& history, const ContextQuery& query) const {
  RecallAsk ask;
  ask.most = max_num_results;
  ask.scope = scope;
  ask.mode = mode;
  ask.lang = query.lang;
  ask.now = query.now;
  ask.least_score = min_score;
  ask.as_of = query.as_of;
  if (query.left_out) ask.left_out.push_back(*query.left_out);
  for (const ContextMessage& message : history) {
    ask.left_out.push_back(message.exchange);
    ask.left_out.insert(ask.left_out.end(), message.more_exchanges.begin(), message.more_exchanges.end());
  }
  ask.query = trimmed(query.utterance);
  if (query_mode == QueryMode::history) {
    // After it: of a long search only the first words count.
    for (const std::string_view question : newest_questions(window, upto, rows, query_history_turns, query)) {
      ask.query.append(" ").append(question);
    }
  }
  return ask;
}

std::size_t RetrievalMemory::window_messages() const {
  return settings_.max_history == 0 ? kMostHistory : settings_.max_history;
}

Wants RetrievalMemory::wants(const Window& window, const ContextQuery& query) const {
  Wants wants;
  if (settings_.max_num_results == 0) return wants;
  const auto history = newest_rows(window, query, settings_.max_history);
  wants.recall.push_back(settings_.ask(window, 0, window_messages(), history, query));
  return wants;
}

ContextParts RetrievalMemory::build_conversation_context(const Window& window, const Recollection& recollection,
                                                         const ContextQuery& query) const {
  ContextParts parts;
  if (query.with_system_prompt) parts.system_prompt = settings_.system_prompt;
  if (!recollection.recalled.empty()) parts.recalled = recollection.recalled.front();
  parts.rendering = settings_.rendering;
  parts.history = newest_rows(window, query, settings_.max_history);
  return parts;
}

}  // namespace persona
