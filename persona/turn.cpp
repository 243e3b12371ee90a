#include "persona/turn.hpp"

#include <algorithm>
#include <array>

namespace persona {
namespace {

constexpr std::array<std::string_view, 5> kRoles{"system", "developer", "user", "assistant", "tool"};

}  // namespace

std::string_view name(Role role) noexcept {
  return kRoles[static_cast<std::size_t>(role)];
}

std::optional<Role> role_named(std::string_view name) noexcept {
  const auto* found = std::find(kRoles.begin(), kRoles.end(), name);
  if (found == kRoles.end()) return std::nullopt;
  return static_cast<Role>(found - kRoles.begin());
}

std::size_t memory_of(const Turn& turn) noexcept {
  return sizeof(Turn) + turn.id.size() + turn.exchange_id.size() + turn.content.size() + turn.name.size() +
         turn.type.size() + turn.lang.size() + turn.tool_calls.size() + turn.tool_call_id.size() + turn.meta.size();
}

}  // namespace persona
