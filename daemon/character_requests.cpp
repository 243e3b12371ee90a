#include <nlohmann/json.hpp>
#include <utility>

#include "daemon/request_router.hpp"
#include "daemon/turn_json.hpp"

// ovos.memory.step.before, .step.after, .limit and .load: what a game asks for a character that is a persona.
namespace personad {
namespace {

using nlohmann::json;
using persona::Character;
using persona::CharacterMemories;
using persona::Conversation;
using persona::StoreResult;

constexpr std::int64_t kMostLoaded = 10000;
constexpr std::size_t kLoadedWhereNobodySays = 20;

const Character* character_of(const Services& services, const std::string& persona) {
  const auto& memory = services.personas.of_id(persona).memory;
  return memory ? memory->character() : nullptr;
}

// A row that is given to be remembered, as a game's prompt needs it.
json as_memory(const persona::Turn& turn) {
  json message = to_json(turn);
  message["type"] = "memory";
  return message;
}

json instruction(const std::string& text) {
  return {{"role", "system"}, {"content", text}};
}

json memories_of(const CharacterMemories& memories, const persona::MemoryPlace& place) {
  json result{{"memory_offset", place.offset}, {"memory_offset_direction", persona::name(place.direction)}};
  json& list = result["memories"] = json::array();
  if (!memories.introduction.empty()) list.push_back(instruction(memories.introduction));
  if (!memories.summary.empty()) list.push_back(instruction(memories.summary));
  for (const persona::TurnPtr& turn : memories.turns) list.push_back(as_memory(*turn));
  if (!memories.emotions.empty()) result["emotions"] = memories.emotions;
  return result;
}

std::vector<persona::ContextMessage> as_seen(std::vector<persona::NewMessage> messages) {
  std::vector<persona::ContextMessage> seen;
  seen.reserve(messages.size());
  for (persona::NewMessage& message : messages) {
    persona::ContextMessage& one = seen.emplace_back();
    one.role = message.role;
    one.content = std::move(message.content);
    one.name = std::move(message.name);
  }
  return seen;
}

}  // namespace

void answer_step_before(Services& services, Asked asked) {
  std::optional<std::vector<persona::NewMessage>> messages(std::in_place);
  if (asked.request->data().contains("messages")) messages = messages_of(services, *asked.request, 0);
  if (!messages) return;
  const NamedPersona named = named_persona(services, *asked.request);
  if (named.refused) return;
  with_conversation(
      services, asked, [&services, asked, named, seen = as_seen(std::move(*messages))](Conversation& conversation) {
        const std::string persona = persona_or_active(named, conversation);
        const Character* character = character_of(services, persona);
        const persona::MemoryPlace place = character == nullptr ? persona::MemoryPlace{} : character->place();
        conversation.before_step(persona, seen, asked.request->arrival().number,
                                 [request = asked.request, place](StoreResult<CharacterMemories> memories) {
                                   if (!memories) return request->refuse(memories.error());
                                   request->answer(memories_of(*memories, place));
                                 });
      });
}

// All that a step changes is done before it.
void answer_step_after(Services& services, Asked asked) {
  const NamedPersona named = named_persona(services, *asked.request);
  if (!named.refused) asked.request->answer(json::object());
}

void answer_limit(Services& services, Asked asked) {
  FieldReader fields(asked.request->data());
  (void)fields.word("reason", {"limit", "ended"});
  if (!fields.checked(*asked.request)) return;
  const NamedPersona named = named_persona(services, *asked.request);
  if (named.refused) return;
  with_conversation(services, asked, [asked, named](Conversation& conversation) {
    conversation.reached_limit(persona_or_active(named, conversation), asked.request->arrival().number,
                               [request = asked.request](StoreResult<persona::EndedConversation> ended) {
                                 if (!ended) return request->refuse(ended.error());
                                 json result{{"archived", ended->archived}};
                                 if (!ended->summary.empty()) result["summary"] = ended->summary;
                                 request->answer(std::move(result));
                               });
  });
}

void answer_load(Services& services, Asked asked) {
  FieldReader fields(asked.request->data());
  const auto limit = fields.integer("limit", 1, kMostLoaded);
  if (!fields.checked(*asked.request)) return;
  const NamedPersona named = named_persona(services, *asked.request);
  if (named.refused) return;
  with_conversation(services, asked, [&services, asked, named, limit](Conversation& conversation) {
    const std::string persona = persona_or_active(named, conversation);
    const Character* character = character_of(services, persona);
    const std::size_t usual = character == nullptr ? kLoadedWhereNobodySays : character->reload_buffer();
    conversation.history(persona, limit ? static_cast<std::size_t>(*limit) : usual, std::nullopt,
                         [request = asked.request](StoreResult<persona::TurnPage> page) {
                           if (!page) return request->refuse(page.error());
                           json list = json::array();
                           for (const persona::TurnPtr& turn : page->turns) list.push_back(as_memory(*turn));
                           request->answer({{"messages", std::move(list)}});
                         });
  });
}

}  // namespace personad
