#include "persona/conversation.hpp"

#include <algorithm>
#include <utility>

#include "persona/memory/foreign_memory.hpp"
#include "persona/memory/learning.hpp"
#include "persona/name_match.hpp"
#include "persona/white_space.hpp"

namespace persona {
namespace {

constexpr std::chrono::minutes kPromptLasts{5};

PersonaField field_of(const SessionFacts& session) {
  if (!session.persona_id) return std::nullopt;
  return std::string_view(*session.persona_id);
}

DerivedFrame derived(const Heard& heard) {
  return {heard.number, heard.at, heard.utterance_id};
}

std::size_t wanted_by(const Persona& persona) {
  return persona.memory ? persona.memory->wanted_messages() : 0;
}

// Where the persona's host says what was said, what is heard is not recorded: one turn, one record.
bool records(const Persona& persona) {
  return persona.memory != nullptr && persona.memory->records_from_bus();
}

ContextQuery query_of(const ContextAsk& ask, std::optional<Number> left_out) {
  return {ask.utterance, left_out, ask.number, ask.with_system_prompt, ask.at.unix_seconds()};
}

// What a memory of others knows a thread by: no two have the same.
std::string key_of(const ConversationKey& where) {
  return std::to_string(where.owner.size()) + ':' + where.owner + where.conversation;
}

ContextMessage as_told(const Turn& turn) {
  ContextMessage message;
  message.role = turn.role;
  message.content = turn.content;
  message.name = turn.name;
  message.tool_calls = turn.tool_calls;
  message.tool_call_id = turn.tool_call_id;
  message.null_content = turn.null_content;
  return message;
}

}  // namespace

Conversation::Conversation(const Surroundings& around, ConversationKey key, ActivePersona::State active)
    : around_(around),
      key_(std::move(key)),
      active_(active),
      kept_(std::move(active)),
      recorder_(*around.rules, *around.ids, *around.counts) {}

const std::string& Conversation::persona_id() const {
  return active_.persona().empty() ? around_.personas->default_id() : active_.persona();
}

ThreadWindow& Conversation::thread(const std::string& persona) {
  const auto found = threads_.find(persona);
  if (found != threads_.end()) return found->second;
  return threads_.emplace(persona, ThreadWindow(*around_.archive, ThreadKey{key_, persona})).first->second;
}

void Conversation::hear(const Heard& heard) {
  RecorderActions actions;
  follow_persona(heard);
  follow_prompts(heard);
  record(heard, actions);
  carry_out(actions);
  say_what_is_learnable();
  keep_active_if_changed();
}

void Conversation::follow_persona(const Heard& heard) {
  using What = Heard::What;
  const PersonaField field = field_of(heard.session);
  switch (heard.what) {
    case What::entry:
      active_.entry(heard.session.local_default ? ActivePersona::Session::local_default : ActivePersona::Session::named,
                    field, heard.number, heard.at);
      break;
    case What::handled:
    case What::dispatched:
    case What::session_updated:
      active_.snapshot(field, heard.number, heard.at);
      break;
    case What::session_synced:
      active_.sync(field, heard.number, heard.at);
      break;
    case What::summoned:
      active_.set_by_event(persona_called(heard.text), heard.number, heard.at);
      break;
    case What::released:
      active_.set_by_event({}, heard.number, heard.at);
      break;
    case What::activated:
    case What::dismissed: {
      const auto entry = recorder_.exchange_with_id(heard.utterance_id);
      active_.hint(heard.what == What::activated ? std::string_view(heard.text) : std::string_view(),
                   entry.value_or(heard.number), heard.at);
      break;
    }
    default:
      break;  // a bare speak, a match, a GUI event: says nothing about the persona
  }
}

// Who is summoned is named as people say it; a name that is near no persona's is recorded as it was said.
std::string Conversation::persona_called(const std::string& name) const {
  const auto names = around_.personas->ids();
  NameMatch match = match_exact(name, names);
  if (match.name.empty()) match = match_fuzzy(name, names);
  return match.name.empty() ? name : std::move(match.name);
}

// A prompt is known from three places, each of which clears only what it set: the session's own field (a full session
// without it says nobody holds it), the legacy state map, and the legacy events. One without a time limit (the legacy
// two have none) gets one: a skill that died while it waited must not keep everything from being recorded. A persona
// that waits as well hides nobody.
void Conversation::follow_prompts(const Heard& heard) {
  using What = Heard::What;
  const auto in_private = [this](const std::string& skill) { return around_.rules->prompts_in_private(skill); };
  const bool full_session = heard.what == What::handled || (heard.what == What::entry && !heard.session.local_default);
  if (heard.session.response_mode) {
    prompts_[kFromSession] = heard.session.response_mode;
    if (!prompts_[kFromSession]->expires) prompts_[kFromSession]->expires = heard.at.wall + kPromptLasts;
  } else if (full_session) {
    prompts_[kFromSession].reset();
  }
  if (heard.session.awaiting) {
    const auto asks = std::ranges::find_if(*heard.session.awaiting, in_private);
    prompts_[kFromStates].reset();
    if (asks != heard.session.awaiting->end()) {
      prompts_[kFromStates] = HeldPrompt{*asks, heard.at.wall + kPromptLasts};
    }
  }
  if (heard.what == What::prompt_enabled) {
    prompts_[kFromEvent] = HeldPrompt{heard.skill_id, heard.at.wall + kPromptLasts};
  }
  const bool delivered =
      heard.what == What::prompt_answered || (heard.what == What::dispatched && heard.intent == "response");
  if (delivered || heard.what == What::prompt_disabled) {
    for (auto& prompt : prompts_) {
      if (prompt && prompt->skill_id == heard.skill_id) prompt.reset();
    }
  }
  for (auto& prompt : prompts_) {
    if (prompt && prompt->expires && *prompt->expires < heard.at.wall) prompt.reset();
  }
  const auto held =
      std::ranges::find_if(prompts_, [&](const auto& prompt) { return prompt && in_private(prompt->skill_id); });
  if (held != prompts_.end()) {
    recorder_.prompt_held((*held)->skill_id, (*held)->expires);
  } else if (!delivered) {  // a delivery is the recorder's to see first: it ends the prompt by itself
    recorder_.prompt_released();
  }
}

void Conversation::record(const Heard& heard, RecorderActions& out) {
  using What = Heard::What;
  switch (heard.what) {
    case What::entry: {
      const Persona& whose = persona_of(persona_id());
      if (whose.memory) thread(persona_id()).prefetch(wanted_by(whose));
      recorder_.entry({heard.number, heard.at, heard.utterances, heard.lang, persona_id(), records(whose)}, out);
      break;
    }
    case What::matched:
      recorder_.matched(derived(heard), heard.skill_id, heard.text, out);
      break;
    case What::dispatched:
      recorder_.dispatched(derived(heard), heard.skill_id, heard.intent, heard.text, out);
      break;
    case What::prompt_answered:
      recorder_.prompt_answered(derived(heard), heard.skill_id, out);
      break;
    case What::unmatched:
      recorder_.unmatched(derived(heard), out);
      break;
    case What::spoke:
      recorder_.spoke(derived(heard),
                      {heard.text, heard.lang, heard.skill_id, persona_id(), records(persona_of(persona_id()))}, out);
      break;
    case What::handled:
      recorder_.handled(derived(heard), out);
      break;
    case What::cancelled:
      recorder_.cancelled(derived(heard), out);
      break;
    default:
      break;
  }
}

void Conversation::carry_out(const RecorderActions& actions) {
  for (const RecorderAction& action : actions) {
    if (const auto* record = std::get_if<Record>(&action)) {
      ThreadWindow& window = thread(record->persona);
      window.recorded(record->turn);
      around_.archive->keep({window.key(), record->turn});
      if (!record->anew) recorded(window.key(), record->turn);
    } else if (const auto* erase = std::get_if<Erase>(&action)) {
      ThreadWindow& window = thread(erase->persona);
      window.erased(erase->numbers);
      ++erasures_;
      around_.archive->erase(window.key(), erase->numbers, [](StoreResult<void>) {});
    }
  }
}

// A row is there for the first time: those who follow are told.
void Conversation::recorded(const ThreadKey& key, const TurnPtr& turn) {
  if (around_.on_turn) around_.on_turn(key, turn);
  const auto& memory = persona_of(key.persona).memory;
  if (!memory) return;
  if (ForeignMemory* program = memory->foreign()) program->update_history({as_told(*turn)}, key_of(key.where));
  if (turn->role != Role::assistant) return;
  for (const Learning* learning : memory->learnings()) {
    if (!learning->learns_from_answers()) continue;
    around_.archive->learn_later(key, learning->kind());
    learnable_.insert(key.persona);
  }
}

// Only closed exchanges are learnt from; while one is open, only what came before it.
void Conversation::say_what_is_learnable() {
  if (learnable_.empty() || !around_.on_learnable) return;
  const auto open = recorder_.oldest_open();
  for (const std::string& persona : learnable_) around_.on_learnable({key_, persona}, open.value_or(0));
  if (!open) learnable_.clear();
}

void Conversation::keep_active_if_changed() {
  if (active_.state() == kept_) return;
  kept_ = active_.state();
  around_.archive->keep_active(key_, kept_);
}

void Conversation::gap(Moment at) {
  RecorderActions actions;
  recorder_.gap(at, actions);
  carry_out(actions);
  say_what_is_learnable();
}

void Conversation::tick(Moment now) {
  RecorderActions actions;
  recorder_.tick(now, actions);
  carry_out(actions);
  say_what_is_learnable();
}

std::string Conversation::switch_persona(std::string_view id, Number number, Moment at) {
  std::string previous = active_.persona();
  active_.set_by_event(id, number, at);
  keep_active_if_changed();
  return previous;
}

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
  program->build_conversation_context(utterance, key_of(key_), std::move(said));
}

void Conversation::remember(const std::string& persona_id, std::string fact, Moment at, Answer<Remembered> answer) {
  Fact made;
  made.id = around_.ids->next(at.wall);
  made.text = std::move(fact);
  made.created = at.unix_seconds();
  made.source = "asked";
  around_.archive->remember({key_, persona_id}, std::move(made), std::move(answer));
}

void Conversation::update(const std::string& persona_id, std::vector<NewMessage> messages, Number first, Moment at,
                          Answer<std::vector<std::string>> answer) {
  // The window tells which exchange an answer without a question in this batch belongs to.
  auto store = [self = weak_from_this(), persona_id, messages = std::move(messages), first, at,
                answer = std::move(answer)](StoreResult<const Window*> window) mutable {
    const auto here = self.lock();
    if (!window) return answer(window.error());
    if (!here) return answer(make_error_code(StoreError::closed));
    here->store_messages(persona_id, **window, std::move(messages), first, at, std::move(answer));
  };
  thread(persona_id).with(std::max<std::size_t>(wanted_by(persona_of(persona_id)), 1), std::move(store));
}

void Conversation::store_messages(const std::string& persona, const Window& window, std::vector<NewMessage> messages,
                                  Number first, Moment at, Answer<std::vector<std::string>> answer) {
  Number exchange = 0;
  std::string exchange_id;
  if (!window.turns().empty()) {
    exchange = window.turns().back()->exchange;
    exchange_id = window.turns().back()->exchange_id;
  }
  ThreadWindow& mine = thread(persona);
  std::vector<Row> rows;
  std::vector<std::string> ids;
  std::vector<Number> numbers;
  for (NewMessage& message : messages) {
    auto turn = std::make_shared<Turn>();
    turn->id = around_.ids->next(at.wall);
    turn->number = first++;
    if (message.role == Role::user || exchange == 0) {
      exchange = turn->number;
      exchange_id = turn->id;
    }
    turn->exchange = exchange;
    turn->exchange_id = exchange_id;
    turn->timestamp = message.timestamp.value_or(at.unix_seconds());
    turn->role = message.role;
    turn->content = std::move(message.content);
    turn->null_content = message.null_content;
    turn->name = std::move(message.name);
    turn->type = std::move(message.type);
    turn->lang = std::move(message.lang);
    turn->tool_calls = std::move(message.tool_calls);
    turn->tool_call_id = std::move(message.tool_call_id);
    turn->meta = std::move(message.meta);
    ids.push_back(turn->id);
    numbers.push_back(turn->number);
    rows.push_back({mine.key(), std::move(turn)});
  }
  for (const Row& row : rows) mine.recorded(row.turn);
  auto told = rows;  // shares the turns
  around_.archive->append(std::move(rows),
                          [self = weak_from_this(), persona, ids = std::move(ids), numbers, told = std::move(told),
                           answer = std::move(answer)](StoreResult<void> stored) mutable {
                            const auto here = self.lock();
                            if (!stored) {
                              if (here) here->thread(persona).erased(numbers);
                              return answer(stored.error());
                            }
                            if (here) {
                              for (const Row& row : told) here->recorded(row.thread, row.turn);
                              here->say_what_is_learnable();
                            }
                            answer(std::move(ids));
                          });
}

void Conversation::history(const std::string& persona_id, std::size_t limit, std::optional<std::string> before,
                           Answer<TurnPage> answer) {
  around_.archive->read({key_, persona_id}, limit, std::move(before), std::move(answer));
}

bool Conversation::idle() const {
  return recorder_.idle() && !loading();
}

bool Conversation::loading() const {
  return std::ranges::any_of(threads_, [](const auto& thread) { return thread.second.loading(); });
}

std::size_t Conversation::memory() const {
  std::size_t sum = 0;
  for (const auto& [persona, window] : threads_) sum += window.memory();
  return sum;
}

void Conversation::drop_windows() {
  std::erase_if(threads_, [](const auto& thread) { return !thread.second.loading(); });
}

}  // namespace persona
