#pragma once
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <variant>

#include "persona/conversation.hpp"
#include "persona/memory/memory.hpp"
#include "persona/turn.hpp"

// Turns and messages as JSON, both ways.
namespace personad {

/// A `Turn` of the API: role, content, the optional fields that are there, id, timestamp, exchange.
[[nodiscard]] nlohmann::json to_json(const persona::Turn& turn);

/// A `Hit`: the question of the exchange that was recalled, and how well it fits (0 to 1).
[[nodiscard]] nlohmann::json to_json(const persona::Recalled& recalled);

/// How the calls in a message are written: as everywhere in this API, or as the chat API of OpenAI nests them.
enum class CallForm : std::uint8_t { flat, nested };
/// A `Message` of a context: role, content, and name, tool_calls, tool_call_id where there are any.
[[nodiscard]] nlohmann::json to_json(persona::ContextMessage message, CallForm form = CallForm::flat);

/// What is wrong with a message given to be stored.
struct BadMessage {
  std::string words;
  bool too_large = false;
};
/// `where` names it in words ("messages[3]"). Never throws.
[[nodiscard]] std::variant<persona::NewMessage, BadMessage> read_message(const nlohmann::json& message,
                                                                         const std::string& where,
                                                                         std::size_t max_bytes);

/// Unix seconds from a number, or from an RFC 3339 text; nothing for anything else, or out of years 1970 to 9999.
[[nodiscard]] std::optional<double> time_of(const nlohmann::json& value);

inline constexpr std::size_t kMaxMetaBytes = 16u << 10;

}  // namespace personad
