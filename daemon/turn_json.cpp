#include "daemon/turn_json.hpp"

#include <chrono>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <utility>

#include "daemon/field_reader.hpp"
#include "persona/memory/assembly.hpp"

namespace personad {

using nlohmann::json;

namespace {

constexpr double kYear10000 = 253402300800.0;

// Stored as text by us, so it parses; a row that was tampered with shows as null rather than failing the answer.
json parsed(const std::string& text) {
  json value = json::parse(text, nullptr, false);
  return value.is_discarded() ? json(nullptr) : value;
}

// `{id, type: "function", function: {name, arguments: JSON text}}` for each call.
json nested(const json& calls) {
  json list = json::array();
  for (const json& call : calls) {
    if (!call.is_object()) continue;
    const auto member = [&call](const char* key) { return call.contains(key) ? call[key] : json(nullptr); };
    json function{{"name", member("name")},
                  {"arguments", member("arguments").dump(-1, ' ', false, json::error_handler_t::replace)}};
    list.push_back({{"id", member("id")}, {"type", "function"}, {"function", std::move(function)}});
  }
  return list;
}

void add_unless_empty(json& object, const char* key, const std::string& value) {
  if (!value.empty()) object[key] = value;
}

std::optional<std::string> wrong_tool_calls(const json& calls) {
  if (!calls.is_array() || calls.empty()) return "tool_calls must be a non-empty array";
  for (const json& call : calls) {
    const bool fine = call.is_object() && call.contains("id") && call["id"].is_string() && call.contains("name") &&
                      call["name"].is_string() && call.contains("arguments") && call["arguments"].is_object();
    if (!fine) return "tool_calls must hold objects {id: string, name: string, arguments: object}";
  }
  return std::nullopt;
}

// `YYYY-MM-DDTHH:MM:SS[.fraction](Z|+HH:MM|-HH:MM)`, RFC 3339 section 5.6.
std::optional<double> rfc3339(const std::string& text) {
  int year = 0, month = 0, day = 0, hour = 0, minute = 0, at = 0;
  double second = 0;
  if (text.size() > 40 ||
      std::sscanf(text.c_str(), "%4d-%2d-%2d%*1[Tt ]%2d:%2d:%n", &year, &month, &day, &hour, &minute, &at) != 5 ||
      at == 0) {
    return std::nullopt;
  }
  int used = 0;
  const std::string rest = text.substr(static_cast<std::size_t>(at));
  if (std::sscanf(rest.c_str(), "%10lf%n", &second, &used) != 1 || rest[0] == '-' || rest[0] == '+')
    return std::nullopt;
  const std::string zone = rest.substr(static_cast<std::size_t>(used));
  int offset = 0;
  if (zone != "Z" && zone != "z") {
    int hours = 0, minutes = 0, length = 0;
    if (zone.size() != 6 || std::sscanf(zone.c_str() + 1, "%2d:%2d%n", &hours, &minutes, &length) != 2 || length != 5 ||
        (zone[0] != '+' && zone[0] != '-') || hours > 23 || minutes > 59) {
      return std::nullopt;
    }
    offset = (hours * 60 + minutes) * 60 * (zone[0] == '-' ? -1 : 1);
  }
  const std::chrono::year_month_day date{std::chrono::year(year), std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  if (!date.ok() || hour > 23 || minute > 59 || !(second < 61)) return std::nullopt;
  const auto days = std::chrono::sys_days(date).time_since_epoch().count();
  return static_cast<double>(days) * 86400 + hour * 3600 + minute * 60 + second - offset;
}

}  // namespace

json to_json(const persona::Turn& turn) {
  json object{{"id", turn.id},
              {"role", persona::name(turn.role)},
              {"content", turn.null_content ? json(nullptr) : json(turn.content)},
              {"timestamp", turn.timestamp},
              {"exchange", turn.exchange_id}};
  add_unless_empty(object, "name", turn.name);
  add_unless_empty(object, "type", turn.type);
  add_unless_empty(object, "lang", turn.lang);
  add_unless_empty(object, "tool_call_id", turn.tool_call_id);
  if (!turn.tool_calls.empty()) object["tool_calls"] = parsed(turn.tool_calls);
  if (!turn.meta.empty()) object["meta"] = parsed(turn.meta);
  return object;
}

json to_json(const persona::Recalled& recalled) {
  json hit = to_json(*recalled.turns.front());
  hit["session_id"] = recalled.thread.where.conversation;
  hit["owner"] = recalled.thread.where.owner;
  hit["persona_id"] = recalled.thread.persona;
  hit["score"] = std::max(0.0, recalled.score) / (1 + std::max(0.0, recalled.score));
  hit["source"] = "lexical";
  hit["text"] = persona::rendered(recalled);
  return hit;
}

json to_json(persona::ContextMessage message, CallForm form) {
  json object{{"role", persona::name(message.role)}};
  if (message.null_content) {
    object["content"] = nullptr;
  } else {
    object["content"] = std::move(message.content);
  }
  add_unless_empty(object, "name", message.name);
  add_unless_empty(object, "tool_call_id", message.tool_call_id);
  if (message.tool_calls.empty()) return object;
  json calls = parsed(message.tool_calls);
  object["tool_calls"] = form == CallForm::nested ? nested(calls) : std::move(calls);
  return object;
}

std::variant<persona::NewMessage, BadMessage> read_message(const json& message, const std::string& where,
                                                           std::size_t max_bytes) {
  if (!message.is_object()) return BadMessage{where + " must be an object"};
  FieldReader fields(message);
  persona::NewMessage read;
  const auto role = persona::role_named(fields.required_text("role", 16));
  read.name = fields.text("name", kMaxNameBytes).value_or("");
  read.type = fields.text("type", kMaxNameBytes).value_or("");
  read.lang = fields.text("lang", kMaxLangBytes).value_or("");
  read.tool_call_id = fields.text("tool_call_id", kMaxNameBytes).value_or("");
  read.timestamp = fields.time("timestamp");
  const json* meta = fields.object("meta");
  const auto calls = message.find("tool_calls");
  const auto content = message.find("content");
  read.null_content = content != message.end() && content->is_null();
  if (!read.null_content) read.content = fields.text("content", max_bytes).value_or("");
  if (!fields.ok()) return BadMessage{where + "." + fields.error(), fields.too_large()};

  if (!role) return BadMessage{where + R"(.role must be one of "system" "developer" "user" "assistant" "tool")"};
  read.role = *role;
  if (calls != message.end()) {
    if (const auto wrong = wrong_tool_calls(*calls)) return BadMessage{where + "." + *wrong};
    if (read.role != persona::Role::assistant) return BadMessage{where + ".tool_calls belong to role assistant"};
    read.tool_calls = calls->dump();
    if (read.tool_calls.size() > max_bytes) return BadMessage{where + ".tool_calls are too long", true};
  }
  if (content == message.end() && calls == message.end()) return BadMessage{where + ".content is missing"};
  if (read.null_content && calls == message.end()) {
    return BadMessage{where + ".content may be null only with tool_calls"};
  }
  if (content == message.end()) read.null_content = true;
  if (read.role == persona::Role::tool && read.tool_call_id.empty()) {
    return BadMessage{where + ".tool_call_id is missing: a tool message answers a call"};
  }
  if (meta != nullptr) {
    read.meta = meta->dump();
    if (read.meta.size() > kMaxMetaBytes) return BadMessage{where + ".meta is longer than 16384 bytes", true};
  }
  return read;
}

std::optional<double> time_of(const json& value) {
  std::optional<double> seconds;
  if (value.is_number()) seconds = value.get<double>();
  if (value.is_string()) seconds = rfc3339(value.get_ref<const std::string&>());
  if (!seconds || !std::isfinite(*seconds) || *seconds < 0 || *seconds >= kYear10000) return std::nullopt;
  return seconds;
}

}  // namespace personad
