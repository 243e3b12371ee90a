#include "persona/recall/postings.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace persona {
namespace {

constexpr std::uint8_t kExact = 128;     // lengths below stand for themselves
constexpr double kStepsToDouble = 16.0;  // above, so many codes to twice the length

// Of a group of one the posting itself says what the bounds of a larger one say.
constexpr std::uint32_t kOwnBounds = 1;

std::array<float, 256> decoded_lengths() {
  std::array<float, 256> lengths{};
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    const double above = (static_cast<double>(i) - kExact) / kStepsToDouble;
    lengths[i] = i < kExact ? static_cast<float>(i) : static_cast<float>(kExact * std::exp2(above));
  }
  return lengths;
}

void put_number(std::string& to, std::uint64_t number) {
  for (; number >= 0x80; number >>= 7) to += static_cast<char>(static_cast<std::uint8_t>(number) | 0x80);
  to += static_cast<char>(number);
}

std::uint8_t byte_of(const Frequency& frequency) {
  const int said = std::min(frequency.said, Frequency::kMostSaid);
  return static_cast<std::uint8_t>(said << 2 | (frequency.captioned ? 2 : 0) | (frequency.named ? 1 : 0));
}

std::uint8_t bounds_of(std::span<const Posting> group, LengthCode& shortest) {
  Frequency most;
  shortest = group.front().length;
  for (const Posting& posting : group) {
    most.said = std::max(most.said, posting.frequency.said);
    most.captioned = most.captioned || posting.frequency.captioned;
    most.named = most.named || posting.frequency.named;
    shortest = std::min(shortest, posting.length);
  }
  return byte_of(most);
}

void put_group(std::string& to, std::span<const Posting> group, std::string& body) {
  body.clear();
  std::uint32_t place = 0;
  for (const Posting& posting : group) {
    put_number(body, posting.at.place - place);
    place = posting.at.place;
    body += static_cast<char>(byte_of(posting.frequency));
    body += static_cast<char>(posting.length.byte());
  }
  put_number(to, group.size());
  if (group.size() > kOwnBounds) {
    LengthCode shortest;
    const std::uint8_t most = bounds_of(group, shortest);
    to += static_cast<char>(most);
    to += static_cast<char>(shortest.byte());
    put_number(to, body.size());
  }
  to += body;
}

// The body of a group of one: a number and two bytes.
std::optional<std::span<const std::uint8_t>> body_of_one(std::span<const std::uint8_t> rest) {
  std::span<const std::uint8_t> after = rest;
  if (!take_number(after) || after.size() < 2) return std::nullopt;
  return rest.first(rest.size() - after.size() + 2);
}

void set_bounds(PostingGroup& group, std::uint8_t most, std::uint8_t shortest) {
  const Frequency bounds = frequency_in(most);
  group.most_said = bounds.said;
  group.any_captioned = bounds.captioned;
  group.any_named = bounds.named;
  group.shortest = LengthCode::stored(shortest);
}

}  // namespace

LengthCode LengthCode::of(std::size_t terms) noexcept {
  if (terms < kExact) return stored(static_cast<std::uint8_t>(terms));
  const double above = kStepsToDouble * std::log2(static_cast<double>(terms) / kExact);
  return stored(static_cast<std::uint8_t>(std::min(255.0, kExact + std::round(above))));
}

LengthCode LengthCode::stored(std::uint8_t byte) noexcept {
  LengthCode code;
  code.byte_ = byte;
  return code;
}

float LengthCode::terms() const noexcept {
  static const std::array<float, 256> lengths = decoded_lengths();
  return lengths[byte_];
}

std::string packed(std::span<const Posting> postings) {
  std::string block;
  std::string body;  // of the group at hand
  block.reserve(postings.size() * 5);
  std::int64_t owner = 0;
  std::int64_t thread = 0;
  for (std::size_t from = 0; from < postings.size();) {
    const Address& first = postings[from].at;
    std::size_t end = from + 1;
    while (end < postings.size() && postings[end].at.owner == first.owner && postings[end].at.thread == first.thread) {
      ++end;
    }
    if (first.owner != owner) thread = 0;
    put_number(block, static_cast<std::uint64_t>(first.owner - owner));
    put_number(block, static_cast<std::uint64_t>(first.thread - thread));
    owner = first.owner;
    thread = first.thread;
    put_group(block, postings.subspan(from, end - from), body);
    from = end;
  }
  return block;
}

std::optional<PostingGroup> PostingGroups::next() {
  if (rest_.empty()) return std::nullopt;
  const auto owner = take_number(rest_);
  const auto thread = take_number(rest_);
  const auto count = take_number(rest_);
  if (!owner || !thread || !count || *count == 0 || *count > rest_.size()) {
    rest_ = {};
    return std::nullopt;
  }
  if (*owner != 0) thread_ = 0;
  owner_ += static_cast<std::int64_t>(*owner);
  thread_ += static_cast<std::int64_t>(*thread);
  PostingGroup group;
  group.owner = owner_;
  group.thread = thread_;
  group.count = static_cast<std::uint32_t>(*count);
  if (*count == kOwnBounds) {
    const auto body = body_of_one(rest_);
    group.body = body.value_or(std::span<const std::uint8_t>());
    if (body) set_bounds(group, (*body)[body->size() - 2], body->back());
  } else if (rest_.size() > 2) {
    set_bounds(group, rest_[0], rest_[1]);
    rest_ = rest_.subspan(2);
    const auto bytes = take_number(rest_);
    if (bytes && *bytes <= rest_.size()) group.body = rest_.first(*bytes);
  }
  if (group.body.empty()) {
    rest_ = {};
    return std::nullopt;
  }
  rest_ = rest_.subspan(group.body.size());
  return group;
}

std::optional<std::vector<Posting>> unpacked(std::span<const std::uint8_t> block) {
  std::vector<Posting> postings;
  PostingGroups groups(block);
  std::size_t expected = 0;
  std::size_t read = 0;
  while (const auto group = groups.next()) {
    expected += group->count;
    read = static_cast<std::size_t>(group->body.data() + group->body.size() - block.data());
    each_posting(*group, [&](std::uint32_t place, Frequency frequency, LengthCode length) {
      postings.push_back({{group->owner, group->thread, place}, frequency, length});
    });
  }
  if (postings.size() != expected || read != block.size()) return std::nullopt;
  return postings;
}

}  // namespace persona
