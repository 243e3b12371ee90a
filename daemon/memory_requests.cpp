#include <nlohmann/json.hpp>
#include <utility>

#include "daemon/request_router.hpp"
#include "daemon/turn_json.hpp"

namespace personad {
namespace {

using nlohmann::json;
using persona::Conversation;
using persona::StoreResult;

constexpr std::int64_t kMostRows = 10000;
constexpr std::int64_t kMostThreads = 1000;
constexpr std::size_t kMostMessages = 1000;

}  // namespace

void answer_history(Services& services, Asked asked) {
  FieldReader fields(asked.request->data());
  const auto limit = fields.integer("limit", 1, kMostRows);
  const auto before = fields.text("before", kMaxNameBytes);
  if (!fields.checked(*asked.request)) return;
  const NamedPersona named = named_persona(services, *asked.request);
  if (named.refused) return;
  with_conversation(services, asked, [asked, named, limit, before, &services](Conversation& conversation) {
    const std::string persona = persona_or_active(named, conversation);
    const auto& memory = services.personas.of_id(persona).memory;
    const std::size_t window = memory ? std::max<std::size_t>(memory->window_messages(), 1) : 1;
    conversation.history(persona, limit ? static_cast<std::size_t>(*limit) : window, before,
                         [asked, persona](StoreResult<persona::TurnPage> page) {
                           if (!page) return asked.request->refuse(page.error());
                           json result{{"session_id", asked.where.conversation}, {"persona_id", persona}};
                           json& list = result["messages"] = json::array();
                           for (const persona::TurnPtr& turn : page->turns) list.push_back(to_json(*turn));
                           if (!page->from_the_start && !page->turns.empty()) {
                             result["next"] = page->turns.front()->id;
                           }
                           asked.request->answer(std::move(result));
                         });
  });
}

std::optional<std::vector<persona::NewMessage>> messages_of(const Services& services, Request& request,
                                                            std::size_t least) {
  const auto messages = request.data().find("messages");
  if (messages == request.data().end() || !messages->is_array() || messages->size() < least ||
      messages->size() > kMostMessages) {
    request.refuse(Refusal::bad_request, "messages must be an array of " + std::to_string(least) + " to " +
                                             std::to_string(kMostMessages) + " messages");
    return std::nullopt;
  }
  std::vector<persona::NewMessage> read;
  read.reserve(messages->size());
  for (const json& message : *messages) {
    auto one = read_message(message, "messages[" + std::to_string(read.size()) + "]",
                            services.configuration.record.max_turn_bytes);
    if (const auto* bad = std::get_if<BadMessage>(&one)) {
      request.refuse(bad->too_large ? Refusal::too_large : Refusal::bad_request, bad->words);
      return std::nullopt;
    }
    read.push_back(std::get<persona::NewMessage>(std::move(one)));
  }
  return read;
}

void answer_update(Services& services, Asked asked) {
  auto messages = messages_of(services, *asked.request, 1);
  if (!messages) return;
  const NamedPersona named = named_persona(services, *asked.request);
  if (named.refused) return;
  const persona::Number first = services.conversations.take_numbers(messages->size());
  with_conversation(
      services, asked,
      [asked, named, first, &services, messages = std::move(*messages)](Conversation& conversation) mutable {
        const std::string persona = persona_or_active(named, conversation);
        if (!keeps_memory(services, *asked.request, persona)) return;
        conversation.update(persona, std::move(messages), first, asked.request->arrival().at,
                            [asked](StoreResult<std::vector<std::string>> ids) {
                              if (!ids) return asked.request->refuse(ids.error());
                              asked.request->answer({{"stored", ids->size()}, {"ids", std::move(*ids)}});
                            });
      });
}

void answer_sessions(Services& services, Asked asked) {
  FieldReader fields(asked.request->data());
  persona::ThreadsQuery query;
  if (const auto limit = fields.integer("limit", 1, kMostThreads)) query.limit = static_cast<std::size_t>(*limit);
  query.cursor = fields.text("cursor", kMaxNameBytes).value_or("");
  query.active_since = fields.time("active_since");
  query.owner = fields.text("owner", kMaxNameBytes);
  if (!fields.checked(*asked.request)) return;
  services.archive.threads(std::move(query), [request = asked.request](StoreResult<persona::ThreadsPage> page) {
    if (!page) return request->refuse(page.error());
    json result{{"sessions", json::array()}};
    for (const persona::ThreadSummary& one : page->threads) {
      result["sessions"].push_back({{"owner", one.thread.where.owner},
                                    {"session_id", one.thread.where.conversation},
                                    {"persona_id", one.thread.persona},
                                    {"turns", one.turns},
                                    {"bytes", one.bytes},
                                    {"first", one.first},
                                    {"last", one.last}});
    }
    if (!page->cursor.empty()) result["cursor"] = page->cursor;
    request->answer(std::move(result));
  });
}

void answer_status(Services& services, Asked asked) {
  services.archive.status([&services, request = asked.request](StoreResult<persona::StoreStatus> got) {
    json result = services.describe();
    if (got) {
      result["store"] = {{"ok", got->ok},
                         {"detail", got->detail},
                         {"file_bytes", got->file_bytes},
                         {"commits", got->commits},
                         {"failed_commits", got->failed_commits}};
      result["counts"]["threads"] = got->threads;
      result["counts"]["turns"] = got->turns;
      result["counts"]["rows_lost"] = got->dropped;
      result["queue"]["rows_waiting"] = got->waiting;
    } else {
      result["store"] = {{"ok", false}, {"detail", got.error().message()}};
    }
    if (!got || !got->ok) result["ready"] = false;
    request->answer(std::move(result));
  });
}

}  // namespace personad
