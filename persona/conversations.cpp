#include "persona/conversations.hpp"

#include <spdlog/spdlog.h>

#include <utility>

namespace persona {
namespace {

constexpr std::chrono::minutes kLogEvery{1};

// Roughly what a frame holds while it waits, with its place in the queue.
std::size_t memory_of(const Heard& heard) {
  constexpr std::size_t kItself = sizeof(Heard) + 256;
  std::size_t sum = kItself + heard.text.size() + heard.lang.size();
  for (const std::string& utterance : heard.utterances) sum += sizeof utterance + utterance.size();
  return sum;
}

}  // namespace

Conversations::Conversations(Surroundings around, ConversationLimits limits)
    : around_(std::move(around)),
      limits_(limits),
      self_(std::make_shared<Conversations*>(this)),
      next_number_(around_.archive->next_number()) {}

Conversations::~Conversations() {
  *self_ = nullptr;
}

Number Conversations::take_numbers(std::size_t count) {
  const Number first = next_number_;
  next_number_ += count;
  return first;
}

// The conversation, now the most recently used; null when it is not in RAM or still being read.
Conversation* Conversations::in_ram(const ConversationKey& key) {
  const auto found = index_.find(key);
  if (found == index_.end()) return nullptr;
  slots_.splice(slots_.begin(), slots_, found->second);
  return slots_.front().conversation.get();
}

// What is being read is bounded by what waits for it: callers have checked that one more may.
void Conversations::wait(const ConversationKey& key, Opened then) {
  if (!index_.contains(key)) {
    make_room();
    slots_.push_front(Slot{key, nullptr, {}, std::nullopt});
    index_.emplace(key, slots_.begin());
    around_.archive->read_active(key, [key, self = self_](StoreResult<std::optional<ActivePersona::State>> state) {
      if (*self != nullptr) (*self)->was_read(key, std::move(state));
    });
  }
  index_.at(key)->waiting.push_back(std::move(then));
}

void Conversations::open(const ConversationKey& key, Opened then) {
  if (Conversation* conversation = in_ram(key)) {
    then(conversation);
    drop_windows_over_limit();
    return;
  }
  if (waiting_ >= limits_.waiting) {
    then(make_error_code(StoreError::busy));
    return;
  }
  ++waiting_;
  wait(key, [this, then = std::move(then)](StoreResult<Conversation*> opened) {
    --waiting_;
    then(opened);
  });
}

void Conversations::hear(const ConversationKey& key, Heard heard) {
  if (Conversation* conversation = in_ram(key)) {
    conversation->hear(heard);
    schedule(slots_.front());
    drop_windows_over_limit();
    return;
  }
  const std::size_t bytes = memory_of(heard);
  if (heard_bytes_ + bytes > limits_.heard_bytes) return lost(heard.at);
  heard_bytes_ += bytes;
  wait(key, [this, bytes, heard = std::move(heard)](StoreResult<Conversation*> opened) {
    heard_bytes_ -= bytes;
    if (opened) (*opened)->hear(heard);
  });
}

void Conversations::lost(Moment at) {
  ++dropped_;
  if (loss_logged_ && at.steady - *loss_logged_ < kLogEvery) return;
  loss_logged_ = at.steady;
  spdlog::error(
      "more is heard than the store can keep up with: {} frames about conversations that are not in memory "
      "were lost since the start",
      dropped_);
}

// A conversation whose state cannot be read starts as one that was never heard of: what is said now matters more.
void Conversations::was_read(const ConversationKey& key, StoreResult<std::optional<ActivePersona::State>> state) {
  const auto found = index_.find(key);
  if (found == index_.end() || found->second->conversation) return;
  ActivePersona::State active;
  if (state && state.value()) active = std::move(*state.value());
  const auto conversation = std::make_shared<Conversation>(around_, key, std::move(active));
  found->second->conversation = conversation;
  auto waiting = std::exchange(found->second->waiting, {});
  for (Opened& then : waiting) then(conversation.get());
  if (const auto still = index_.find(key); still != index_.end()) schedule(*still->second);
}

void Conversations::import(Import records, Moment at, Answer<Imported> answer) {
  records.first = take_numbers(records.records.size());
  records.ids.clear();
  while (records.ids.size() < records.records.size()) records.ids.push_back(around_.ids->next(at.wall));
  around_.archive->import(std::move(records),
                          [self = self_, answer = std::move(answer)](StoreResult<Imported> imported) {
                            if (imported && *self != nullptr) (*self)->imported(*imported);
                            answer(std::move(imported));
                          });
}

void Conversations::imported(const Imported& imported) {
  for (const Imported::Rows& rows : imported.changed) {
    const auto found = index_.find(rows.thread.where);
    // One that is being read has no windows yet.
    if (found != index_.end() && found->second->conversation) {
      found->second->conversation->imported(rows.thread.persona);
    }
    if (!rows.turns.empty()) {
      Conversation::tell_program(around_.personas->of_id(rows.thread.persona), rows.thread, rows.turns);
    }
  }
  if (around_.on_rows) around_.on_rows();
  const auto line = imports_.add(imported.imported, imported.skipped, std::chrono::steady_clock::now());
  if (line) spdlog::info("{}", *line);
  if (around_.on_due) around_.on_due(*imports_.due());
}

void Conversations::gap(Moment at) {
  for (Slot& slot : slots_) {
    if (!slot.conversation) continue;
    slot.conversation->gap(at);
    schedule(slot);
  }
}

// Scheduled is never later than due; it may be earlier, and is then put right when it comes up.
void Conversations::schedule(Slot& slot) {
  const auto due = slot.conversation->deadline();
  if (!due) return;
  if (slot.scheduled && *slot.scheduled <= *due) return;
  unschedule(slot);
  slot.scheduled = *due;
  const auto added = deadlines_.emplace(*due, slot.key);  // before `begin` is asked for
  if (added == deadlines_.begin() && around_.on_due) around_.on_due(*due);
}

void Conversations::unschedule(const Slot& slot) {
  if (!slot.scheduled) return;
  auto [at, end] = deadlines_.equal_range(*slot.scheduled);
  while (at != end && !(at->second == slot.key)) ++at;
  if (at != end) deadlines_.erase(at);
}

void Conversations::tick(Moment now) {
  while (!deadlines_.empty() && deadlines_.begin()->first <= now.steady) {
    const ConversationKey key = std::move(deadlines_.begin()->second);
    deadlines_.erase(deadlines_.begin());
    const auto found = index_.find(key);
    if (found == index_.end()) continue;
    Slot& slot = *found->second;
    slot.scheduled.reset();
    slot.conversation->tick(now);
    schedule(slot);
  }
  if (const auto line = imports_.end(now.steady)) spdlog::info("{}", *line);
  if (!around_.on_due) return;
  if (!deadlines_.empty()) around_.on_due(deadlines_.begin()->first);
  if (const auto due = imports_.due()) around_.on_due(*due);
}

void Conversations::make_room() {
  constexpr int kTries = 16;
  if (slots_.size() < limits_.conversations) return;
  auto victim = slots_.end();
  int tries = 0;
  for (auto at = slots_.rbegin(); at != slots_.rend() && tries < kTries; ++at, ++tries) {
    // Whoever waits for one that is reading would never be answered.
    if (!at->conversation || at->conversation->loading()) continue;
    if (victim == slots_.end()) victim = std::prev(at.base());
    if (!at->conversation->idle()) continue;
    victim = std::prev(at.base());
    break;
  }
  if (victim == slots_.end()) return;        // all of them are reading, and leave once that is over
  victim->conversation->gap(Moment::now());  // nothing said is lost with it
  unschedule(*victim);
  index_.erase(victim->key);
  slots_.erase(victim);
}

// Adding up all windows each time one is used would cost more than it saves, so it is done now and then.
void Conversations::drop_windows_over_limit() {
  constexpr std::uint64_t kEvery = 4096;
  if (++uses_ % kEvery != 0) return;
  std::size_t sum = 0;
  for (const Slot& slot : slots_) {
    if (slot.conversation) sum += slot.conversation->memory();
  }
  for (auto at = slots_.rbegin(); at != slots_.rend() && sum > limits_.window_bytes; ++at) {
    if (!at->conversation) continue;
    sum -= at->conversation->memory();
    at->conversation->drop_windows();
  }
}

void Conversations::personas_changed() {
  for (Slot& slot : slots_) {
    if (slot.conversation) slot.conversation->drop_windows();
  }
}

}  // namespace persona
