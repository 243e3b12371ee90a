#include "persona/recall/word_pieces.hpp"

#include "persona/recall/model_files.hpp"

namespace persona {
namespace {

using boost::system::result;
using nlohmann::json;

constexpr std::size_t kUsualLongest = 100;

std::size_t characters(std::string_view text) {
  std::size_t count = 0;
  for (const char c : text) count += (static_cast<unsigned char>(c) & 0xC0U) != 0x80 ? 1 : 0;
  return count;
}

}  // namespace

result<WordPieces, std::string> WordPieces::make(const json& model) {
  const json& vocabulary = value_at(model, "vocab");
  if (!vocabulary.is_object()) return std::string("has no vocabulary");
  WordPieces made;
  std::vector<std::string_view> words;
  for (const auto& [word, number] : vocabulary.items()) {
    if (!number.is_number_unsigned() || number.get<std::uint64_t>() >= PrefixTree::kNoWord) {
      return std::string("has a token without a number");
    }
    words.push_back(word);
    made.tokens_.push_back(static_cast<Token>(number.get<std::uint64_t>()));
  }
  if (!PrefixTree::can_hold(words)) return std::string("has tokens that are too long");
  made.tree_ = PrefixTree(words);
  made.inside_ = made.tree_.walk(PrefixTree::kRoot, text_at(model, "continuing_subword_prefix"));
  const std::uint32_t unknown = made.tree_.find(text_at(model, "unk_token"));
  if (unknown != PrefixTree::kNoWord) made.unknown_ = made.tokens_[unknown];
  const json& longest = value_at(model, "max_input_chars_per_word");
  made.longest_ = longest.is_number_unsigned() ? longest.get<std::size_t>() : kUsualLongest;
  return made;
}

// How many bytes the longest known piece at the front has; 0: there is none.
std::size_t WordPieces::take_longest(std::string_view word, PrefixTree::Node from, std::vector<Token>& into) const {
  std::size_t longest = 0;
  std::uint32_t found = PrefixTree::kNoWord;
  std::optional<PrefixTree::Node> node = from;
  for (std::size_t length = 1; length <= word.size(); ++length) {
    node = tree_.child(*node, word[length - 1]);
    if (!node) break;
    if (tree_.word(*node) == PrefixTree::kNoWord) continue;
    found = tree_.word(*node);
    longest = length;
  }
  if (longest != 0 && tokens_[found] != unknown_) into.push_back(tokens_[found]);
  return longest;
}

void WordPieces::encode(std::string_view word, std::vector<Token>& into) const {
  if (characters(word) > longest_) return;
  const std::size_t before = into.size();
  std::optional<PrefixTree::Node> from = PrefixTree::kRoot;
  while (!word.empty()) {
    const std::size_t taken = from ? take_longest(word, *from, into) : 0;
    if (taken == 0) return into.resize(before);
    word.remove_prefix(taken);
    from = inside_;
  }
}

}  // namespace persona
