#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

// Finding a persona by what somebody says it is called.
//
// Source: F. J. Damerau, "A technique for computer detection and correction of spelling errors", CACM 7(3), 1964
// (restricted edit distance: optimal string alignment), over Unicode code points.
namespace persona {

/// Lower case for comparison: ASCII, Latin-1, Latin Extended-A, Greek and Cyrillic letters; others as they are.
[[nodiscard]] std::string folded_case(std::string_view utf8);

/// 1 - distance / longer length, of the case-folded texts; 1 for two empty ones.
[[nodiscard]] double similarity(std::string_view a, std::string_view b);

inline constexpr double kFuzzyThreshold = 0.7;

/// Which of `names` is meant.
struct NameMatch {
  std::string name;                     ///< the one; empty when there is none, or a tie
  std::vector<std::string> candidates;  ///< those near it, best first (at most 5), for an error message
};
/// Case-insensitive and unique (a name spelled exactly so wins over others that differ in case).
[[nodiscard]] NameMatch match_exact(std::string_view wanted, const std::vector<std::string>& names);
/// The nearest with a similarity of at least `kFuzzyThreshold`; a tie is no match.
[[nodiscard]] NameMatch match_fuzzy(std::string_view wanted, const std::vector<std::string>& names);

}  // namespace persona
