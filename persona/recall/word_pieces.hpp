#pragma once
#include <boost/system/result.hpp>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "persona/recall/prefix_tree.hpp"

namespace persona {

/// A token's number in its model's vocabulary.
using Token = std::uint32_t;

/// Cuts a word into the longest pieces that a vocabulary has, from its beginning on.
///
/// Source: `WordPiece` of huggingface/tokenizers.
class WordPieces {
 public:
  /// Errors: in words, without the file.
  [[nodiscard]] static boost::system::result<WordPieces, std::string> make(const nlohmann::json& model);

  /// Adds the tokens of a word of UTF-8: none where it cannot be cut into known ones.
  void encode(std::string_view word, std::vector<Token>& into) const;

 private:
  [[nodiscard]] std::size_t take_longest(std::string_view word, PrefixTree::Node from, std::vector<Token>& into) const;

  PrefixTree tree_;
  std::vector<Token> tokens_;               // of the tree's words
  std::optional<PrefixTree::Node> inside_;  // where pieces begin that do not begin a word
  std::optional<Token> unknown_;
  std::size_t longest_ = 0;  // characters of a word that is looked at
};

}  // namespace persona
