#include "persona/conversation.hpp"

#include <algorithm>
#include <utility>

#include "persona/memory/foreign_memory.hpp"
#include "persona/memory/learning.hpp"
#include "persona/name_match.hpp"
#include "persona/white_space.hpp"

namespace persona {
namespace {

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

void Conversation::follow_prompts(const Heard& heard) {
  const HeldPrompts::Held held = prompts_.follow(heard, *around_.rules);
  if (held.prompt) {
    recorder_.prompt_held(held.prompt->skill_id, held.prompt->expires);
  } else if (!held.delivered) {  // a delivery is the recorder's to see first: it ends the prompt by itself
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
      const LearningKinds kinds = record->anew ? LearningKinds() : learnt_from(record->persona, *record->turn);
      around_.archive->keep({window.key(), record->turn, kinds});
      if (!record->anew) tell(window.key(), {&record->turn, 1});
    } else if (const auto* erase = std::get_if<Erase>(&action)) {
      ThreadWindow& window = thread(erase->persona);
      window.erased(erase->numbers);
      ++erasures_;
      around_.archive->erase(window.key(), erase->numbers, [](StoreResult<void>) {});
      tell_anew(erase->persona);
    }
  }
  if (!actions.empty() && around_.on_rows) around_.on_rows();
}

// Rows are there for the first time: those who follow are told.
void Conversation::tell(const ThreadKey& key, std::span<const TurnPtr> turns) {
  if (around_.on_turn) {
    for (const TurnPtr& turn : turns) around_.on_turn(key, turn);
  }
  tell_program(persona_of(key.persona), key, turns);
}

void Conversation::tell_program(const Persona& persona, const ThreadKey& key, std::span<const TurnPtr> turns) {
  ForeignMemory* program = persona.memory ? persona.memory->foreign() : nullptr;
  if (program == nullptr) return;
  std::vector<ContextMessage> messages;
  for (const TurnPtr& turn : turns) messages.push_back(as_told(*turn));
  program->update_history(std::move(messages), foreign_key(key.where));
}

// A program can forget a conversation, not a row of it: it forgets all, and is told what is left.
void Conversation::tell_anew(const std::string& persona) {
  const auto& memory = persona_of(persona).memory;
  if (!memory || memory->foreign() == nullptr) return;
  memory->foreign()->forget(foreign_key(key_), [degraded = around_.degraded](bool forgot) {
    if (!forgot && degraded) ++degraded->not_forgotten;
  });
  auto left = [memory, key = foreign_key(key_)](StoreResult<const Window*> window) {
    if (!window) return;
    std::vector<ContextMessage> messages;
    for (const TurnPtr& turn : (*window)->turns()) messages.push_back(as_told(*turn));
    if (!messages.empty()) memory->foreign()->update_history(std::move(messages), key);
  };
  thread(persona).with(memory->wanted_messages(), std::move(left));
}

// What is to be learnt from a row is stored with it. A row that was learnt from is told of once its exchange closes.
LearningKinds Conversation::learnt_from(const std::string& persona, const Turn& turn) {
  LearningKinds kinds;
  const auto& memory = persona_of(persona).memory;
  if (!memory || turn.role != Role::assistant) return kinds;
  for (const Learning* learning : memory->learnings()) {
    if (learning->learns_from_answers()) kinds.add(learning->kind());
  }
  if (kinds.empty()) return kinds;
  learnable_.insert(persona);
  told_open_.reset();
  return kinds;
}

// Only closed exchanges are learnt from; while one is open, only what came before it.
void Conversation::say_what_is_learnable() {
  if (learnable_.empty() || !around_.on_learnable) return;
  const auto open = recorder_.oldest_open();
  if (open && told_open_ == open) return;
  told_open_ = open;
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

void Conversation::history(const std::string& persona_id, std::size_t limit, std::optional<std::string> before,
                           Answer<TurnPage> answer) {
  around_.archive->read({key_, persona_id}, limit, std::move(before), std::move(answer));
}

void Conversation::imported(const std::string& persona_id) {
  const auto found = threads_.find(persona_id);
  if (found != threads_.end()) found->second.read_anew();
}

bool Conversation::idle() const {
  return recorder_.idle() && !loading();
}

bool Conversation::loading() const {
  return asking_ > 0 || std::ranges::any_of(threads_, [](const auto& thread) { return thread.second.loading(); });
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
