#include "persona/store/turn_row.hpp"

#include <algorithm>
#include <memory>

namespace persona {

TurnPtr turn_in(const SqliteRun& run) {
  auto turn = std::make_shared<Turn>();
  turn->number = static_cast<Number>(run.integer(0));
  turn->id = run.text(1);
  turn->exchange = static_cast<Number>(run.integer(2));
  turn->exchange_id = run.null(3) ? turn->id : run.text(3);
  turn->timestamp = run.real(4);
  turn->role = static_cast<Role>(std::clamp<std::int64_t>(run.integer(5), 0, 4));
  turn->null_content = run.null(6);
  turn->content = run.text(6);
  turn->name = run.text(7);
  turn->type = run.text(8);
  turn->lang = run.text(9);
  turn->tool_calls = run.text(10);
  turn->tool_call_id = run.text(11);
  turn->meta = run.text(12);
  return turn;
}

}  // namespace persona
