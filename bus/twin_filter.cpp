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
  const Spelling mine = name->is_legacy ? Spelling::legacy : Spelling::canonical;
  const bool marked_twin = name->is_legacy && is_marked(message.context, name->marker);
  const std::uint64_t print = fingerprint(name->canonical_topic, message);
  const auto within = marked_twin ? kMarkedWithin : kUnmarkedWithin;
  if (consume_other(print, mine, now - within)) return true;
  if (!marked_twin) remember({print, next_serial_++, now, mine});
  return false;
}

bool TwinFilter::consume_other(std::uint64_t print, Spelling mine, TimePoint since) {
  auto oldest = unconsumed_.end();
  auto [it, last] = unconsumed_.equal_range(print);
  for (; it != last; ++it) {
    const Seen& seen = it->second;
    if (seen.spelling == mine || seen.at < since) continue;
    if (oldest == unconsumed_.end() || seen.serial < oldest->second.serial) oldest = it;
  }
  if (oldest == unconsumed_.end()) return false;
  unconsumed_.erase(oldest);
  return true;
}

void TwinFilter::remember(const Seen& seen) {
  if (order_.size() == kMaxRemembered) forget_oldest();
  order_.push_back(seen);
  unconsumed_.emplace(seen.fingerprint, seen);
}

void TwinFilter::forget_old(TimePoint now) {
  while (!order_.empty() && now - order_.front().at > kMarkedWithin) forget_oldest();
}

void TwinFilter::forget_oldest() {
  auto [it, last] = unconsumed_.equal_range(order_.front().fingerprint);
  for (; it != last; ++it) {
    if (it->second.serial == order_.front().serial) {
      unconsumed_.erase(it);
      break;
    }
  }
  order_.pop_front();
}

void strip_twin_markers(Message& message) {
  message.context.erase(std::string(kTopicTwinMarker));
  message.context.erase(std::string(kIntentTwinMarker));
}

}  // namespace bus
