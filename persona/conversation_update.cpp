#include <algorithm>
#include <utility>

#include "persona/conversation.hpp"

// Messages that somebody gives to be stored.
namespace persona {
namespace {

std::shared_ptr<Turn> turn_of(NewMessage message, Moment at) {
  auto turn = std::make_shared<Turn>();
  turn->timestamp = message.timestamp.value_or(at.unix_seconds());
  turn->role = message.role;
  turn->content = std::move(message.content);
  turn->null_content = message.null_content;
  turn->name = std::move(message.name);
  turn->type = std::move(message.type);
  turn->lang = std::move(message.lang);
  turn->tool_calls = std::move(message.tool_calls);
  turn->tool_call_id = std::move(message.tool_call_id);
  turn->meta = std::move(message.meta);
  return turn;
}

}  // namespace

void Conversation::update(const std::string& persona_id, std::vector<NewMessage> messages, Number first, Moment at,
                          Answer<std::vector<std::string>> answer) {
  // The window tells which exchange an answer without a question in this batch belongs to.
  auto store = [self = weak_from_this(), persona_id, messages = std::move(messages), first, at,
                answer = std::move(answer)](StoreResult<const Window*> window) mutable {
    const auto here = self.lock();
    if (!window) return answer(window.error());
    if (!here) return answer(make_error_code(StoreError::closed));
    here->store_messages(persona_id, **window, std::move(messages), first, at, std::move(answer));
  };
  const auto& memory = persona_of(persona_id).memory;
  thread(persona_id).with(memory ? std::max<std::size_t>(memory->wanted_messages(), 1) : 1, std::move(store));
}

void Conversation::store_messages(const std::string& persona, const Window& window, std::vector<NewMessage> messages,
                                  Number first, Moment at, Answer<std::vector<std::string>> answer) {
  Number exchange = 0;
  std::string exchange_id;
  if (!window.turns().empty()) {
    exchange = window.turns().back()->exchange;
    exchange_id = window.turns().back()->exchange_id;
  }
  ThreadWindow& mine = thread(persona);
  std::vector<Row> rows;
  std::vector<TurnPtr> turns;
  std::vector<std::string> ids;
  std::vector<Number> numbers;
  for (NewMessage& message : messages) {
    auto turn = turn_of(std::move(message), at);
    turn->id = around_.ids->next(at.wall);
    turn->number = first++;
    if (turn->role == Role::user || exchange == 0) {
      exchange = turn->number;
      exchange_id = turn->id;
    }
    turn->exchange = exchange;
    turn->exchange_id = exchange_id;
    ids.push_back(turn->id);
    numbers.push_back(turn->number);
    turns.push_back(turn);
    rows.push_back({mine.key(), std::move(turn), {}});
  }
  const auto answer_row =
      std::ranges::find(turns.rbegin(), turns.rend(), Role::assistant, [](const TurnPtr& turn) { return turn->role; });
  if (answer_row != turns.rend()) {
    rows[static_cast<std::size_t>(turns.rend() - answer_row) - 1].learn = learnt_from(persona, **answer_row);
  }
  for (const TurnPtr& turn : turns) mine.recorded(turn);
  auto told = turns;
  around_.archive->append(std::move(rows),
                          [self = weak_from_this(), persona, ids = std::move(ids), numbers, told = std::move(told),
                           answer = std::move(answer)](StoreResult<void> stored) mutable {
                            const auto here = self.lock();
                            if (!stored) {
                              if (here) here->thread(persona).erased(numbers);
                              return answer(stored.error());
                            }
                            if (here) {
                              here->tell({here->key_, persona}, told);
                              here->say_what_is_learnable();
                            }
                            answer(std::move(ids));
                          });
  if (around_.on_rows) around_.on_rows();
}

}  // namespace persona
