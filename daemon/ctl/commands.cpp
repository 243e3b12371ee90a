#include "daemon/ctl/commands.hpp"

#include <charconv>
#include <ostream>

#include "daemon/ctl/import.hpp"
#include "daemon/ctl/render.hpp"
#include "daemon/ctl/terminal_text.hpp"

namespace personad::ctl {
namespace {

using nlohmann::json;

/// A command that is one request and one answer.
struct Command {
  std::string_view name;
  std::string_view topic;
  json (*data)(const Wishes&);
  std::string (*render)(const json&);
};

void put(json& data, const char* key, const std::string& value) {
  if (!value.empty()) data[key] = value;
}

/// Unix seconds as a number; anything else goes on as the text it is, and personad judges it.
json time_value(const std::string& text) {
  double seconds = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (error == std::errc{} && end == text.data() + text.size()) return seconds;
  return text;
}

json conversation(const Wishes& wishes) {
  auto data = json::object();
  put(data, "session_id", wishes.session);
  put(data, "owner", wishes.owner);
  return data;
}

json nothing(const Wishes&) {
  return json::object();
}

json sessions_data(const Wishes& wishes) {
  auto data = json::object();
  put(data, "owner", wishes.owner);
  if (wishes.limit) data["limit"] = *wishes.limit;
  if (!wishes.active_since.empty()) data["active_since"] = time_value(wishes.active_since);
  return data;
}

json history_data(const Wishes& wishes) {
  auto data = conversation(wishes);
  put(data, "persona_id", wishes.persona);
  put(data, "before", wishes.before);
  if (wishes.limit) data["limit"] = *wishes.limit;
  return data;
}

json context_data(const Wishes& wishes) {
  auto data = conversation(wishes);
  put(data, "persona_id", wishes.persona);
  data["utterance"] = wishes.utterance;
  if (wishes.max_tokens) data["max_tokens"] = *wishes.max_tokens;
  if (wishes.explain) data["explain"] = true;
  return data;
}

json search_data(const Wishes& wishes) {
  auto data = conversation(wishes);
  put(data, "persona_id", wishes.persona);
  data["query"] = wishes.query;
  put(data, "scope", wishes.scope);
  put(data, "mode", wishes.mode);
  put(data, "lang", wishes.lang);
  if (wishes.top_k) data["top_k"] = *wishes.top_k;
  if (!wishes.since.empty()) data["since"] = time_value(wishes.since);
  if (!wishes.until.empty()) data["until"] = time_value(wishes.until);
  if (wishes.explain) data["explain"] = true;
  return data;
}

json remember_data(const Wishes& wishes) {
  auto data = conversation(wishes);
  put(data, "persona_id", wishes.persona);
  data["fact"] = wishes.fact;
  return data;
}

json facts_data(const Wishes& wishes) {
  auto data = conversation(wishes);
  put(data, "persona_id", wishes.persona);
  if (wishes.limit) data["limit"] = *wishes.limit;
  return data;
}

json activate_data(const Wishes& wishes) {
  auto data = conversation(wishes);
  data["persona_id"] = wishes.persona;
  data["match"] = wishes.exact ? "exact" : "fuzzy";
  return data;
}

constexpr Command kCommands[] = {
    {"status", "ovos.memory.status", nothing, render_status},
    {"sessions", "ovos.memory.sessions", sessions_data, render_sessions},
    {"history", "ovos.memory.history", history_data, render_history},
    {"context", "ovos.memory.context", context_data, render_context},
    {"search", "ovos.memory.search", search_data, render_hits},
    {"remember", "ovos.memory.remember", remember_data, render_remembered},
    {"facts", "ovos.memory.facts", facts_data, render_facts},
    {"activate", "ovos.persona.activate", activate_data, render_switch},
    {"dismiss", "ovos.persona.dismiss", conversation, render_switch},
    {"personas", "ovos.memory.personas", nothing, render_personas},
};

/// The pages that follow the one in `reply`, added to it.
void add_further_pages(const Command& command, const json& data, Connection& connection, Reply& reply) {
  while (!reply.failure && reply.result.contains("cursor")) {
    auto next = data;
    next["cursor"] = reply.result["cursor"];
    auto page = connection.ask(command.topic, std::move(next));
    if (page.failure || !page.result.contains("sessions") || !page.result["sessions"].is_array()) {
      reply.failure = page.failure ? page.failure : Failure{Exit::error_answer, "an answer without sessions"};
      return;
    }
    auto& sessions = reply.result["sessions"];
    sessions.insert(sessions.end(), page.result["sessions"].begin(), page.result["sessions"].end());
    reply.result.erase("cursor");
    if (page.result.contains("cursor")) reply.result["cursor"] = page.result["cursor"];
  }
}

Failure with_hint(const Wishes& wishes, Failure failure) {
  if (wishes.command == "sessions" && failure.words.starts_with("forbidden")) {
    failure.words +=
        "\nThis is answered on the admin socket: leave out --bus. (On the bus only with bus_admin in personad's "
        "configuration.)";
  }
  return failure;
}

Exit fail(const Wishes& wishes, const Failure& failure, std::ostream& out, std::ostream& err) {
  if (wishes.json) out << shown_json({{"error", failure.words}}, 2) << '\n';
  print_failure(with_hint(wishes, failure), err);
  return failure.exit;
}

Exit run(const Command& command, const Wishes& wishes, Connection& connection, std::ostream& out, std::ostream& err) {
  const auto data = command.data(wishes);
  auto reply = connection.ask(command.topic, data);
  if (wishes.all && wishes.command == "sessions") add_further_pages(command, data, connection, reply);
  if (reply.failure) return fail(wishes, *reply.failure, out, err);
  if (wishes.json) {
    out << shown_json(reply.result, 2) << '\n';
  } else {
    out << command.render(reply.result);
  }
  return Exit::ok;
}

Exit tail(const Wishes& wishes, Connection& connection, std::ostream& out, std::ostream& err) {
  const auto failure = connection.tail(wishes.session, [&](const json& turn) {
    out << (wishes.json ? shown_json(turn, -1) + '\n' : render_turn(turn)) << std::flush;
  });
  print_failure(failure, err);
  return failure.exit;
}

}  // namespace

void print_failure(const Failure& failure, std::ostream& err) {
  err << "personactl: " << paragraph(failure.words, "  ") << '\n';
}

Exit run_command(const Wishes& wishes, Connection& connection, std::ostream& out, std::ostream& err) {
  if (wishes.command == "tail") return tail(wishes, connection, out, err);
  if (wishes.command == "import") return import_file(wishes, connection, out, err);
  for (const auto& command : kCommands) {
    if (command.name == wishes.command) return run(command, wishes, connection, out, err);
  }
  print_failure({Exit::wrong_use, "there is no command " + wishes.command}, err);
  return Exit::wrong_use;
}

}  // namespace personad::ctl
