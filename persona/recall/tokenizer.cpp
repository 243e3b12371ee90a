#include "persona/recall/tokenizer.hpp"

#include <algorithm>
#include <utility>

#include "persona/recall/model_files.hpp"
#include "persona/utf8.hpp"

namespace persona {
namespace {

using boost::system::result;
using nlohmann::json;

constexpr std::size_t kMostCharacters = 32768;  // of a text, whatever a vocabulary's tokens are like

std::size_t characters(std::string_view text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80; }));
}

// Half of a vocabulary's tokens are no longer than this.
std::size_t median(std::vector<std::size_t> lengths) {
  if (lengths.empty()) return 1;
  std::ranges::sort(lengths);
  const std::size_t half = lengths.size() / 2;
  const std::size_t middle = lengths.size() % 2 == 1 ? lengths[half] : (lengths[half - 1] + lengths[half]) / 2;
  return std::max<std::size_t>(middle, 1);
}

/// What a vocabulary's tokens are like.
struct Vocabulary {
  std::size_t size = 0;
  std::vector<std::size_t> lengths;
};

// Of a `vocab` that a model has been made of.
Vocabulary vocabulary_of(const json& vocab) {
  Vocabulary made;
  for (const auto& [key, value] : vocab.items()) {
    made.lengths.push_back(characters(vocab.is_object() ? std::string_view(key) : text_of(value[0])));
    const std::size_t token = vocab.is_object() ? value.get<std::size_t>() : made.size;
    made.size = std::max(made.size, token + 1);
  }
  return made;
}

// UTF-8 of at most so many characters.
std::string beginning_of(std::string_view text, std::size_t most) {
  std::string made;
  made.reserve(std::min(text.size(), most * 4));
  for (std::size_t taken = 0; taken < most && !text.empty(); ++taken) {
    append_utf8(made, take_code_point(text).value_or(kReplacement));
  }
  return made;
}

}  // namespace

result<Tokenizer, std::string> Tokenizer::make(const json& described) {
  Tokenizer made;
  auto normalizer = Normalizer::make(value_at(described, "normalizer"));
  if (!normalizer) return normalizer.error();
  made.normalizer_ = *std::move(normalizer);
  auto pre_tokenizer = PreTokenizer::make(value_at(described, "pre_tokenizer"));
  if (!pre_tokenizer) return pre_tokenizer.error();
  made.pre_tokenizer_ = *std::move(pre_tokenizer);
  const json& model = value_at(described, "model");
  const std::string type(text_at(model, "type"));
  if (type == "WordPiece") {
    auto pieces = WordPieces::make(model);
    if (!pieces) return pieces.error();
    made.model_ = *std::move(pieces);
  } else if (type == "Unigram") {
    auto unigram = Unigram::make(model);
    if (!unigram) return unigram.error();
    made.model_ = *std::move(unigram);
  } else {
    return "has a model of the kind \"" + type + "\"; only WordPiece and Unigram are known here: choose another model";
  }
  Vocabulary vocabulary = vocabulary_of(value_at(model, "vocab"));
  made.size_ = vocabulary.size;
  made.usual_length_ = median(std::move(vocabulary.lengths));
  return made;
}

std::vector<Token> Tokenizer::encode(std::string_view text, std::size_t most) const {
  const std::size_t longest = std::min(kMostCharacters, most * usual_length_);
  const Pieces pieces = pre_tokenizer_.apply(normalizer_.apply(beginning_of(text, longest)));
  std::vector<Token> tokens;
  for (const Pieces::Range& range : pieces.ranges) {
    std::visit([&](const auto& model) { model.encode(pieces.piece(range), tokens); }, model_);
    if (tokens.size() >= most) break;
  }
  if (tokens.size() > most) tokens.resize(most);
  return tokens;
}

}  // namespace persona
