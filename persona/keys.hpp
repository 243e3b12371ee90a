#pragma once
#include <functional>
#include <string>

namespace persona {

/// One durable conversation: who it belongs to, and which of their threads it is.
struct ConversationKey {
  std::string owner;
  std::string conversation;
  friend bool operator==(const ConversationKey&, const ConversationKey&) = default;
};

/// The turns of one conversation with one persona: what a window is a view of.
struct ThreadKey {
  ConversationKey where;
  std::string persona;
  friend bool operator==(const ThreadKey&, const ThreadKey&) = default;
};

}  // namespace persona

template <>
struct std::hash<persona::ConversationKey> {
  std::size_t operator()(const persona::ConversationKey& key) const noexcept {
    return std::hash<std::string>()(key.owner) * 1099511628211u ^ std::hash<std::string>()(key.conversation);
  }
};

template <>
struct std::hash<persona::ThreadKey> {
  std::size_t operator()(const persona::ThreadKey& key) const noexcept {
    return std::hash<persona::ConversationKey>()(key.where) * 1099511628211u ^ std::hash<std::string>()(key.persona);
  }
};
