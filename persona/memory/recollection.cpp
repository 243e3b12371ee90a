#include "persona/memory/recollection.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace persona {

void Recollection::add(Recollection more) {
  if (!more.facts.empty()) facts = std::move(more.facts);
  if (!more.summary.text.empty() || more.summary.progress.upto != 0) summary = std::move(more.summary);
  std::ranges::move(more.recalled, std::back_inserter(recalled));
}

}  // namespace persona
