#include <nlohmann/json.hpp>
#include <utility>

#include "daemon/request_router.hpp"

namespace personad {
namespace {

using nlohmann::json;
using persona::Conversation;

json id_or_null(const std::string& id) {
  return id.empty() ? json(nullptr) : json(id);
}

json to_json(const persona::Character& character) {
  const persona::CharacterProperties& who = character.properties();
  return {{"race", who.race}, {"gender", who.gender}, {"base_id", who.base_id}, {"ref_id", who.ref_id}};
}

/// The one place where a switch is performed: state, event, answer.
void switch_to(const std::string& id, const Asked& asked, Conversation& conversation) {
  Request& request = *asked.request;
  const std::string previous = conversation.switch_persona(id, request.arrival().number, request.arrival().at);
  if (previous != id) {
    if (!previous.empty()) {
      request.emit("ovos.persona.dismissed", {{"persona_id", previous}, {"session_id", asked.where.conversation}});
    }
    if (!id.empty()) {
      request.emit("ovos.persona.activated", {{"persona_id", id}, {"session_id", asked.where.conversation}});
    }
  }
  json result{
      {"previous", id_or_null(previous)}, {"session_id", asked.where.conversation}, {"session", {{"persona_id", id}}}};
  if (!id.empty()) result["persona_id"] = id;
  request.answer(std::move(result));
}

}  // namespace

void answer_activate(Services& services, Asked asked) {
  FieldReader fields(asked.request->data());
  const std::string wanted = fields.required_text("persona_id", kMaxNameBytes);
  const std::string how = fields.word("match", {"exact", "fuzzy"}).value_or("exact");
  if (!fields.ok()) return asked.request->refuse(Refusal::bad_request, fields.error());
  const auto names = services.personas.ids();
  const persona::NameMatch near = persona::match_fuzzy(wanted, names);
  const persona::NameMatch match = how == "fuzzy" ? near : persona::match_exact(wanted, names);
  if (match.name.empty()) {
    return asked.request->refuse(Refusal::unknown_persona, no_such_persona(wanted, near));
  }
  with_conversation(services, asked,
                    [asked, id = match.name](Conversation& conversation) { switch_to(id, asked, conversation); });
}

void answer_dismiss(Services& services, Asked asked) {
  with_conversation(services, asked, [asked](Conversation& conversation) { switch_to({}, asked, conversation); });
}

void answer_active(Services& services, Asked asked) {
  with_conversation(services, asked, [asked](Conversation& conversation) {
    const persona::ActivePersona& active = conversation.active();
    const bool ever = active.state().since > 0;
    asked.request->answer({{"persona_id", id_or_null(active.persona())},
                           {"session_id", asked.where.conversation},
                           {"since", ever ? json(active.state().since) : json(nullptr)},
                           {"source", persona::name(active.state().source)}});
  });
}

void answer_personas(Services& services, Asked asked) {
  json list = json::array();
  for (const auto& [id, one] : services.personas.all()) {
    json entry{{"persona_id", id},
               {"default", id == services.personas.default_id()},
               {"memory", one.memory ? json(one.memory_module) : json(nullptr)}};
    if (!one.file.empty()) entry["file"] = one.file.filename().string();
    if (!one.warning.empty()) entry["warning"] = one.warning;
    if (one.memory && one.memory->character() != nullptr) entry["character"] = to_json(*one.memory->character());
    list.push_back(std::move(entry));
  }
  asked.request->answer({{"personas", std::move(list)}});
}

}  // namespace personad
