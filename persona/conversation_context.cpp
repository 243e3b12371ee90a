#include <algorithm>
#include <iterator>
#include <utility>

#include "persona/conversation.hpp"
#include "persona/memory/foreign_memory.hpp"
#include "persona/question_meanings.hpp"
#include "persona/white_space.hpp"

// Contexts of a conversation: the window, what its memory wants beside it, and the parts put together.
namespace persona {
namespace {

ContextQuery query_of(const ContextAsk& ask, std::optional<Number> left_out) {
  return {ask.utterance, left_out, ask.number, ask.with_system_prompt, ask.at.unix_seconds(), ask.lang};
}

std::string language_of_exchange(const Window& window, std::optional<Number> exchange) {
  for (const TurnPtr& turn : window.turns()) {
    if (turn->exchange == exchange && turn->role == Role::user) return turn->lang;
  }
  return {};
}

// What a program puts first, as instructions, is its system prompt: never cut, and not for everybody.
ContextParts parts_said(std::vector<ContextMessage> messages, bool with_system_prompt) {
  const auto instructs = [](const ContextMessage& message) { return message.role == Role::system; };
  const auto history = std::ranges::find_if_not(messages, instructs);
  ContextParts parts;
  for (auto prompt = messages.begin(); with_system_prompt && prompt != history; ++prompt) {
    parts.member_prompts.push_back(std::move(prompt->content));
  }
  parts.history.assign(std::make_move_iterator(history), std::make_move_iterator(messages.end()));
  return parts;
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
    if (ask.lang.empty()) ask.lang = language_of_exchange(**window, left_out);
    if (memory->foreign() != nullptr) {
      return here->ask_program(std::move(memory), **window, left_out, std::move(ask), std::move(answer));
    }
    here->recollect(std::move(memory), **window, left_out, std::move(ask), std::move(answer));
  };
  thread(persona_id).with(wanted, std::move(with_window));
}

void Conversation::recollect(std::shared_ptr<const Memory> memory, const Window& window, std::optional<Number> left_out,
                             ContextAsk ask, Answer<Context> answer) {
  Wants wants = memory->wants(window, query_of(ask, left_out));
  if (!wants.any()) {
    answer(
        assemble(memory->build_conversation_context(window, {}, query_of(ask, left_out)), ask.utterance, ask.limits));
    return;
  }
  // The window as it is now: what comes later does not count, and it may leave RAM meanwhile.
  recollect(std::move(wants),
            {std::move(memory), window, {}, left_out, erasures_, false, std::move(ask), std::move(answer)});
}

void Conversation::recollect(Wants wants, Recollecting what) {
  ThreadKey key{key_, what.ask.persona_id};
  auto found = [self = weak_from_this(), what = std::move(what)](StoreResult<Recollection> got) mutable {
    const auto here = self.lock();
    if (!here) return what.answer(make_error_code(StoreError::closed));
    --here->asking_;
    // Something was forgotten while this was looked for: it must not be in what is found.
    if (here->erasures_ != what.erasures) return here->context(std::move(what.ask), std::move(what.answer));
    if (!got && here->around_.degraded) ++here->around_.degraded->without_recollection;
    if (got) what.known.add(std::move(*got));
    const ContextQuery query = query_of(what.ask, what.left_out);
    if (got && !std::exchange(what.asked_again, true)) {
      Wants then = what.memory->wants_then(what.window, what.known, query);
      if (then.any()) return here->recollect(std::move(then), std::move(what));
    }
    auto parts = what.memory->build_conversation_context(what.window, what.known, query);
    what.answer(assemble(std::move(parts), what.ask.utterance, what.ask.limits));
  };
  ++asking_;
  auto asks = std::exchange(wants.recall, {});
  with_meanings(key, std::move(asks),
                [self = weak_from_this(), key, wants = std::move(wants),
                 found = std::move(found)](std::vector<RecallAsk> filled) mutable {
                  const auto here = self.lock();
                  if (!here) return found(make_error_code(StoreError::closed));
                  wants.recall = std::move(filled);
                  here->around_.archive->recollect(std::move(key), std::move(wants), std::move(found));
                });
}

void Conversation::with_meanings(const ThreadKey& key, std::vector<RecallAsk> asks,
                                 std::function<void(std::vector<RecallAsk>)> then) {
  const auto uses_meaning = [](const RecallAsk& ask) { return ask.mode != RecallMode::lexical; };
  if (around_.meanings == nullptr || std::ranges::none_of(asks, uses_meaning)) return then(std::move(asks));
  around_.archive->without_names(
      key, asks,
      [self = weak_from_this(), asks, then = std::move(then)](StoreResult<std::vector<RecallAsk>> nameless) mutable {
        const auto here = self.lock();
        if (!here) return then(std::move(asks));
        here->around_.meanings->fill(nameless ? std::move(*nameless) : std::move(asks), std::move(then));
      });
}

void Conversation::search(const std::string& persona_id, RecallAsk ask, Answer<std::vector<Hit>> answer) {
  ThreadKey key{key_, persona_id};
  auto found = [self = weak_from_this(), persona_id, ask, erasures = erasures_,
                answer = std::move(answer)](StoreResult<std::vector<Hit>> hits) mutable {
    const auto here = self.lock();
    if (!here) return answer(make_error_code(StoreError::closed));
    --here->asking_;
    // Something was forgotten while this was looked for: it must not be in what is found.
    if (here->erasures_ != erasures) return here->search(persona_id, std::move(ask), std::move(answer));
    answer(std::move(hits));
  };
  ++asking_;
  with_meanings(key, {std::move(ask)},
                [self = weak_from_this(), key, found = std::move(found)](std::vector<RecallAsk> filled) mutable {
                  const auto here = self.lock();
                  if (!here) return found(make_error_code(StoreError::closed));
                  here->around_.archive->search(std::move(key), std::move(filled.front()), std::move(found));
                });
}

// What a program of others says is brought under the same rules as any context; without an answer there is the window.
void Conversation::ask_program(std::shared_ptr<const Memory> memory, const Window& window,
                               std::optional<Number> left_out, ContextAsk ask, Answer<Context> answer) {
  ForeignMemory* program = memory->foreign();
  const std::string utterance(trimmed(ask.utterance));
  auto said = [self = weak_from_this(), erasures = erasures_, memory = std::move(memory), window, left_out,
               ask = std::move(ask),
               answer = std::move(answer)](std::optional<std::vector<ContextMessage>> messages) mutable {
    const auto here = self.lock();
    if (!here) return answer(make_error_code(StoreError::closed));
    --here->asking_;
    if (here->erasures_ != erasures) return here->context(std::move(ask), std::move(answer));
    if (messages && !messages->empty()) {
      // It may render the utterance into something, but not replace it.
      std::string last = std::move(messages->back().content);
      if (last.find(trimmed(ask.utterance)) == std::string::npos) last = ask.utterance;
      messages->pop_back();
      return answer(assemble(parts_said(std::move(*messages), ask.with_system_prompt), last, ask.limits));
    }
    if (here->around_.degraded) ++here->around_.degraded->without_program;
    answer(
        assemble(memory->build_conversation_context(window, {}, query_of(ask, left_out)), ask.utterance, ask.limits));
  };
  ++asking_;
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
