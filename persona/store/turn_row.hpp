#pragma once
#include "persona/store/sqlite.hpp"
#include "persona/turn.hpp"

// A turn as the store's queries select it.
namespace persona {

#define PERSONAD_TURN_COLUMNS                                                                               \
  "turns.number, turns.id, exchange, exchange_id, timestamp, role, content, name, type, lang, tool_calls, " \
  "tool_call_id,"                                                                                           \
  " turns.meta"
inline constexpr int kTurnColumns = 13;

/// The turn in the first `kTurnColumns` columns of a row.
[[nodiscard]] TurnPtr turn_in(const SqliteRun& run);

}  // namespace persona
