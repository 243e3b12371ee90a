#include "bus/twin_filter.hpp"

#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "bus/message.hpp"
#include "bus/topics.hpp"

namespace bus {
namespace {

using nlohmann::json;

constexpr std::string_view kIntentSuffix = ".intent";

/// What a message's topic says about pairs: the spelling-free name, which spelling it is, and the marker of its kind.
/// A marker of the other kind is one inherited from the message that this one answers, and says nothing.
struct Spelled {
  std::string_view canonical_topic;
  bool is_legacy;
  std::string_view marker;
};

bool is_dispatch(const Message& message) {
  const std::size_t colon = message.type.find(':');
  if (colon == std::string::npos) return false;
  const auto skill = message.context.find("skill_id");
  return skill != message.context.end() && skill->is_string() &&
         skill->get_ref<const std::string&>() == std::string_view(message.type).substr(0, colon);
}

std::optional<Spelled> spelled(const Message& message) {
  const std::string_view type = message.type;
  if (has_two_spellings(type)) {
    const std::string_view name = canonical(type);
    return Spelled{name, name != type, kTopicTwinMarker};
  }
  if (!is_dispatch(message)) return std::nullopt;
  const bool legacy = type.ends_with(kIntentSuffix);
  return Spelled{legacy ? type.substr(0, type.size() - kIntentSuffix.size()) : type, legacy, kIntentTwinMarker};
}

bool is_marked(const json& context, std::string_view marker) {
  const auto found = context.find(marker);
  return found != context.end() && found->is_boolean() && found->get<bool>();
}

std::uint64_t combine(std::uint64_t seed, std::uint64_t hash) {
  return seed ^ (hash + 0x9e3779b97f4a7c15ULL + (seed << 6) + (seed >> 2));
}

/// Objects are sorted maps, so that the order of keys on the wire does not count. The context is hashed by member: a
/// copy without the markers would cost more than all the rest.
std::uint64_t fingerprint(std::string_view topic, const Message& message) {
  std::uint64_t hash = combine(std::hash<std::string_view>{}(topic), std::hash<json>{}(message.data));
  for (const auto& [key, value] : message.context.get_ref<const json::object_t&>()) {
    if (key == kTopicTwinMarker || key == kIntentTwinMarker) continue;
    hash = combine(combine(hash, std::hash<std::string>{}(key)), std::hash<json>{}(value));
  }
  return hash;
}

}  // namespace

bool TwinFilter::is_twin(const Message& message, TimePoint now) {
  const auto name = spelled(message);
  if (!name) return false;
  forget_old(now);
  const bool marked_twin = name->is_legacy && is_marked(message.context, name->marker);
  const std::uint64_t legacy_key = fingerprint(name->canonical_topic, message);
  const std::uint64_t canonical_key = ~legacy_key;
  const auto within = marked_twin ? kMarkedWithin : kUnmarkedWithin;
  if (consume(name->is_legacy ? canonical_key : legacy_key, now - within)) return true;
  if (!marked_twin) remember(name->is_legacy ? legacy_key : canonical_key, now);
  return false;
}

bool TwinFilter::consume(std::uint64_t key, TimePoint since) {
  const auto newest = newest_.find(key);
  if (newest == newest_.end()) return false;
  const Seen& seen = order_[newest->second - first_serial_];
  if (seen.at < since) return false;
  newest->second = seen.older;
  if (newest->second < first_serial_) newest_.erase(newest);
  return true;
}

void TwinFilter::remember(std::uint64_t key, TimePoint now) {
  if (order_.size() == kMaxRemembered) forget_oldest();
  std::uint64_t& newest = newest_[key];
  order_.push_back({key, now, newest});
  newest = first_serial_ + order_.size() - 1;
}

void TwinFilter::forget_old(TimePoint now) {
  while (!order_.empty() && now - order_.front().at > kMarkedWithin) forget_oldest();
}

void TwinFilter::forget_oldest() {
  const auto newest = newest_.find(order_.front().key);
  if (newest != newest_.end() && newest->second == first_serial_) newest_.erase(newest);
  order_.pop_front();
  ++first_serial_;
}

void strip_twin_markers(Message& message) {
  message.context.erase(std::string(kTopicTwinMarker));
  message.context.erase(std::string(kIntentTwinMarker));
}

}  // namespace bus
