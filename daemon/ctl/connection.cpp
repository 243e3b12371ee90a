#include "daemon/ctl/connection.hpp"

#include <unistd.h>

namespace personad::ctl {
namespace {

using nlohmann::json;

const json* member(const json& object, const char* key) {
  const auto it = object.is_object() ? object.find(key) : object.end();
  return object.is_object() && it != object.end() ? &*it : nullptr;
}

bool is_text(const json* value, std::string_view text) {
  return value && value->is_string() && value->get_ref<const std::string&>() == text;
}

Reply failed(std::string words) {
  return {.result = {}, .failure = Failure{Exit::error_answer, std::move(words)}};
}

}  // namespace

Asked make_request(std::string_view type, json data) {
  static unsigned last = 0;
  Asked asked;
  asked.type = type;
  asked.request_id = "personactl-" + std::to_string(getpid()) + "-" + std::to_string(++last);
  data["request_id"] = asked.request_id;
  json message;
  message["type"] = asked.type;
  message["data"] = std::move(data);
  message["context"] = {
      {"source", "personactl"}, {"destination", "personad"}, {"session", {{"session_id", "default"}}}};
  asked.line = message.dump(-1, ' ', false, json::error_handler_t::replace);
  return asked;
}

std::optional<Reply> answer_in(std::string_view line, const Asked& asked) {
  const auto message = json::parse(line, nullptr, false);
  const auto* type = member(message, "type");
  const auto* data = member(message, "data");
  if (!type || !data) return std::nullopt;
  const auto* error = member(*data, "error");
  const auto error_words = error && error->is_string() ? error->get<std::string>() : std::string{};
  if (is_text(type, "personad.error")) return failed(error_words);
  if (!is_text(type, asked.type + ".response") || !is_text(member(*data, "request_id"), asked.request_id)) {
    return std::nullopt;
  }
  if (error) return failed(error_words.empty() ? "an error without words" : error_words);
  const auto* result = member(*data, "result");
  if (!result || !result->is_object()) return failed("an answer without a result");
  return Reply{.result = *result, .failure = std::nullopt};
}

}  // namespace personad::ctl
