#include "daemon/request_router.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "bus/session.hpp"
#include "bus/topics.hpp"

namespace personad {
namespace {

struct Operation {
  std::string_view name;  // as `op` of ovos.memory.request
  std::string_view topic;
  Audience audience;
  void (*handle)(Services&, Asked);
};

constexpr std::array kOperations{
    Operation{"context", "ovos.memory.context", Audience::everyone, answer_context},
    Operation{"history", "ovos.memory.history", Audience::everyone, answer_history},
    Operation{"search", "ovos.memory.search", Audience::everyone, answer_search},
    Operation{"update", "ovos.memory.update", Audience::local, answer_update},
    Operation{"remember", "ovos.memory.remember", Audience::everyone, answer_remember},
    Operation{"facts", "ovos.memory.facts", Audience::everyone, answer_facts},
    Operation{"step.before", "ovos.memory.step.before", Audience::everyone, answer_step_before},
    Operation{"step.after", "ovos.memory.step.after", Audience::everyone, answer_step_after},
    Operation{"limit", "ovos.memory.limit", Audience::everyone, answer_limit},
    Operation{"load", "ovos.memory.load", Audience::everyone, answer_load},
    Operation{"import", "ovos.memory.import", Audience::administrator, answer_import},
    Operation{"sessions", "ovos.memory.sessions", Audience::administrator, answer_sessions},
    Operation{"personas", "ovos.memory.personas", Audience::local, answer_personas},
    Operation{"status", "ovos.memory.status", Audience::local, answer_status},
    Operation{"activate", "ovos.persona.activate", Audience::local, answer_activate},
    Operation{"dismiss", "ovos.persona.dismiss", Audience::local, answer_dismiss},
    Operation{"active", "ovos.persona.active", Audience::local, answer_active},
};

constexpr std::string_view kAnyOperation = "ovos.memory.request";  // the one topic a hub has to allow
constexpr std::string_view kPrefix = "ovos.memory.";
constexpr std::size_t kMaxUnknownTopic = 128;
constexpr std::size_t kMaxRequestId = 128;

const Operation* operation_of(std::string_view topic) {
  const auto found = std::ranges::find(kOperations, topic, &Operation::topic);
  return found == kOperations.end() ? nullptr : &*found;
}

const Operation* operation_named(std::string_view name) {
  const auto found = std::ranges::find(kOperations, name, &Operation::name);
  return found == kOperations.end() ? nullptr : &*found;
}

std::string language_in(const nlohmann::json& carrier) {
  const auto lang = carrier.find("lang");
  return lang != carrier.end() && lang->is_string() ? lang->get<std::string>() : std::string();
}

std::string all_operations() {
  std::string names;
  for (const Operation& operation : kOperations) names.append(names.empty() ? "" : ", ").append(operation.name);
  return names;
}

}  // namespace

bool RequestRouter::is_request(std::string_view topic) {
  return topic == kAnyOperation || operation_of(topic) != nullptr;
}

bool RequestRouter::is_unknown_request(std::string_view topic) {
  return topic.starts_with(kPrefix) && topic.size() <= kMaxUnknownTopic && bus::is_valid_topic(topic) &&
         !topic.ends_with(bus::topic::kResponseSuffix) && !is_request(topic);
}

bool RequestRouter::is_full() const {
  return static_cast<std::size_t>(places_.use_count()) > services_.configuration.limits.waiting_requests;
}

void RequestRouter::handle(RequestPtr request) {
  FieldReader fields(request->data());
  (void)fields.text("request_id", kMaxRequestId);
  const Operation* operation = operation_of(request->message().type);
  if (operation == nullptr) {
    const std::string name = fields.required_text("op", kMaxNameBytes);
    operation = operation_named(name);
    if (fields.ok() && operation == nullptr) {
      return request->refuse(Refusal::bad_request, "op must be one of: " + all_operations());
    }
  }
  if (!fields.ok()) return request->refuse(Refusal::bad_request, fields.error());
  auto decision = services_.access.decide(*request, operation->audience);
  if (const auto* refused = std::get_if<Refused>(&decision)) return request->refuse(refused->refusal, refused->words);
  if (is_full()) return request->refuse(Refusal::busy, "too many requests wait for the store; try again in 1 second");
  request->take_place(places_);
  operation->handle(services_, {std::move(request), std::get<persona::ConversationKey>(std::move(decision))});
}

void with_conversation(Services& services, const Asked& asked, std::function<void(persona::Conversation&)> then) {
  services.conversations.open(asked.where, [request = asked.request, then = std::move(then)](
                                               persona::StoreResult<persona::Conversation*> opened) {
    if (!opened) return request->refuse(opened.error());
    then(**opened);
  });
}

NamedPersona named_persona(const Services& services, Request& request) {
  FieldReader fields(request.data());
  const auto wanted = fields.text("persona_id", kMaxNameBytes);
  if (!fields.ok()) {
    request.refuse(Refusal::bad_request, fields.error());
    return {std::nullopt, true};
  }
  if (!wanted || wanted->empty()) return {};
  if (services.personas.find(*wanted) != nullptr) return {wanted, false};
  persona::NameMatch match = persona::match_exact(*wanted, services.personas.ids());
  if (!match.name.empty()) return {std::move(match.name), false};
  request.refuse(Refusal::unknown_persona,
                 no_such_persona(*wanted, persona::match_fuzzy(*wanted, services.personas.ids())));
  return {std::nullopt, true};
}

std::string persona_or_active(const NamedPersona& named, const persona::Conversation& conversation) {
  return named.id ? *named.id : conversation.persona_id();
}

std::string language_of_question(const Request& request) {
  const nlohmann::json& context = request.message().context;
  std::string lang = language_in(request.data());
  if (lang.empty()) lang = bus::Session::of_context(context).lang;
  if (lang.empty()) lang = language_in(context);
  return lang.size() <= kMaxLangBytes ? lang : std::string();
}

bool keeps_memory(const Services& services, Request& request, const std::string& persona) {
  if (services.personas.of_id(persona).memory) return true;
  request.refuse(Refusal::bad_request, "persona \"" + persona + "\" keeps no memory (its memory_module)");
  return false;
}

std::string no_such_persona(const std::string& wanted, const persona::NameMatch& match) {
  std::string words = "there is no persona \"" + wanted + "\"";
  if (!match.name.empty()) return words + "; did you mean \"" + match.name + "\"?";
  for (std::size_t i = 0; i < match.candidates.size(); ++i) {
    words.append(i == 0 ? "; candidates: \"" : "\", \"").append(match.candidates[i]);
  }
  return match.candidates.empty() ? words + "; ovos.memory.personas lists them" : words + "\"";
}

}  // namespace personad
