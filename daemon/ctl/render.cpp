#include "daemon/ctl/render.hpp"

#include <cstdio>
#include <nlohmann/json.hpp>

#include "daemon/ctl/terminal_text.hpp"

namespace personad::ctl {
namespace {

using nlohmann::json;

constexpr std::string_view kTextIndent = "    ";

const json* find(const json& object, const char* key) {
  if (!object.is_object()) return nullptr;
  const auto it = object.find(key);
  return it == object.end() ? nullptr : &*it;
}

/// A member as text: texts as they are, other values as JSON, nothing when it is missing or null.
std::string raw_text(const json& object, const char* key) {
  const auto* value = find(object, key);
  if (!value || value->is_null()) return {};
  return value->is_string() ? value->get<std::string>() : value->dump(-1, ' ', true, json::error_handler_t::replace);
}

std::string text(const json& object, const char* key) {
  return one_line(raw_text(object, key));
}

std::string time(const json& object, const char* key) {
  const auto* value = find(object, key);
  return value && value->is_number() ? readable_time(value->get<double>()) : text(object, key);
}

const json& list(const json& object, const char* key) {
  static const json kNone = json::array();
  const auto* value = find(object, key);
  return value && value->is_array() ? *value : kNone;
}

std::string or_else(std::string value, const char* otherwise) {
  return value.empty() ? otherwise : std::move(value);
}

std::string quoted(const std::string& name) {
  return '"' + name + '"';
}

/// A leaf of the status, with what its name says about its unit.
std::string leaf(const std::string& name, const json& value) {
  if (value.is_string()) return one_line(value.get_ref<const std::string&>());
  if (value.is_boolean()) return value.get<bool>() ? "yes" : "no";
  if (value.is_number()) {
    const auto number = value.get<double>();
    if (name.ends_with("_bytes") || name == "bytes") return readable_bytes(number);
    if (name.ends_with("_s")) return readable_duration(number);
    if (name.ends_with("_us")) return value.dump() + " us";
  }
  return value.is_null() ? "-" : shown_json(value, -1);
}

bool is_leaf(const json& value) {
  return !value.is_structured() || value.empty() || (value.is_array() && value.front().is_primitive());
}

std::string nested(const json& value, const std::string& indent) {
  std::string leaves;
  std::string deeper;
  for (const auto& [name, member] : value.items()) {
    const auto shown = indent + one_line(name) + ":";
    if (is_leaf(member)) {
      leaves += shown + ' ' + (member.is_structured() && member.empty() ? "none" : leaf(name, member)) + '\n';
    } else {
      deeper += shown + '\n' + nested(member, indent + "  ");
    }
  }
  return leaves + deeper;
}

/// What stands in a message: its text, and the tool calls in it.
std::string body(const json& message) {
  auto out = paragraph(raw_text(message, "content"), kTextIndent);
  if (const auto* calls = find(message, "tool_calls"); calls && calls->is_array()) {
    for (const auto& call : *calls) {
      out += (out.empty() ? "" : "\n" + std::string(kTextIndent)) + "[calls " + text(call, "name") + " " +
             (find(call, "arguments") ? shown_json(*find(call, "arguments"), -1) : "") + "]";
    }
  }
  if (const auto answered = text(message, "tool_call_id"); !answered.empty()) out += " [answers " + answered + "]";
  return out;
}

std::string role(const json& message) {
  const auto name = text(message, "name");
  return or_else(text(message, "role"), "?") + (name.empty() ? "" : " (" + name + ")");
}

std::string where(const json& result) {
  auto out = "session " + quoted(text(result, "session_id"));
  if (const auto owner = text(result, "owner"); !owner.empty() && owner != "local") out += " of " + owner;
  const auto persona = text(result, "persona_id");
  return out + (persona.empty() ? "" : ", persona " + quoted(persona));
}

/// A number with two digits after the point; nothing when it is missing.
std::string rounded(const json& object, const char* key) {
  const auto* value = find(object, key);
  if (!value || !value->is_number()) return {};
  char digits[32];
  std::snprintf(digits, sizeof digits, "%.2f", value->get<double>());
  return digits;
}

/// What of a hit belongs to the question, and what changed its place.
std::string reasons(const json& why) {
  std::string words;
  for (const auto& term : list(why, "terms")) {
    words.append(words.empty() ? "" : ", ").append(text(term, "term")).append(" ").append(rounded(term, "score"));
    std::string parts;
    for (const auto& part : list(term, "in")) {
      if (part.is_string())
        parts.append(parts.empty() ? "" : ", ").append(one_line(part.get_ref<const std::string&>()));
    }
    if (!parts.empty()) words += " (" + parts + ")";
  }
  std::string out = words.empty() ? "" : std::string(kTextIndent) + "words: " + words + '\n';
  if (const auto* bonuses = find(why, "bonuses"); bonuses && bonuses->is_object() && !bonuses->empty()) {
    std::string shown;
    for (const auto& [name, unused] : bonuses->items()) {
      shown.append(shown.empty() ? "" : ", ")
          .append(one_line(name))
          .append(" x ")
          .append(rounded(*bonuses, name.c_str()));
    }
    out += std::string(kTextIndent) + "changed by: " + shown + '\n';
  }
  if (const auto cosine = rounded(why, "cosine"); !cosine.empty()) {
    out += std::string(kTextIndent) + "meaning: " + cosine + '\n';
  }
  return out;
}

}  // namespace

std::string render_hits(const json& result) {
  const auto& hits = list(result, "hits");
  if (hits.empty()) return "nothing was found\n";
  std::string out;
  for (const auto& hit : hits) {
    out += rounded(hit, "score") + "  " + time(hit, "timestamp") + "  " + where(hit) + '\n';
    out += std::string(kTextIndent) + role(hit) + ": " + body(hit) + '\n';
    if (const auto* why = find(hit, "why")) out += reasons(*why);
  }
  return out;
}

std::string render_status(const json& result) {
  return nested(result, "");
}

std::string render_sessions(const json& result) {
  using Align = Table::Align;
  const auto& sessions = list(result, "sessions");
  if (sessions.empty()) return "no sessions\n";
  Table table(
      {{"SESSION"}, {"PERSONA"}, {"OWNER"}, {"TURNS", Align::right}, {"SIZE", Align::right}, {"FIRST"}, {"LAST"}});
  for (const auto& session : sessions) {
    const auto* bytes = find(session, "bytes");
    table.add({text(session, "session_id"), text(session, "persona_id"), text(session, "owner"), text(session, "turns"),
               bytes && bytes->is_number() ? readable_bytes(bytes->get<double>()) : text(session, "bytes"),
               time(session, "first"), time(session, "last")});
  }
  return table.text() + (raw_text(result, "cursor").empty() ? "" : "There are more: --all shows them.\n");
}

std::string render_history(const json& result) {
  const auto& messages = list(result, "messages");
  if (messages.empty()) return "nothing is kept of " + where(result) + "\n";
  auto out = where(result) + "\n\n";
  for (const auto& turn : messages) {
    out += time(turn, "timestamp") + "  " + role(turn) + ": " + body(turn) + '\n';
  }
  if (const auto next = text(result, "next"); !next.empty()) out += "\nOlder ones: --before " + next + '\n';
  return out;
}

std::string render_context(const json& result) {
  auto out = where(result);
  if (const auto tokens = text(result, "tokens"); !tokens.empty()) out += ", about " + tokens + " tokens";
  out += "\n\n";
  for (const auto& message : list(result, "messages")) out += role(message) + ": " + body(message) + '\n';
  if (text(result, "over_budget") == "true") out += "\nThe system prompt and the utterance alone exceed the budget.\n";
  const auto& parts = list(result, "parts");
  if (parts.empty()) return out;
  Table table({{"PART"}, {"TOKENS", Table::Align::right}, {"COUNT", Table::Align::right}, {"LEFT OUT"}});
  for (const auto& part : parts) {
    table.add({text(part, "part"), text(part, "tokens"), text(part, "count"), text(part, "dropped")});
  }
  return out + '\n' + table.text();
}

std::string render_remembered(const json& result) {
  const bool known = !text(result, "duplicate_of").empty();
  return (known ? "known already: " : "remembered: ") + quoted(text(result, "fact")) + '\n';
}

std::string render_facts(const json& result) {
  const auto& facts = list(result, "facts");
  if (facts.empty()) return "no facts\n";
  Table table({{"SINCE"}, {"SOURCE"}, {"FACT"}});
  for (const auto& fact : facts) table.add({time(fact, "created"), text(fact, "source"), text(fact, "fact")});
  return table.text();
}

std::string render_personas(const json& result) {
  const auto& personas = list(result, "personas");
  if (personas.empty()) return "no personas\n";
  Table table({{"PERSONA"}, {"MEMORY"}, {"FILE"}, {"NOTES"}});
  for (const auto& persona : personas) {
    const auto* is_default = find(persona, "default");
    std::string notes = is_default && is_default->is_boolean() && is_default->get<bool>() ? "default" : "";
    if (const auto warning = text(persona, "warning"); !warning.empty()) {
      notes += (notes.empty() ? "" : "; ") + warning;
    }
    table.add({text(persona, "persona_id"), or_else(text(persona, "memory"), "none"),
               or_else(text(persona, "file"), "built in"), notes});
  }
  return table.text();
}

std::string render_switch(const json& result) {
  const auto now = text(result, "persona_id");
  const auto before = text(result, "previous");
  return "session " + quoted(text(result, "session_id")) + ": " +
         (now.empty() ? "no persona is active" : "persona " + quoted(now) + " is active") +
         (before.empty() ? "" : ", before it was " + quoted(before)) + '\n';
}

std::string render_turn(const json& turn) {
  return time(turn, "timestamp") + "  " + where(turn) + "\n" + std::string(kTextIndent) + role(turn) + ": " +
         body(turn) + '\n';
}

}  // namespace personad::ctl
