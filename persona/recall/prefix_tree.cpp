#include "persona/recall/prefix_tree.hpp"

#include <algorithm>
#include <numeric>

namespace persona {
namespace {

// Words that begin as a node does, among all words in order.
struct Range {
  std::uint32_t begin;
  std::uint32_t end;
  std::uint32_t depth;
};

}  // namespace

bool PrefixTree::can_hold(std::span<const std::string_view> words) {
  std::size_t bytes = 0;
  for (const std::string_view word : words) {
    bytes += word.size();
    if (word.size() > kLongestWord || bytes > kMostBytes) return false;
  }
  return true;
}

PrefixTree::PrefixTree(std::span<const std::string_view> words) {
  std::vector<std::uint32_t> order(words.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::stable_sort(order, {}, [&words](std::uint32_t word) { return words[word]; });
  std::vector<Range> nodes{{0, static_cast<std::uint32_t>(order.size()), 0}};
  labels_.push_back(0);
  for (std::size_t node = 0; node < nodes.size(); ++node) {  // level by level: it grows while it is gone through
    auto [at, end, depth] = nodes[node];
    words_.push_back(kNoWord);
    first_child_.push_back(static_cast<std::uint32_t>(nodes.size()));
    for (; at < end && words[order[at]].size() == depth; ++at) words_.back() = order[at];
    while (at < end) {
      const char label = words[order[at]][depth];
      const std::uint32_t begin = at;
      while (at < end && words[order[at]][depth] == label) ++at;
      labels_.push_back(static_cast<unsigned char>(label));
      nodes.push_back({begin, at, depth + 1});
    }
  }
  first_child_.push_back(static_cast<std::uint32_t>(nodes.size()));
}

std::optional<PrefixTree::Node> PrefixTree::child(Node node, char next) const {
  const auto begin = labels_.begin() + first_child_[node];
  const auto end = labels_.begin() + first_child_[node + 1];
  const auto label = static_cast<unsigned char>(next);
  const auto found = std::lower_bound(begin, end, label);
  if (found == end || *found != label) return std::nullopt;
  return static_cast<Node>(found - labels_.begin());
}

std::optional<PrefixTree::Node> PrefixTree::walk(Node node, std::string_view bytes) const {
  std::optional<Node> at = node;
  for (const char next : bytes) {
    at = child(*at, next);
    if (!at) break;
  }
  return at;
}

std::uint32_t PrefixTree::find(std::string_view word) const {
  const auto node = walk(kRoot, word);
  return node ? words_[*node] : kNoWord;
}

}  // namespace persona
