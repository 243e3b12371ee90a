#pragma once
#include <boost/system/result.hpp>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "persona/recall/prefix_tree.hpp"
#include "persona/recall/word_pieces.hpp"

namespace persona {

/// Cuts a piece of text into the likeliest tokens of a vocabulary (Viterbi's way through all that are possible).
///
/// Source: `Unigram` of huggingface/tokenizers; Kudo, Subword Regularization (2018).
class Unigram {
 public:
  /// Errors: in words, without the file.
  [[nodiscard]] static boost::system::result<Unigram, std::string> make(const nlohmann::json& model);

  /// Adds the tokens of UTF-8; what is unknown adds none.
  void encode(std::string_view piece, std::vector<Token>& into) const;

 private:
  /// The best way to a place in the text: a last token, and where that begins.
  struct Step {
    double score = 0;
    std::size_t from = kNowhere;
    std::optional<Token> token;
  };
  static constexpr std::size_t kNowhere = static_cast<std::size_t>(-1);

  [[nodiscard]] std::vector<Step> best_ways(std::string_view piece) const;
  void add(std::string_view text, std::vector<Token>& into) const;

  PrefixTree tree_;
  std::vector<double> scores_;  // of each token: logarithms of how likely it is
  std::optional<Token> unknown_;
  double unknown_score_ = 0;
  bool byte_fallback_ = false;
};

}  // namespace persona
