#pragma once
#include <boost/system/result.hpp>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace persona {

/// A text in pieces that no token reaches across.
struct Pieces {
  struct Range {
    std::size_t begin = 0;
    std::size_t end = 0;
  };
  std::string text;
  std::vector<Range> ranges;  ///< in order, none empty

  [[nodiscard]] std::string_view piece(const Range& range) const {
    return std::string_view(text).substr(range.begin, range.end - range.begin);
  }
};

/// Cuts at white space, which goes.
struct WhitespaceSplit {
  void apply(Pieces& pieces) const;
};

/// Cuts at white space, which goes, and around each sign of punctuation, which stays.
struct BertSplit {
  void apply(Pieces& pieces) const;
};

/// Makes a visible mark of each space and cuts before it, so that a token says whether a word begins with it.
struct Metaspace {
  enum class Prepend : unsigned char { never, first, always };

  std::string mark;
  Prepend prepend = Prepend::always;  ///< the mark before pieces that begin with none
  bool split = true;

  void apply(Pieces& pieces) const;
};

/// Cuts a text into pieces before it is cut into tokens.
///
/// Source: `pre_tokenizer` of a tokenizer.json, as huggingface/tokenizers understands it.
class PreTokenizer {
 public:
  /// Null describes one that leaves a text whole.
  /// Errors: in words, without the file: a kind that is not known here, or a setting that is none.
  [[nodiscard]] static boost::system::result<PreTokenizer, std::string> make(const nlohmann::json& described);

  /// Of UTF-8.
  [[nodiscard]] Pieces apply(std::string text) const;

  using Step = std::variant<WhitespaceSplit, BertSplit, Metaspace>;

 private:
  std::vector<Step> steps_;
};

}  // namespace persona
