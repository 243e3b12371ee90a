#include "persona/memory/character.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <tuple>

#include "persona/memory/digest.hpp"
#include "persona/memory/settings.hpp"
#include "persona/white_space.hpp"

namespace persona {
namespace {

using nlohmann::json;

constexpr std::size_t kMostDepth = 10000;
constexpr std::size_t kMostEmotions = 64;
constexpr std::size_t kMostEmotionBytes = 64;
constexpr double kStrongest = 1e6;

// SplitMix64; from 0 to less than 1.
double next_fraction(std::uint64_t& generator) {
  generator += 0x9e3779b97f4a7c15u;
  std::uint64_t bits = generator;
  bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9u;
  bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebu;
  bits ^= bits >> 31;
  return static_cast<double>(bits >> 11) * 0x1.0p-53;
}

}  // namespace

std::string_view name(MemoryPlace::Direction direction) noexcept {
  return direction == MemoryPlace::Direction::topdown ? "topdown" : "bottomup";
}

CharacterState first_state(const ThreadKey& thread) {
  CharacterState state;
  state.generator = digest(digest(digest(kDigestStart, thread.where.owner), thread.where.conversation), thread.persona);
  return state;
}

void take_step(CharacterState& state, const FeelingRules& rules) {
  ++state.steps;
  const double least = std::min(rules.decay_min, rules.decay_max);
  const double most = std::max(rules.decay_min, rules.decay_max);
  state.remains *= 1 - (least + next_fraction(state.generator) * (most - least));
}

bool looks_for_memories(const CharacterState& state, const MemorySearch& search) {
  return state.memories.empty() || state.steps % std::max<std::size_t>(search.update_interval, 1) == 0;
}

Emotions emotions_in(std::string_view meta) {
  Emotions emotions;
  if (meta.empty()) return emotions;
  const json object = json::parse(meta, nullptr, false);
  const auto given = object.is_object() ? object.find("emotions") : object.end();
  if (given == object.end() || !given->is_object()) return emotions;
  for (const auto& [emotion, score] : given->items()) {
    if (!score.is_number() || emotion.empty() || emotion.size() > kMostEmotionBytes) continue;
    const double felt = score.get<double>();
    if (!std::isfinite(felt) || emotions.size() == kMostEmotions) continue;
    emotions[emotion] = std::clamp(felt, -kStrongest, kStrongest);
  }
  return emotions;
}

bool is_said(const Turn& turn) {
  return (turn.role == Role::user || turn.role == Role::assistant) && !is_blank(turn.content);
}

std::vector<TurnPtr> as_memories(std::vector<TurnPtr> turns, std::span<const Number> present) {
  std::erase_if(turns, [present](const TurnPtr& turn) {
    return !is_said(*turn) || std::ranges::find(present, turn->number) != present.end();
  });
  const auto place = [](const TurnPtr& turn) { return std::tuple(turn->timestamp, turn->exchange, turn->number); };
  std::ranges::sort(turns, {}, place);
  const auto twins = std::ranges::unique(turns, {}, [](const TurnPtr& turn) { return turn->number; });
  turns.erase(twins.begin(), twins.end());
  return turns;
}

MemoryPlace read_place(SettingsReader& reader, std::string_view prefix) {
  const std::string depth = std::string(prefix) + "_depth", direction = std::string(prefix) + "_direction";
  MemoryPlace place;
  place.offset = reader.count(depth.c_str(), 1, kMostDepth);
  place.direction =
      MemoryPlace::Direction{static_cast<std::uint8_t>(reader.word(direction.c_str(), {"topdown", "bottomup"}, 0))};
  return place;
}

}  // namespace persona
