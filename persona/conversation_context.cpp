#include <utility>

#include "persona/conversation.hpp"
#include "persona/memory/foreign_memory.hpp"
#include "persona/white_space.hpp"

// Contexts of a conversation: the window, what its memory wants beside it, and the parts put together.
namespace persona {
namespace {

ContextQuery query_of(const ContextAsk& ask, std::optional<Number> left_out) {
  return {ask.utterance, left_out, ask.number, ask.with_system_prompt, ask.at.unix_seconds()};
}

}  // namespace

void Conversation::context(ContextAsk ask, Answer<Context> answer) {
  std::shared_ptr<const Memory> memory = persona_of(ask.persona_id).memory;
  if (!memory) {
    answer(assemble({}, ask.utterance, ask.limits));
    return;
  }
  const auto left_out = recorder_.exchange_of(ask.utterance_id, ask.utterance);
  const std::size_t wanted = memory->wanted_messages();
  const std::string persona_id = ask.persona_id;
  auto with_window = [self = weak_from_this(), memory = std::move(memory), left_out, ask = std::move(ask),
                      answer = std::move(answer)](StoreResult<const Window*> window) mutable {
    if (!window) return answer(window.error());
    const auto here = self.lock();
    if (!here) return answer(make_error_code(StoreError::closed));
    if (memory->foreign() != nullptr) {
      return here->ask_program(std::move(memory), **window, left_out, std::move(ask), std::move(answer));
    }
    here->recollect(std::move(memory), **window, left_out, std::move(ask), std::move(answer));
  };
  thread(persona_id).with(wanted, std::move(with_window));
}

void Conversation::recollect(std::shared_ptr<const Memory> memory, const Window& window, std::optional<Number> left_out,
                             ContextAsk ask, Answer<Context> answer) {
  const ContextQuery query = query_of(ask, left_out);
  Wants wants = memory->wants(window, query);
  if (!wants.any()) {
    answer(assemble(memory->build_conversation_context(window, {}, query), ask.utterance, ask.limits));
    return;
  }
  ThreadKey key{key_, ask.persona_id};
  // The window as it is now: what comes later does not count, and it may leave RAM meanwhile.
  auto found = [self = weak_from_this(), erasures = erasures_, memory = std::move(memory), window, left_out,
                ask = std::move(ask), answer = std::move(answer)](StoreResult<Recollection> recollection) mutable {
    const auto here = self.lock();
    // Something was forgotten while this was looked for: it must not be in what is found.
    if (here && here->erasures_ != erasures) return here->context(std::move(ask), std::move(answer));
    if (!recollection && here && here->around_.degraded) ++here->around_.degraded->without_recollection;
    auto parts = memory->build_conversation_context(window, recollection ? *recollection : Recollection{},
                                                    query_of(ask, left_out));
    answer(assemble(std::move(parts), ask.utterance, ask.limits));
  };
  around_.archive->recollect(std::move(key), std::move(wants), std::move(found));
}

// What a program of others says is brought under the same rules as any context; without an answer there is the window.
void Conversation::ask_program(std::shared_ptr<const Memory> memory, const Window& window,
                               std::optional<Number> left_out, ContextAsk ask, Answer<Context> answer) {
  ContextParts plain = memory->build_conversation_context(window, {}, query_of(ask, left_out));
  ForeignMemory* program = memory->foreign();
  const std::string utterance(trimmed(ask.utterance));
  auto said = [degraded = around_.degraded, memory = std::move(memory), plain = std::move(plain), ask = std::move(ask),
               answer = std::move(answer)](std::optional<std::vector<ContextMessage>> messages) mutable {
    if (!messages || messages->empty()) {
      if (degraded) ++degraded->without_program;
      return answer(assemble(std::move(plain), ask.utterance, ask.limits));
    }
    ContextParts parts;
    const std::string last = std::move(messages->back().content);
    messages->pop_back();
    parts.history = std::move(*messages);
    answer(assemble(std::move(parts), is_blank(last) ? ask.utterance : last, ask.limits));
  };
  program->build_conversation_context(utterance, foreign_key(key_), std::move(said));
}

void Conversation::remember(const std::string& persona_id, std::string fact, Moment at, Answer<Remembered> answer) {
  Fact made;
  made.id = around_.ids->next(at.wall);
  made.text = std::move(fact);
  made.created = at.unix_seconds();
  made.source = "asked";
  around_.archive->remember({key_, persona_id}, std::move(made), std::move(answer));
}

}  // namespace persona
