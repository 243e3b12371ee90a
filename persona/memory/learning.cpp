#include "persona/memory/learning.hpp"

namespace persona {

Number end_of_full_page(const std::vector<TurnPtr>& turns, std::size_t most) {
  if (turns.empty() || turns.size() < most) return 0;
  const Number last = turns.back()->exchange;  // perhaps not all of it
  for (auto turn = turns.rbegin(); turn != turns.rend(); ++turn) {
    if ((*turn)->exchange != last) return (*turn)->exchange;
  }
  return last;
}

std::string_view shortened(std::string_view text, std::size_t most) {
  if (text.size() <= most) return text;
  while (most > 0 && (static_cast<unsigned char>(text[most]) & 0xc0) == 0x80) --most;
  return text.substr(0, most);
}

}  // namespace persona
