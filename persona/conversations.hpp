#pragma once
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

#include "persona/conversation.hpp"

namespace persona {

struct ConversationLimits {
  std::size_t conversations = 20000;     ///< in RAM
  std::size_t window_bytes = 64u << 20;  ///< of all windows together
  std::size_t waiting = 4096;            ///< requests that wait for a conversation to be read
  std::size_t heard_bytes = 64u << 20;   ///< of frames that wait for one: what is heard cannot be heard again
};

/// All conversations in use, least recently used first out, each read from the archive when it is first heard of.
///
/// What arrives for a conversation that is being read waits and is then taken in arrival order.
/// Threading: io thread. Invariant: the limits; a conversation over them leaves RAM, never the archive.
class Conversations {
 public:
  Conversations(Surroundings around, ConversationLimits limits);
  ~Conversations();
  Conversations(const Conversations&) = delete;
  Conversations& operator=(const Conversations&) = delete;

  using Opened = std::function<void(StoreResult<Conversation*>)>;
  /// Calls `then` with the conversation: at once when it is in RAM and nothing waits for it. Errors: `unavailable` from
  /// the archive, `busy` when too much waits.
  void open(const ConversationKey& key, Opened then);
  /// A frame about a conversation. What cannot wait any more (see limits) is dropped, counted and logged.
  void hear(const ConversationKey& key, Heard heard);

  /// Takes over records from elsewhere; their ids for want of others, and their numbers, are given here. Answers once
  /// they are durable, and whatever is in RAM of their threads is read anew.
  void import(Import records, Moment at, Answer<Imported> answer);
  [[nodiscard]] const ImportProgress& imports() const { return imports_; }

  /// The bus connection was lost or came back.
  void gap(Moment at);
  /// Lets due time pass everywhere; `Surroundings::on_due` says when to call next.
  void tick(Moment now);
  /// The personas were loaded anew: windows are dropped, as memories may want more of them.
  void personas_changed();

  [[nodiscard]] std::size_t size() const { return slots_.size(); }
  [[nodiscard]] std::uint64_t dropped() const { return dropped_; }
  [[nodiscard]] std::size_t waiting() const { return waiting_; }
  [[nodiscard]] std::size_t heard_bytes_waiting() const { return heard_bytes_; }

  /// The next number: one for each frame, and for each row of a request.
  [[nodiscard]] Number next_number() { return next_number_++; }
  [[nodiscard]] Number take_numbers(std::size_t count);

 private:
  struct Slot {
    ConversationKey key;
    std::shared_ptr<Conversation> conversation;  // null while it is being read
    std::vector<Opened> waiting;
    std::optional<std::chrono::steady_clock::time_point> scheduled;
  };
  using Slots = std::list<Slot>;  // most recently used first

  Conversation* in_ram(const ConversationKey& key);
  void wait(const ConversationKey& key, Opened then);
  void lost(Moment at);
  void imported(const Imported& imported);
  void was_read(const ConversationKey& key, StoreResult<std::optional<ActivePersona::State>> state);
  void schedule(Slot& slot);
  void unschedule(const Slot& slot);
  void make_room();
  void drop_windows_over_limit();

  Surroundings around_;
  ConversationLimits limits_;
  Slots slots_;
  std::unordered_map<ConversationKey, Slots::iterator> index_;
  std::multimap<std::chrono::steady_clock::time_point, ConversationKey> deadlines_;
  std::shared_ptr<Conversations*> self_;  // archive callbacks find out through it whether this is still there
  std::size_t waiting_ = 0;
  std::size_t heard_bytes_ = 0;
  std::uint64_t dropped_ = 0;
  std::optional<std::chrono::steady_clock::time_point> loss_logged_;
  std::uint64_t uses_ = 0;
  ImportProgress imports_;
  Number next_number_;
};

}  // namespace persona
