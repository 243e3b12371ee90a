#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>

// Results of personad as text for people. Every function takes whatever JSON it is given: a member that is missing or
// of another type is left out, never an error.
namespace personad::ctl {

[[nodiscard]] std::string render_status(const nlohmann::json& result);
[[nodiscard]] std::string render_sessions(const nlohmann::json& result);
[[nodiscard]] std::string render_history(const nlohmann::json& result);
[[nodiscard]] std::string render_context(const nlohmann::json& result);
[[nodiscard]] std::string render_hits(const nlohmann::json& result);
[[nodiscard]] std::string render_remembered(const nlohmann::json& result);
[[nodiscard]] std::string render_facts(const nlohmann::json& result);
[[nodiscard]] std::string render_personas(const nlohmann::json& result);
/// For `activate` and `dismiss`.
[[nodiscard]] std::string render_switch(const nlohmann::json& result);
/// One live turn.
[[nodiscard]] std::string render_turn(const nlohmann::json& turn);

}  // namespace personad::ctl
