#pragma once
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "daemon/request.hpp"
#include "daemon/services.hpp"

namespace personad {

/// What a handler is given: the request, already allowed, and the conversation it is about.
struct Asked {
  RequestPtr request;
  persona::ConversationKey where;
};

/// Brings each request to its handler: one table of operations, each with its topic and its audience.
///
/// Threading: io thread. Errors: every request is answered, a refused one with the reason.
/// Invariant: at most `limits.waiting_requests` of them wait for the store; more are answered `busy`.
class RequestRouter {
 public:
  explicit RequestRouter(Services services) : services_(std::move(services)) {}

  /// True for a topic that `handle` answers.
  [[nodiscard]] static bool is_request(std::string_view topic);
  /// True for a topic of the prefix that is the memory's, where nobody would answer what `handle` does not.
  [[nodiscard]] static bool is_unknown_request(std::string_view topic);
  void handle(RequestPtr request);

 private:
  [[nodiscard]] bool is_full() const;

  Services services_;
  std::shared_ptr<const void> places_ = std::make_shared<char>();  // shared by the requests that are not answered yet
};

/// Opens the conversation that is asked about and goes on with it; an error of the store is answered here.
void with_conversation(Services& services, const Asked& asked, std::function<void(persona::Conversation&)> then);

// The handlers, by what they are about (context_request.cpp, memory_requests.cpp, fact_requests.cpp,
// character_requests.cpp, persona_requests.cpp, import_request.cpp, search_request.cpp).
void answer_context(Services& services, Asked asked);
void answer_remember(Services& services, Asked asked);
void answer_facts(Services& services, Asked asked);
void answer_history(Services& services, Asked asked);
void answer_search(Services& services, Asked asked);
void answer_update(Services& services, Asked asked);
void answer_step_before(Services& services, Asked asked);
void answer_step_after(Services& services, Asked asked);
void answer_limit(Services& services, Asked asked);
void answer_load(Services& services, Asked asked);
void answer_import(Services& services, Asked asked);
void answer_sessions(Services& services, Asked asked);
void answer_personas(Services& services, Asked asked);
void answer_status(Services& services, Asked asked);
void answer_activate(Services& services, Asked asked);
void answer_dismiss(Services& services, Asked asked);
void answer_active(Services& services, Asked asked);

/// The persona that a request names, checked against the personas that have a file (a name that differs in case only
/// is found too), or nothing when it names none. Refuses the request itself when there is no such persona.
struct NamedPersona {
  std::optional<std::string> id;
  bool refused = false;
};
[[nodiscard]] NamedPersona named_persona(const Services& services, Request& request);
/// The named persona, else the one active in the conversation, else the default one.
[[nodiscard]] std::string persona_or_active(const NamedPersona& named, const persona::Conversation& conversation);
/// The language that a question is asked in: `data.lang`, else that of the session or the context; empty: nobody says.
[[nodiscard]] std::string language_of_question(const Request& request);
/// False, and the request is refused, when this persona remembers nothing.
[[nodiscard]] bool keeps_memory(const Services& services, Request& request, const std::string& persona);
/// The checked `messages` of a request, `least` to 1000 of them; nothing, and the request is refused, when something is
/// wrong with them.
[[nodiscard]] std::optional<std::vector<persona::NewMessage>> messages_of(const Services& services, Request& request,
                                                                          std::size_t least);
/// "there is no persona "x"; did you mean ...".
[[nodiscard]] std::string no_such_persona(const std::string& wanted, const persona::NameMatch& match);

}  // namespace personad
