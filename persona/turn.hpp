#pragma once
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "persona/moment.hpp"

namespace persona {

enum class Role : std::uint8_t { system, developer, user, assistant, tool };
[[nodiscard]] std::string_view name(Role role) noexcept;
[[nodiscard]] std::optional<Role> role_named(std::string_view name) noexcept;

/// One stored row: what was said, verbatim, in one frame or one message of a request.
///
/// Invariant: immutable once recorded; a correction is a new Turn with the same number. Rows of a thread are ordered by
/// (exchange, number): exchanges by their entry, each answer right after its question.
struct Turn {
  std::string id;           ///< globally unique, at most 64 bytes
  Number number = 0;        ///< arrival order
  Number exchange = 0;      ///< number of the exchange's entry; of this row itself when it stands alone
  std::string exchange_id;  ///< id of the exchange: that of its first row
  double timestamp = 0;     ///< unix seconds UTC
  Role role = Role::user;
  std::string content;        ///< UTF-8, verbatim
  std::string name;           ///< of the speaker; empty: none
  std::string type;           ///< free; empty: none
  std::string lang;           ///< BCP 47 as given; empty: none
  std::string tool_calls;     ///< JSON array text, [{id, name, arguments}]; empty: none
  std::string tool_call_id;   ///< of a tool result; empty: none
  std::string meta;           ///< JSON object text; empty: none
  bool null_content = false;  ///< `content` was null (only with tool_calls)
};
using TurnPtr = std::shared_ptr<const Turn>;

/// Roughly what a turn holds in memory, in bytes: what bounds count.
[[nodiscard]] std::size_t memory_of(const Turn& turn) noexcept;

}  // namespace persona
