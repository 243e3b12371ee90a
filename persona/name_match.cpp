#include "persona/name_match.hpp"

#include <algorithm>
#include <utility>

#include "persona/utf8.hpp"

namespace persona {
namespace {

constexpr std::size_t kMostPoints = 256;  // what is longer is nobody's name
constexpr std::size_t kMostCandidates = 5;
constexpr double kNear = 0.5;  // near enough to be offered, where nothing matches

bool within(char32_t point, char32_t first, char32_t last) {
  return point >= first && point <= last;
}

char32_t odd_after_even(char32_t point) {
  return point | 1;
}
char32_t even_after_odd(char32_t point) {
  return point + (point & 1);
}

char32_t folded_latin(char32_t point) {
  if (within(point, 0x41, 0x5A)) return point + 0x20;
  if (within(point, 0xC0, 0xDE) && point != 0xD7) return point + 0x20;
  if (point == 0x130) return U'i';
  if (point == 0x131 || point == 0x138 || point == 0x149) return point;
  if (point == 0x178) return 0xFF;
  if (point == 0x17F) return U's';
  if (within(point, 0x100, 0x137) || within(point, 0x14A, 0x177)) return odd_after_even(point);
  if (within(point, 0x139, 0x148) || within(point, 0x179, 0x17E)) return even_after_odd(point);
  return point;
}

char32_t folded_greek(char32_t point) {
  if (point == 0x386) return 0x3AC;
  if (within(point, 0x388, 0x38A)) return point + 0x25;
  if (point == 0x38C) return 0x3CC;
  if (within(point, 0x38E, 0x38F)) return point + 0x3F;
  if (within(point, 0x391, 0x3AB) && point != 0x3A2) return point + 0x20;
  if (point == 0x3C2) return 0x3C3;  // a final sigma
  return point;
}

char32_t folded_cyrillic(char32_t point) {
  if (within(point, 0x400, 0x40F)) return point + 0x50;
  if (within(point, 0x410, 0x42F)) return point + 0x20;
  if (within(point, 0x460, 0x481) || within(point, 0x48A, 0x4BF) || within(point, 0x4D0, 0x52F)) {
    return odd_after_even(point);
  }
  if (point == 0x4C0) return 0x4CF;
  if (within(point, 0x4C1, 0x4CE)) return even_after_odd(point);
  return point;
}

char32_t folded(char32_t point) {
  if (point < 0x180) return folded_latin(point);
  if (within(point, 0x370, 0x3FF)) return folded_greek(point);
  if (within(point, 0x400, 0x52F)) return folded_cyrillic(point);
  return point;
}

std::u32string folded_points(std::string_view utf8) {
  std::u32string points = code_points(utf8);
  std::transform(points.begin(), points.end(), points.begin(), folded);
  return points;
}

// Insertions, deletions, substitutions and swaps of neighbours; no part is edited twice.
std::size_t distance(const std::u32string& a, const std::u32string& b) {
  std::vector<std::size_t> before_last(b.size() + 1);
  std::vector<std::size_t> last(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::swap(before_last, last);
    std::swap(last, row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, replaced});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before_last[j - 2] + 1);
      }
    }
  }
  return row[b.size()];
}

double similarity_of(const std::u32string& a, const std::u32string& b) {
  if (a == b) return 1;
  const std::size_t longer = std::max(a.size(), b.size());
  if (longer > kMostPoints) return 0;
  return 1 - static_cast<double>(distance(a, b)) / static_cast<double>(longer);
}

struct Near {
  double similarity;
  std::string name;
};

// Best first; names of equal similarity in the order given.
std::vector<Near> ranked(std::string_view wanted, const std::vector<std::string>& names) {
  const std::u32string wanted_points = folded_points(wanted);
  std::vector<Near> near;
  for (const std::string& name : names) {
    const double similarity = similarity_of(wanted_points, folded_points(name));
    if (similarity >= kNear) near.push_back({similarity, name});
  }
  std::stable_sort(near.begin(), near.end(), [](const Near& a, const Near& b) { return a.similarity > b.similarity; });
  return near;
}

NameMatch match(std::string_view wanted, const std::vector<std::string>& names, double threshold) {
  NameMatch result;
  if (const auto same = std::find(names.begin(), names.end(), wanted); same != names.end()) {
    result.name = *same;
    return result;
  }
  std::vector<Near> near = ranked(wanted, names);
  const bool tie = near.size() > 1 && near[0].similarity == near[1].similarity;
  if (!near.empty() && near[0].similarity >= threshold && !tie) {
    result.name = std::move(near[0].name);
    return result;
  }
  if (near.size() > kMostCandidates) near.resize(kMostCandidates);
  for (Near& candidate : near) result.candidates.push_back(std::move(candidate.name));
  return result;
}

}  // namespace

std::string folded_case(std::string_view utf8) {
  std::string lower;
  lower.reserve(utf8.size());
  for (const char32_t point : folded_points(utf8)) append_utf8(lower, point);
  return lower;
}

double similarity(std::string_view a, std::string_view b) {
  return similarity_of(folded_points(a), folded_points(b));
}

NameMatch match_exact(std::string_view wanted, const std::vector<std::string>& names) {
  return match(wanted, names, 1);
}

NameMatch match_fuzzy(std::string_view wanted, const std::vector<std::string>& names) {
  return match(wanted, names, kFuzzyThreshold);
}

}  // namespace persona
