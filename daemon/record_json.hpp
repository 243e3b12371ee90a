#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <variant>

#include "daemon/turn_json.hpp"
#include "persona/import.hpp"

// Records of an export as JSON. Source: docs/bus-api.md (Record).
namespace personad {

/// What a record says, checked. `where` names it in words ("records[17]"). Never throws.
[[nodiscard]] std::variant<persona::AnyRecord, BadMessage> read_record(const nlohmann::json& record,
                                                                       const std::string& where, std::size_t max_bytes);

}  // namespace personad
