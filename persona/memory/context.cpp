#include "persona/memory/context.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <unordered_set>
#include <utility>

namespace persona {
namespace {

bool calls_tools(const ContextMessage& message) {
  return !message.tool_calls.empty();
}

// An empty list calls nothing, and only the assistant calls.
bool calls_tools(const Turn& turn) {
  return turn.role == Role::assistant && !turn.tool_calls.empty() && turn.tool_calls != "[]";
}

enum class Joining { none, replaces, merges };

// How a message joins the one before it: the one rule of folding.
Joining joining(Role before, bool before_calls, Role role, bool calls, Questions questions) {
  if (role != before) return Joining::none;
  if (role == Role::user) return questions == Questions::replaced ? Joining::replaces : Joining::none;
  if (role == Role::assistant && !before_calls && !calls) return Joining::merges;
  return Joining::none;
}

void merge(std::string& into, std::string_view text) {
  if (!into.empty() && !text.empty()) into += '\n';
  into += text;
}

ContextMessage as_message(const Turn& turn) {
  ContextMessage message;
  message.role = turn.role;
  message.exchange = turn.exchange;
  message.content = turn.content;
  message.name = turn.name;
  if (turn.role == Role::tool) message.tool_call_id = turn.tool_call_id;
  if (calls_tools(turn)) {
    message.tool_calls = turn.tool_calls;
    message.null_content = turn.null_content;
  }
  return message;
}

void add(std::vector<ContextMessage>& messages, ContextMessage message, Questions questions) {
  if (messages.empty()) {
    messages.push_back(std::move(message));
    return;
  }
  ContextMessage& last = messages.back();
  switch (joining(last.role, calls_tools(last), message.role, calls_tools(message), questions)) {
    case Joining::none:
      messages.push_back(std::move(message));
      break;
    case Joining::replaces:
      last = std::move(message);
      break;
    case Joining::merges:
      merge(last.content, message.content);
      if (message.exchange != last.exchange) last.more_exchanges.push_back(message.exchange);
      last.more_exchanges.insert(last.more_exchanges.end(), message.more_exchanges.begin(),
                                 message.more_exchanges.end());
      break;
  }
}

using Ids = std::unordered_set<std::string>;

// The ids of a message's calls; none when one of them has no id, or an id twice: no results can complete those.
Ids ids_of_calls(const ContextMessage& message) {
  const auto calls = nlohmann::json::parse(message.tool_calls, nullptr, false);
  if (!calls.is_array()) return {};
  Ids ids;
  for (const auto& call : calls) {
    const auto id = call.is_object() ? call.find("id") : call.end();
    if (!call.is_object() || id == call.end() || !id->is_string()) return {};
    if (!ids.insert(id->get_ref<const std::string&>()).second) return {};
  }
  return ids;
}

// Calls with all their results right after them stay, in any order; every other call and result goes.
std::vector<ContextMessage> with_whole_calls(std::vector<ContextMessage> history, Questions questions) {
  std::vector<ContextMessage> kept;
  kept.reserve(history.size());
  for (std::size_t i = 0; i < history.size(); ++i) {
    if (history[i].role == Role::tool) continue;  // its call is not the message before it
    if (history[i].role != Role::assistant || !calls_tools(history[i])) {
      add(kept, std::move(history[i]), questions);
      continue;
    }
    Ids open = ids_of_calls(history[i]);
    const bool answerable = !open.empty();
    std::vector<std::size_t> results;
    std::size_t next = i + 1;
    for (; next < history.size() && history[next].role == Role::tool; ++next) {
      if (open.erase(history[next].tool_call_id) > 0) results.push_back(next);
    }
    if (answerable && open.empty()) {
      add(kept, std::move(history[i]), questions);
      for (const std::size_t result : results) add(kept, std::move(history[result]), questions);
    }
    i = next - 1;
  }
  return kept;
}

bool instructs(const ContextMessage& message) {
  return message.role == Role::system || message.role == Role::developer;
}

void drop_answers_without_question(std::vector<ContextMessage>& history) {
  const auto first = std::find_if(history.begin(), history.end(),
                                  [](const ContextMessage& message) { return message.role == Role::user; });
  history.erase(std::stable_partition(history.begin(), first, instructs), first);
}

void drop_questions_without_answer(std::vector<ContextMessage>& history) {
  const auto last = std::find_if(history.rbegin(), history.rend(), [](const ContextMessage& message) {
    return !instructs(message) && message.role != Role::user;
  });
  history.erase(std::stable_partition(last.base(), history.end(), instructs), history.end());
}

}  // namespace

bool counts(const Turn& turn, const ContextQuery& query) {
  if (query.left_out && turn.exchange == *query.left_out) return false;
  return query.as_of == 0 || turn.number < query.as_of;
}

std::vector<ContextMessage> fold(std::span<const TurnPtr> turns, const ContextQuery& query, Questions questions) {
  std::vector<ContextMessage> messages;
  for (const TurnPtr& turn : turns) {
    if (counts(*turn, query)) add(messages, as_message(*turn), questions);
  }
  return messages;
}

std::size_t folded_size(std::span<const TurnPtr> turns) {
  std::size_t size = 0;
  const Turn* before = nullptr;
  for (const TurnPtr& turn : turns) {
    const bool joins = before != nullptr && joining(before->role, calls_tools(*before), turn->role, calls_tools(*turn),
                                                    Questions::replaced) != Joining::none;
    if (!joins) ++size;
    before = turn.get();
  }
  return size;
}

void settle(std::vector<ContextMessage>& history, Questions questions) {
  const bool any_tools = std::ranges::any_of(
      history, [](const ContextMessage& message) { return message.role == Role::tool || calls_tools(message); });
  // In this order one pass is enough: whole calls first, since what they leave behind joins up; then the two ends.
  if (any_tools) history = with_whole_calls(std::move(history), questions);
  drop_answers_without_question(history);
  drop_questions_without_answer(history);
}

void cut(std::vector<ContextMessage>& history, std::size_t most, Questions questions) {
  if (history.size() > most) {
    history.erase(history.begin(), history.end() - static_cast<std::ptrdiff_t>(most));
  }
  settle(history, questions);
}

}  // namespace persona
