#include <utility>

#include "persona/conversation.hpp"

// What a game asks about a character that is a persona.
namespace persona {

void Conversation::before_step(const std::string& persona_id, std::vector<ContextMessage> newest, Number number,
                               Answer<CharacterMemories> answer) {
  std::shared_ptr<const Memory> memory = persona_of(persona_id).memory;
  if (!memory || memory->character() == nullptr) return answer(CharacterMemories{});
  const std::size_t wanted = memory->wanted_messages();
  auto with_window = [self = weak_from_this(), persona_id, memory = std::move(memory), newest = std::move(newest),
                      number, answer = std::move(answer)](StoreResult<const Window*> window) mutable {
    if (!window) return answer(window.error());
    const auto here = self.lock();
    if (!here) return answer(make_error_code(StoreError::closed));
    StepAsk ask = memory->character()->before_step(**window, newest, number);
    auto found = [self, erasures = here->erasures_, persona_id, memory, newest, number,
                  answer = std::move(answer)](StoreResult<StepFound> step) mutable {
      const auto still_here = self.lock();
      if (!still_here) return answer(make_error_code(StoreError::closed));
      --still_here->asking_;
      // Something was forgotten while this was looked for.
      if (still_here->erasures_ != erasures) {
        return still_here->before_step(persona_id, std::move(newest), number, std::move(answer));
      }
      if (!step) return answer(step.error());
      answer(memory->character()->memories(std::move(*step)));
    };
    ++here->asking_;
    std::vector<RecallAsk> asks;
    if (ask.search) asks.push_back(std::move(ask.search->recall));
    const ThreadKey key{here->key_, persona_id};
    here->with_meanings(
        key, std::move(asks),
        [self, key, ask = std::move(ask), found = std::move(found)](std::vector<RecallAsk> filled) mutable {
          const auto still_here = self.lock();
          if (!still_here) return found(make_error_code(StoreError::closed));
          if (ask.search) ask.search->recall = std::move(filled.front());
          still_here->around_.archive->step(key, std::move(ask), std::move(found));
        });
  };
  thread(persona_id).with(wanted, std::move(with_window));
}

void Conversation::reached_limit(const std::string& persona_id, Number number, Answer<EndedConversation> answer) {
  const auto& memory = persona_of(persona_id).memory;
  if (!memory || memory->character() == nullptr || !memory->character()->summarises()) {
    return answer(EndedConversation{});
  }
  const ThreadKey key{key_, persona_id};
  around_.archive->end_conversation(key, number, std::move(answer));
  learnable_.insert(persona_id);
  told_open_.reset();
  say_what_is_learnable();
}

}  // namespace persona
