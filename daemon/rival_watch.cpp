#include "daemon/rival_watch.hpp"

#include "bus/session.hpp"
#include "bus/topics.hpp"

namespace personad {
namespace {

std::string_view text_at(const nlohmann::json& object, std::string_view key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? std::string_view(found->get_ref<const std::string&>())
                                                     : std::string_view();
}

std::uint64_t fingerprint(std::string_view topic, const bus::Message& message) {
  constexpr std::uint64_t kPrime = 1099511628211u;
  const std::hash<std::string_view> hash;
  const std::string session = bus::Session::of_context(message.context).session_id;
  return (hash(topic) * kPrime ^ hash(text_at(message.data, "request_id"))) * kPrime ^ hash(session);
}

}  // namespace

void RivalWatch::forget_old(TimePoint now) {
  while (!order_.empty() && (order_.size() > kMaxRemembered || order_.front().at + kKeep < now)) {
    asked_.erase(asked_.find(order_.front().fingerprint));
    order_.pop_front();
  }
}

void RivalWatch::asked(const bus::Message& request, TimePoint now) {
  const std::uint64_t print = fingerprint(request.type, request);
  order_.push_back({print, now});
  asked_.insert(print);
  forget_old(now);
}

bool RivalWatch::is_rival(const bus::Message& answer, TimePoint now) {
  const std::string_view instance = text_at(answer.context, "instance");
  if (instance.empty() || instance == instance_) return false;
  forget_old(now);
  const std::string_view topic =
      std::string_view(answer.type).substr(0, answer.type.size() - bus::topic::kResponseSuffix.size());
  return asked_.contains(fingerprint(topic, answer));
}

}  // namespace personad
