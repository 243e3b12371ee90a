#include "bus/session.hpp"

#include <nlohmann/json.hpp>
#include <utility>

namespace bus {
namespace {

using nlohmann::json;

/// The string member `key`; nothing when absent or of another type.
std::optional<std::string> string_member(const json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_string()) return std::nullopt;
  return found->get_ref<const std::string&>();
}

std::optional<ResponseMode> read_response_mode(const json& carrier) {
  const auto found = carrier.find("response_mode");
  if (found == carrier.end() || !found->is_object()) return std::nullopt;
  auto skill = string_member(*found, "skill_id");
  if (!skill || skill->empty()) return std::nullopt;
  ResponseMode mode;
  mode.skill_id = std::move(*skill);
  const auto expires = found->find("expires_at");
  if (expires != found->end() && expires->is_number()) mode.expires_at = expires->get<double>();
  return mode;
}

std::optional<std::vector<std::string>> read_awaiting(const json& carrier) {
  const auto found = carrier.find("utterance_states");
  if (found == carrier.end() || !found->is_object()) return std::nullopt;
  std::vector<std::string> skills;
  for (const auto& [skill, state] : found->items()) {
    if (state.is_string() && state.get_ref<const std::string&>() == "response") skills.push_back(skill);
  }
  return skills;
}

}  // namespace

Session Session::read(const json& carrier) {
  Session session;
  if (!carrier.is_object()) return session;
  if (auto id = string_member(carrier, "session_id"); id && !id->empty()) session.session_id = std::move(*id);
  session.persona_id = string_member(carrier, "persona_id");
  session.response_mode = read_response_mode(carrier);
  session.awaiting_response = read_awaiting(carrier);
  session.lang = string_member(carrier, "lang").value_or("");
  return session;
}

Session Session::of_context(const json& context) {
  if (!context.is_object()) return {};
  const auto found = context.find("session");
  return found == context.end() ? Session{} : read(*found);
}

}  // namespace bus
