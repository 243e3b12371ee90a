#pragma once
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "persona/memory/assembly.hpp"
#include "persona/memory/context.hpp"

// Rows and messages for tests, in few words.
namespace persona::testing {

inline TurnPtr row(Number number, Number exchange, Role role, std::string content) {
  Turn turn;
  turn.id = "turn-" + std::to_string(number);
  turn.number = number;
  turn.exchange = exchange;
  turn.exchange_id = "turn-" + std::to_string(exchange);
  turn.timestamp = 1700000000 + static_cast<double>(number);
  turn.role = role;
  turn.content = std::move(content);
  return std::make_shared<const Turn>(std::move(turn));
}

/// A thread of rows numbered from 1; each user row opens an exchange.
inline std::vector<TurnPtr> rows(std::initializer_list<std::pair<Role, std::string>> said) {
  std::vector<TurnPtr> turns;
  Number exchange = 1;
  for (const auto& [role, content] : said) {
    const Number number = turns.size() + 1;
    if (role == Role::user) exchange = number;
    turns.push_back(row(number, exchange, role, content));
  }
  return turns;
}

inline Window window_of(const std::vector<TurnPtr>& turns) {
  Window window;
  for (const TurnPtr& turn : turns) window.insert(turn);
  window.set_from_the_start(true);
  return window;
}

/// The messages of a context that is not limited.
inline std::vector<ContextMessage> context_of(const Memory& memory, const Window& window, const ContextQuery& query,
                                              const Recollection& recollection = {}) {
  return assemble(memory.build_conversation_context(window, recollection, query), query.utterance).messages;
}

inline TurnPtr call(Number number, Number exchange, std::string calls, std::string content = {}) {
  Turn turn = *row(number, exchange, Role::assistant, std::move(content));
  turn.tool_calls = std::move(calls);
  turn.null_content = turn.content.empty();
  return std::make_shared<const Turn>(std::move(turn));
}

inline TurnPtr result(Number number, Number exchange, std::string id, std::string content) {
  Turn turn = *row(number, exchange, Role::tool, std::move(content));
  turn.tool_call_id = std::move(id);
  return std::make_shared<const Turn>(std::move(turn));
}

/// "user:hello|assistant:hi": what a test compares.
inline std::string shown(const std::vector<ContextMessage>& messages) {
  std::string text;
  for (const ContextMessage& message : messages) {
    if (!text.empty()) text += '|';
    text.append(name(message.role)).append(":");
    if (!message.tool_calls.empty()) text.append("calls").append(message.tool_calls);
    text.append(message.content);
  }
  return text;
}

}  // namespace persona::testing
