#pragma once
#include <boost/system/result.hpp>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "persona/recall/normalizer.hpp"
#include "persona/recall/pre_tokenizer.hpp"
#include "persona/recall/unigram.hpp"
#include "persona/recall/word_pieces.hpp"

namespace persona {

/// Cuts texts into the tokens of a model. Names of special tokens in a text are words like others: a text is what
/// somebody said.
///
/// Source: tokenizer.json of huggingface/tokenizers, of the kinds that static models use.
class Tokenizer {
 public:
  /// Errors: in words, without the file: a kind that is not known here, or a part that is broken.
  [[nodiscard]] static boost::system::result<Tokenizer, std::string> make(const nlohmann::json& described);

  /// The first `most` known tokens of any bytes; those that are not UTF-8 are U+FFFD each. A text is cut off where it
  /// has more characters than so many tokens usually have.
  [[nodiscard]] std::vector<Token> encode(std::string_view text, std::size_t most) const;

  /// One more than the highest token.
  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  Normalizer normalizer_;
  PreTokenizer pre_tokenizer_;
  std::variant<WordPieces, Unigram> model_;
  std::size_t size_ = 0;
  std::size_t usual_length_ = 1;  // of a token, in characters
};

}  // namespace persona
