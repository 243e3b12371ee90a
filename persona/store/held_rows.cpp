#include "persona/store/held_rows.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace persona {
namespace {

std::pair<Number, Number> place(const Turn& turn) {
  return {turn.exchange, turn.number};
}

}  // namespace

void HeldRows::add(HeardWrite heard) {
  load_ += load_of(heard);
  held_.push_back(std::move(heard));
}

std::vector<HeardWrite> HeldRows::take_all() {
  std::vector<HeardWrite> all(std::make_move_iterator(held_.begin()), std::make_move_iterator(held_.end()));
  held_.clear();
  load_ = {};
  return all;
}

bool HeldRows::drop_oldest() {
  if (held_.empty()) return false;
  load_ -= load_of(held_.front());
  held_.pop_front();
  return true;
}

void HeldRows::erase(const ThreadKey& thread, std::span<const Number> numbers) {
  std::erase_if(held_, [&](const HeardWrite& heard) {
    const auto* row = std::get_if<Row>(&heard);
    if (row == nullptr || !(row->thread == thread)) return false;
    if (std::find(numbers.begin(), numbers.end(), row->turn->number) == numbers.end()) return false;
    load_ -= load_of(heard);
    return true;
  });
}

std::optional<StoreTables::Place> HeldRows::place_of(const ThreadKey& thread, const std::string& id) const {
  for (const HeardWrite& heard : held_) {
    const auto* row = std::get_if<Row>(&heard);
    if (row != nullptr && row->turn->id == id && row->thread == thread) {
      return StoreTables::Place{row->turn->exchange, row->turn->number};
    }
  }
  return std::nullopt;
}

void HeldRows::add_to(std::vector<TurnPtr>& stored, const ThreadKey& thread,
                      std::optional<StoreTables::Place> before) const {
  for (const HeardWrite& heard : held_) {
    const auto* row = std::get_if<Row>(&heard);
    if (row == nullptr || !(row->thread == thread)) continue;
    const TurnPtr& turn = row->turn;
    if (before && place(*turn) >= std::pair(before->exchange, before->number)) continue;
    std::erase_if(stored, [&](const TurnPtr& other) { return other->number == turn->number; });
    const auto at = std::find_if(stored.rbegin(), stored.rend(),
                                 [&](const TurnPtr& other) { return place(*other) < place(*turn); });
    stored.insert(at.base(), turn);
  }
}

std::optional<ActivePersona::State> HeldRows::active(const ConversationKey& where) const {
  for (auto heard = held_.rbegin(); heard != held_.rend(); ++heard) {
    const auto* change = std::get_if<ActiveChange>(&*heard);
    if (change != nullptr && change->where == where) return change->state;
  }
  return std::nullopt;
}

}  // namespace persona
