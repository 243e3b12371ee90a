#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace persona {

/// Words found by their first bytes: each node is the beginning of some words.
///
/// Nine bytes a node, the children of one side by side, so that a walk touches few lines of memory; nothing is hashed,
/// so no choice of words makes it slow.
class PrefixTree {
 public:
  using Node = std::uint32_t;
  static constexpr Node kRoot = 0;
  static constexpr std::uint32_t kNoWord = 0xFFFFFFFF;

  /// What vocabularies of models are far below; without a bound a file could ask for any memory, and any time.
  static constexpr std::size_t kLongestWord = 1024;
  static constexpr std::size_t kMostBytes = 16U << 20U;
  [[nodiscard]] static bool can_hold(std::span<const std::string_view> words);

  PrefixTree() : PrefixTree(std::span<const std::string_view>()) {}
  /// Words are numbered by their places; of two that are equal the later one counts.
  explicit PrefixTree(std::span<const std::string_view> words);

  [[nodiscard]] std::optional<Node> child(Node node, char next) const;
  /// Where these bytes lead from a node.
  [[nodiscard]] std::optional<Node> walk(Node node, std::string_view bytes) const;
  /// The word that ends here; `kNoWord`: none does.
  [[nodiscard]] std::uint32_t word(Node node) const { return words_[node]; }
  /// The number of this very word.
  [[nodiscard]] std::uint32_t find(std::string_view word) const;

 private:
  std::vector<unsigned char> labels_;       // of the way to each node
  std::vector<std::uint32_t> words_;        // that end at each
  std::vector<std::uint32_t> first_child_;  // of each; the children end where the next one's begin
};

}  // namespace persona
