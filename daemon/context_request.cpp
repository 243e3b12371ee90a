#include <nlohmann/json.hpp>
#include <utility>

#include "daemon/request_router.hpp"
#include "daemon/turn_json.hpp"

// ovos.memory.context: what the model should know now.
namespace personad {
namespace {

using nlohmann::json;
using persona::Context;
using persona::StoreResult;

constexpr std::int64_t kMostTokens = 1 << 30;

/// How the answer is to be written.
struct Form {
  CallForm calls = CallForm::flat;
  bool explained = false;
};

json parts_of(const Context& context) {
  json list = json::array();
  for (const Context::Part& part : context.parts) {
    json one{{"part", part.name}, {"tokens", part.tokens}, {"count", part.count}};
    if (part.dropped > 0) one["dropped"] = part.dropped;
    list.push_back(std::move(one));
  }
  return list;
}

void send(const RequestPtr& request, const persona::ConversationKey& where, const std::string& persona, Form form,
          StoreResult<Context> context) {
  if (!context) return request->refuse(context.error());
  json result{{"session_id", where.conversation}, {"persona_id", persona}, {"tokens", context->tokens}};
  json& list = result["messages"] = json::array();
  for (persona::ContextMessage& message : context->messages) list.push_back(to_json(std::move(message), form.calls));
  if (context->over_budget) result["over_budget"] = true;
  if (form.explained) {
    result["parts"] = parts_of(*context);
    json& hits = result["recalled"] = json::array();
    for (const persona::Recalled& one : context->recalled) hits.push_back(to_json(one));
  }
  request->answer(std::move(result));
}

}  // namespace

void answer_context(Services& services, Asked asked) {
  FieldReader fields(asked.request->data());
  persona::ContextAsk ask;
  ask.utterance = fields.required_text("utterance", services.configuration.record.max_turn_bytes);
  (void)fields.text("lang", kMaxLangBytes);
  Form form;
  form.calls = fields.word("format", {"ovos", "openai"}) == "openai" ? CallForm::nested : CallForm::flat;
  form.explained = fields.flag("explain").value_or(false);
  if (const auto most = fields.integer("max_tokens", 1, kMostTokens)) {
    ask.limits.max_tokens = static_cast<std::size_t>(*most);
  }
  if (!fields.checked(*asked.request)) return;
  NamedPersona named = named_persona(services, *asked.request);
  if (named.refused) return;
  ask.lang = language_of_question(*asked.request);
  ask.limits.explained = form.explained;
  if (services.configuration.contexts.bytes_as_tokens) ask.limits.count = persona::bytes_as_tokens;
  ask.utterance_id = asked.request->utterance_id();
  ask.number = asked.request->arrival().number;
  ask.at = asked.request->arrival().at;
  ask.with_system_prompt =
      Access::sees_system_prompt(*asked.request, services.configuration.hivemind.expose_system_prompt);
  with_conversation(services, asked,
                    [asked, named = std::move(named), form, ask = std::move(ask)](persona::Conversation& conversation) {
                      persona::ContextAsk mine = ask;
                      mine.persona_id = persona_or_active(named, conversation);
                      const std::string persona = mine.persona_id;
                      conversation.context(std::move(mine), [asked, persona, form](StoreResult<Context> context) {
                        send(asked.request, asked.where, persona, form, std::move(context));
                      });
                    });
}

}  // namespace personad
