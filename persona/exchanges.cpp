#include "persona/exchanges.hpp"

#include <algorithm>
#include <utility>

#include "persona/white_space.hpp"

namespace persona {

const Exchange* Exchanges::with_id(std::string_view utterance_id) const {
  if (utterance_id.empty()) return nullptr;
  for (const auto* list : {&open_, &known_}) {
    const auto found = std::find_if(list->rbegin(), list->rend(),
                                    [utterance_id](const Exchange& one) { return one.has_id(utterance_id); });
    if (found != list->rend()) return &*found;
  }
  return nullptr;
}

Exchange* Exchanges::with_id(std::string_view utterance_id) {
  return const_cast<Exchange*>(std::as_const(*this).with_id(utterance_id));
}

Exchange* Exchanges::to_bind(std::string_view text) {
  Exchange* oldest = nullptr;
  for (auto& one : open_) {
    if (one.has_id() || one.cancelled()) continue;
    if (is_blank(text) || one.is_about(text)) return &one;
    if (oldest == nullptr) oldest = &one;
  }
  return oldest;
}

Exchange* Exchanges::newest_without_id(std::string_view text) {
  Exchange* newest = nullptr;
  for (auto one = open_.rbegin(); one != open_.rend(); ++one) {
    if (one->has_id() || one->cancelled()) continue;
    if (is_blank(text) || one->is_about(text)) return &*one;
    if (newest == nullptr) newest = &*one;
  }
  return newest;
}

Exchange* Exchanges::newest_to_end() {
  const auto found = std::find_if(open_.rbegin(), open_.rend(), [](const Exchange& one) { return !one.has_id(); });
  return found == open_.rend() ? nullptr : &*found;
}

Exchange& Exchanges::add(Exchange exchange, std::size_t max_open) {
  auto& added = open_.emplace_back(std::move(exchange));
  forget_too_many(max_open);
  return added;
}

void Exchanges::close(Exchange& exchange, std::size_t max_open, std::chrono::seconds id_known_for) {
  const auto found = std::find_if(open_.begin(), open_.end(), [&](const Exchange& one) { return &one == &exchange; });
  if (found == open_.end()) return;
  if (!found->has_id()) {
    open_.erase(found);
    return;
  }
  found->drop_texts();
  const auto until = found->last() + id_known_for;
  forget_next_ = known_.empty() ? until : std::min(forget_next_, until);
  known_.splice(known_.end(), open_, found);
  forget_too_many(max_open);
}

void Exchanges::forget_too_many(std::size_t max_open) {
  while (!known_.empty() && open_.size() + known_.size() > 4 * max_open) known_.pop_front();
}

void Exchanges::forget_known(std::chrono::steady_clock::time_point now, std::chrono::seconds id_known_for) {
  if (known_.empty() || now < forget_next_) return;
  known_.remove_if([&](const Exchange& one) { return now - one.last() >= id_known_for; });
  forget_next_ = std::chrono::steady_clock::time_point::max();
  for (const auto& one : known_) forget_next_ = std::min(forget_next_, one.last() + id_known_for);
}

}  // namespace persona
