#pragma once
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

// Where a term was said, packed: a list of postings is kept in blocks, ordered by owner, thread and place, so that the
// postings of one thread, or of one owner, stand together.
namespace persona {

/// Where a turn stands in an index. Places count the turns of a thread in the order in which they came.
struct Address {
  std::int64_t owner = 0;
  std::int64_t thread = 0;
  std::uint32_t place = 0;
  friend auto operator<=>(const Address&, const Address&) = default;
};

/// How long a text is, in terms, in one byte: exact up to 127, within 5 % above.
class LengthCode {
 public:
  LengthCode() = default;
  [[nodiscard]] static LengthCode of(std::size_t terms) noexcept;
  [[nodiscard]] static LengthCode stored(std::uint8_t byte) noexcept;
  [[nodiscard]] float terms() const noexcept;
  [[nodiscard]] std::uint8_t byte() const noexcept { return byte_; }
  friend auto operator<=>(LengthCode, LengthCode) = default;

 private:
  std::uint8_t byte_ = 0;
};

/// How often a turn says a term.
struct Frequency {
  static constexpr std::uint8_t kMostSaid = 63;  // what is more counts as so many
  std::uint8_t said = 0;                         ///< in its text
  bool captioned = false;                        ///< it is in what is shown with the text
  bool named = false;                            ///< it is in the speaker's name
  friend bool operator==(const Frequency&, const Frequency&) = default;
};

/// One term in one turn.
struct Posting {
  Address at;
  Frequency frequency;
  LengthCode length;  ///< of the turn
  friend bool operator==(const Posting&, const Posting&) = default;
};

/// The postings of one thread that stand together in a block, not yet unpacked.
struct PostingGroup {
  std::int64_t owner = 0;
  std::int64_t thread = 0;
  std::uint32_t count = 0;
  std::uint8_t most_said = 0;          ///< no posting says the term more often
  bool any_captioned = false;          ///< some posting is
  bool any_named = false;              ///<
  LengthCode shortest;                 ///< no turn is shorter
  std::span<const std::uint8_t> body;  ///< lifetime: the block's
};

/// A block as it is stored. `postings` are in order, each address once.
[[nodiscard]] std::string packed(std::span<const Posting> postings);
/// What it was made of; nothing: these bytes are no block.
[[nodiscard]] std::optional<std::vector<Posting>> unpacked(std::span<const std::uint8_t> block);

/// Reads a block group by group. Of bytes that are no block it reads as far as they make sense.
class PostingGroups {
 public:
  explicit PostingGroups(std::span<const std::uint8_t> block) : rest_(block) {}
  [[nodiscard]] std::optional<PostingGroup> next();

 private:
  std::span<const std::uint8_t> rest_;
  std::int64_t owner_ = 0;
  std::int64_t thread_ = 0;
};

/// Calls `take(place, frequency, length)` for each posting of a group.
template <class Take>
void each_posting(const PostingGroup& group, Take take);

}  // namespace persona

#include "persona/recall/postings_inline.hpp"
