#include "persona/memory/window.hpp"

#include <algorithm>
#include <utility>

namespace persona {
namespace {

std::pair<Number, Number> place_of(const Turn& turn) {
  return {turn.exchange, turn.number};
}

bool comes_before(const TurnPtr& a, const TurnPtr& b) {
  return place_of(*a) < place_of(*b);
}

}  // namespace

void Window::insert(TurnPtr turn) {
  auto place = std::lower_bound(turns_.begin(), turns_.end(), turn, comes_before);
  if (place != turns_.end() && (*place)->number == turn->number) {
    memory_ += memory_of(*turn) - memory_of(**place);
    *place = std::move(turn);
    return;
  }
  if (turn->number <= highest_ && remove(turn->number)) {
    place = std::lower_bound(turns_.begin(), turns_.end(), turn, comes_before);
  }
  highest_ = std::max(highest_, turn->number);
  memory_ += memory_of(*turn);
  turns_.insert(place, std::move(turn));
}

// Takes a row out that stands at another place, in another exchange.
bool Window::remove(Number number) {
  const auto found =
      std::find_if(turns_.rbegin(), turns_.rend(), [number](const TurnPtr& turn) { return turn->number == number; });
  if (found == turns_.rend()) return false;
  memory_ -= memory_of(**found);
  turns_.erase(std::next(found).base());
  return true;
}

void Window::erase(std::span<const Number> numbers) {
  std::vector<Number> sorted(numbers.begin(), numbers.end());
  std::sort(sorted.begin(), sorted.end());
  std::erase_if(turns_, [&](const TurnPtr& turn) {
    if (!std::binary_search(sorted.begin(), sorted.end(), turn->number)) return false;
    memory_ -= memory_of(*turn);
    return true;
  });
}

void Window::keep_newest(std::size_t most) {
  if (turns_.size() <= most) return;
  auto first = turns_.end() - static_cast<std::ptrdiff_t>(most);
  const bool splits = most > 0 && (*std::prev(first))->exchange == (*first)->exchange;
  if (splits) {
    // That exchange goes as a whole, unless it is the newest.
    const auto of_it = [split = (*first)->exchange](const TurnPtr& turn) { return turn->exchange == split; };
    const auto next = std::find_if_not(first, turns_.end(), of_it);
    first = next != turns_.end() ? next : std::find_if(turns_.begin(), turns_.end(), of_it);
  }
  if (first == turns_.begin()) return;
  for (auto it = turns_.begin(); it != first; ++it) memory_ -= memory_of(**it);
  turns_.erase(turns_.begin(), first);
  from_the_start_ = false;
}

}  // namespace persona
