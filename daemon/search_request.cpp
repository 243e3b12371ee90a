#include <nlohmann/json.hpp>
#include <utility>

#include "daemon/request_router.hpp"
#include "daemon/turn_json.hpp"

// ovos.memory.search: what was said before that belongs to a question.
namespace personad {
namespace {

using nlohmann::json;
using persona::Conversation;
using persona::Hit;
using persona::RecallAsk;
using persona::RecallMode;
using persona::RecallScope;
using persona::StoreResult;

constexpr std::int64_t kMostHits = 100;

RecallScope scope_named(const std::string& word) {
  if (word == "owner") return RecallScope::owner;
  return word == "persona" ? RecallScope::persona : RecallScope::session;
}

RecallMode mode_named(const std::string& word) {
  if (word == "lexical") return RecallMode::lexical;
  return word == "semantic" ? RecallMode::semantic : RecallMode::automatic;
}

std::string_view name(Hit::Source source) {
  if (source == Hit::Source::both) return "both";
  return source == Hit::Source::semantic ? "semantic" : "lexical";
}

/// What is asked for; the request is refused when something of it is wrong.
std::optional<RecallAsk> ask_of(const Services& services, Request& request) {
  FieldReader fields(request.data());
  RecallAsk ask;
  ask.query = fields.required_text("query", services.configuration.record.max_turn_bytes);
  if (const auto most = fields.integer("top_k", 1, kMostHits)) ask.most = static_cast<std::size_t>(*most);
  ask.scope = scope_named(fields.word("scope", {"session", "owner", "persona"}).value_or("session"));
  ask.mode = mode_named(fields.word("mode", {"auto", "lexical", "semantic"}).value_or("auto"));
  ask.since = fields.time("since");
  ask.until = fields.time("until");
  ask.explained = fields.flag("explain").value_or(false);
  (void)fields.text("lang", kMaxLangBytes);
  if (!fields.checked(request)) return std::nullopt;
  ask.lang = language_of_question(request);
  ask.now = request.arrival().at.unix_seconds();
  ask.as_of = request.arrival().number;
  return ask;
}

json where_said(const persona::Why::Term& term) {
  json parts = json::array();
  if (term.in_text) parts.push_back("text");
  if (term.in_caption) parts.push_back("caption");
  if (term.in_name) parts.push_back("name");
  if (term.near) parts.push_back("neighbours");
  return parts;
}

json to_json(const persona::Why& why) {
  json terms = json::array();
  for (const persona::Why::Term& term : why.terms) {
    terms.push_back({{"term", term.word}, {"score", term.score}, {"in", where_said(term)}});
  }
  json bonuses = json::object();
  for (const persona::Why::Shape& shape : why.shapes) bonuses[std::string(shape.name)] = shape.factor;
  json reasons{{"terms", std::move(terms)}, {"words", why.words}, {"bonuses", std::move(bonuses)}};
  if (why.cosine) reasons["cosine"] = *why.cosine;
  return reasons;
}

/// Whose it is stays untold where the asker can only be its owner.
json to_json(const Hit& hit, bool with_owner) {
  const json turn = personad::to_json(*hit.turn);
  json said = json::object();
  for (const char* field : {"id", "role", "name", "content", "timestamp", "meta"}) {
    if (turn.contains(field)) said[field] = turn.at(field);
  }
  said["session_id"] = hit.thread.where.conversation;
  if (with_owner) said["owner"] = hit.thread.where.owner;
  said["persona_id"] = hit.thread.persona;
  said["score"] = hit.score;
  said["source"] = name(hit.source);
  if (hit.why) said["why"] = to_json(*hit.why);
  return said;
}

void send(const RequestPtr& request, const StoreResult<std::vector<Hit>>& hits) {
  if (!hits) return request->refuse(hits.error());
  const bool with_owner = request->identity().is_local();
  json list = json::array();
  for (const Hit& hit : *hits) list.push_back(to_json(hit, with_owner));
  request->answer({{"hits", std::move(list)}});
}

}  // namespace

void answer_search(Services& services, Asked asked) {
  auto ask = ask_of(services, *asked.request);
  if (!ask) return;
  if (ask->mode == RecallMode::semantic && !services.finds_meanings) {
    return asked.request->refuse(Refusal::unavailable,
                                 "no model for meanings is set (recall.embeddings.model or recall.embeddings.api_url); "
                                 "without one mode \"auto\" looks for words");
  }
  NamedPersona named = named_persona(services, *asked.request);
  if (named.refused) return;
  with_conversation(
      services, asked, [&services, asked, named = std::move(named), ask = std::move(*ask)](Conversation& conversation) {
        const std::string persona = persona_or_active(named, conversation);
        const auto& memory = services.personas.of_id(persona).memory;
        const auto refused =
            Access::refuses_scope(*asked.request, ask.scope, memory ? memory->recall_scope() : RecallScope::session);
        if (refused) return asked.request->refuse(refused->refusal, refused->words);
        conversation.search(persona, ask,
                            [request = asked.request](StoreResult<std::vector<Hit>> hits) { send(request, hits); });
      });
}

}  // namespace personad
