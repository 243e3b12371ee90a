#include "persona/store/operation.hpp"

#include <utility>

namespace persona {
namespace {

template <class... Functions>
struct Cases : Functions... {
  using Functions::operator()...;
};
template <class... Functions>
Cases(Functions...) -> Cases<Functions...>;

}  // namespace

Load load_of(const Row& row) {
  return {1, memory_of(*row.turn) + row.thread.where.owner.size() + row.thread.where.conversation.size() +
                 row.thread.persona.size()};
}

Load load_of(const HeardWrite& heard) {
  if (const auto* row = std::get_if<Row>(&heard)) return load_of(*row);
  const auto& change = std::get<ActiveChange>(heard);
  return {1,
          sizeof(change) + change.where.owner.size() + change.where.conversation.size() + change.state.persona.size()};
}

Load load_of(const Operation& operation) {
  if (const auto* heard = std::get_if<HeardWrite>(&operation)) return load_of(*heard);
  Load sum;
  if (const auto* append = std::get_if<AppendRows>(&operation)) {
    for (const Row& row : append->rows) sum += load_of(row);
  }
  if (const auto* work = std::get_if<TableWork>(&operation); work != nullptr && work->writes) sum += {1, work->bytes};
  return sum;
}

bool writes(const Operation& operation) {
  return std::holds_alternative<HeardWrite>(operation) || std::holds_alternative<AppendRows>(operation) ||
         std::holds_alternative<EraseRows>(operation) ||
         (std::holds_alternative<TableWork>(operation) && std::get<TableWork>(operation).writes);
}

bool is_answered(const Operation& operation) {
  return !std::holds_alternative<HeardWrite>(operation);
}

void answer(Operation& operation) {
  const auto call = [](auto& done, auto... result) {
    if (done) done(std::move(result)...);
  };
  std::visit(Cases{[](HeardWrite&) {}, [&](Flush& flush) { call(flush.done); },
                   [&](TableWork& work) { call(work.finish, work.result); },
                   [&](Refusal& refusal) { call(refusal.done, StoreResult<void>(make_error_code(refusal.error))); },
                   [](auto& answered) {
                     if (answered.done) answered.done(std::move(answered.result));
                   }},
             operation);
}

}  // namespace persona
