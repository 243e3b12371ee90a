#include "persona/recall/charsmap.hpp"

#include <array>

#include "persona/recall/unicode.hpp"
#include "persona/utf8.hpp"

namespace persona {
namespace {

using boost::system::result;

// Longer clusters are taken apart: what is compiled is of letters with one or two marks.
constexpr std::size_t kLongestCluster = 5;
// A ligature of Arabic becomes 33 bytes. What is longer is no map of characters.
constexpr std::size_t kLongestReplacement = 256;

std::optional<std::string> from_base64(std::string_view text) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::array<int, 256> values{};
  values.fill(-1);
  for (std::size_t i = 0; i < kDigits.size(); ++i) values[static_cast<unsigned char>(kDigits[i])] = static_cast<int>(i);
  while (text.ends_with('=')) text.remove_suffix(1);
  std::string bytes;
  std::uint32_t bits = 0;
  int held = 0;
  for (const char c : text) {
    const int value = values[static_cast<unsigned char>(c)];
    if (value < 0) return std::nullopt;
    bits = (bits << 6U) | static_cast<std::uint32_t>(value);
    held += 6;
    if (held < 8) continue;
    held -= 8;
    bytes += static_cast<char>(static_cast<unsigned char>(bits >> static_cast<unsigned>(held)));
  }
  return bytes;
}

std::uint32_t little_endian(std::string_view four) {
  std::uint32_t value = 0;
  for (std::size_t i = 4; i-- > 0;) value = (value << 8U) | static_cast<unsigned char>(four[i]);
  return value;
}

// A unit of the double array, as darts-clone packs it.
std::uint32_t label_of(std::uint32_t unit) {
  return unit & 0x800000FFU;
}
std::uint32_t offset_of(std::uint32_t unit) {
  return (unit >> 10U) << ((unit & 0x200U) >> 6U);
}
bool has_leaf(std::uint32_t unit) {
  return (unit & 0x100U) != 0;
}
std::uint32_t value_of(std::uint32_t leaf) {
  return leaf & 0x7FFFFFFFU;
}

}  // namespace

result<Charsmap, std::string> Charsmap::make(std::string_view base64) {
  const auto bytes = from_base64(base64);
  if (!bytes) return std::string("has a map of characters that is not base64");
  std::string_view rest = *bytes;
  if (rest.size() < 4) return std::string("has a map of characters that was cut off");
  const std::size_t array = little_endian(rest);
  rest.remove_prefix(4);
  if (array % 4 != 0 || array > rest.size()) return std::string("has a map of characters that was cut off");
  Charsmap made;
  for (std::size_t at = 0; at < array; at += 4) made.units_.push_back(little_endian(rest.substr(at, 4)));
  made.replacements_ = rest.substr(array);
  return made;
}

// The shortest beginning that the map knows stands for the whole, as tokenizers have it.
std::optional<std::string_view> Charsmap::replacement(std::string_view characters) const {
  if (units_.empty()) return std::nullopt;
  std::size_t at = offset_of(units_[0]);
  for (const char next : characters) {
    const auto label = static_cast<unsigned char>(next);
    at ^= label;
    if (label == 0 || at >= units_.size() || label_of(units_[at]) != label) return std::nullopt;
    const std::uint32_t unit = units_[at];
    at ^= offset_of(unit);
    if (!has_leaf(unit)) continue;
    if (at >= units_.size() || value_of(units_[at]) > replacements_.size()) return std::nullopt;
    const std::string_view from = std::string_view(replacements_).substr(value_of(units_[at]));
    const std::string_view found = from.substr(0, from.substr(0, kLongestReplacement + 1).find('\0'));
    return found.size() > kLongestReplacement || !is_utf8(found) ? std::nullopt : std::optional(found);
  }
  return std::nullopt;
}

void Charsmap::append_cluster(std::string_view cluster, std::string& into) const {
  if (cluster.size() <= kLongestCluster) {
    if (const auto whole = replacement(cluster)) {
      into += *whole;
      return;
    }
  }
  while (!cluster.empty()) {
    std::string_view after = cluster;
    (void)take_code_point(after);
    const std::string_view one = cluster.substr(0, cluster.size() - after.size());
    into += replacement(one).value_or(one);
    cluster = after;
  }
}

std::string Charsmap::apply(std::string_view text) const {
  std::string made;
  made.reserve(text.size());
  while (!text.empty()) {
    std::string_view after = text;
    char32_t before = take_code_point(after).value_or(kReplacement);
    while (!after.empty()) {
      std::string_view beyond = after;
      const char32_t next = take_code_point(beyond).value_or(kReplacement);
      if (!is_one_cluster(before, next)) break;
      before = next;
      after = beyond;
    }
    append_cluster(text.substr(0, text.size() - after.size()), made);
    text = after;
  }
  return made;
}

}  // namespace persona
