#include <nlohmann/json.hpp>
#include <utility>

#include "daemon/request_router.hpp"
#include "persona/white_space.hpp"

// ovos.memory.remember and ovos.memory.facts: what is known for good.
namespace personad {
namespace {

using nlohmann::json;
using persona::Conversation;
using persona::StoreResult;

constexpr std::int64_t kMostFacts = 10000;
constexpr std::size_t kFactsWhereNobodySays = 100;

}  // namespace

void answer_remember(Services& services, Asked asked) {
  FieldReader fields(asked.request->data());
  const std::string given = fields.required_text("fact", kMaxFactBytes);
  if (!fields.checked(*asked.request)) return;
  const NamedPersona named = named_persona(services, *asked.request);
  if (named.refused) return;
  std::string fact(persona::trimmed(given));
  with_conversation(services, asked, [&services, asked, named, fact](Conversation& conversation) {
    const std::string persona = persona_or_active(named, conversation);
    if (!keeps_memory(services, *asked.request, persona)) return;
    conversation.remember(persona, fact, asked.request->arrival().at,
                          [request = asked.request](StoreResult<persona::Remembered> remembered) {
                            if (!remembered) return request->refuse(remembered.error());
                            json result{{"id", remembered->id}, {"fact", remembered->fact}};
                            if (remembered->duplicate) result["duplicate_of"] = remembered->id;
                            request->answer(std::move(result));
                          });
  });
}

void answer_facts(Services& services, Asked asked) {
  FieldReader fields(asked.request->data());
  const auto limit = fields.integer("limit", 1, kMostFacts);
  if (!fields.checked(*asked.request)) return;
  const NamedPersona named = named_persona(services, *asked.request);
  if (named.refused) return;
  with_conversation(services, asked, [&services, asked, named, limit](Conversation& conversation) {
    persona::Wants wants;
    wants.facts = limit ? static_cast<std::size_t>(*limit) : kFactsWhereNobodySays;
    const auto answer = [request = asked.request](StoreResult<persona::Recollection> found) {
      if (!found) return request->refuse(found.error());
      json result{{"facts", json::array()}};
      for (const persona::Fact& fact : found->facts) {
        result["facts"].push_back(
            {{"id", fact.id}, {"fact", fact.text}, {"created", fact.created}, {"source", fact.source}});
      }
      request->answer(std::move(result));
    };
    services.archive.recollect({asked.where, persona_or_active(named, conversation)}, std::move(wants), answer);
  });
}

}  // namespace personad
