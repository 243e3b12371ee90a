#include "persona/recall/tokenizer.hpp"

#include <doctest/doctest.h>

#include "tests/persona/recall/small_model.hpp"

namespace persona {
namespace {

using nlohmann::json;
using Tokens = std::vector<Token>;

constexpr std::size_t kMost = 512;

Tokens tokens(const json& described, std::string_view text, std::size_t most = kMost) {
  const auto tokenizer = Tokenizer::make(described);
  REQUIRE(tokenizer.has_value());
  return tokenizer->encode(text, most);
}

std::string fault(const json& described) {
  const auto tokenizer = Tokenizer::make(described);
  return tokenizer ? "" : tokenizer.error();
}

// What a text is after a normalizer, told by the tokens of single characters.
std::string normalized(const json& normalizer, std::string_view text) {
  const auto made = Normalizer::make(normalizer);
  REQUIRE(made.has_value());
  return made->apply(std::string(text));
}

std::string pieces(const json& pre_tokenizer, std::string_view text) {
  const auto made = PreTokenizer::make(pre_tokenizer);
  REQUIRE(made.has_value());
  const Pieces cut = made->apply(std::string(text));
  std::string line;
  for (const Pieces::Range& range : cut.ranges) line.append(line.empty() ? "" : "|").append(cut.piece(range));
  return line;
}

TEST_CASE("a word is cut into the longest pieces that are known, from its beginning") {
  CHECK(tokens(word_piece_tokenizer(), "tea") == Tokens{1});
  CHECK(tokens(word_piece_tokenizer(), "teapots") == Tokens{1, 2, 3});
  CHECK(tokens(word_piece_tokenizer(), "green tea!") == Tokens{4, 1, 6});
}

TEST_CASE("a word that cannot be cut into known pieces has no token, its known beginning neither") {
  CHECK(tokens(word_piece_tokenizer(), "teapotx green") == Tokens{4});
  CHECK(tokens(word_piece_tokenizer(), "pots") == Tokens{});
  CHECK(tokens(word_piece_tokenizer(), "tea" + std::string(18, 's') + " tea") == Tokens{1});  // 21 characters
}

TEST_CASE("the names of special tokens in a text are words like others") {
  CHECK(tokens(word_piece_tokenizer(), "[UNK] tea [CLS]") == Tokens{1});
}

TEST_CASE("BERT's normalizer folds case and accents, and drops what cannot be seen") {
  CHECK(tokens(word_piece_tokenizer(), "CAFÉ cafe\u0301 ca\u200bfe\u0007") == Tokens{5, 5, 5});
  CHECK(tokens(word_piece_tokenizer(), "green\u00a0tea\tgreen") == Tokens{4, 1, 4});
  const json bert{{"type", "BertNormalizer"}};
  CHECK(normalized(bert, "我喜") == " 我  喜 ");
  CHECK(normalized(bert, "ΣΑΣ İ") == "σασ i");
  CHECK(normalized({{"type", "BertNormalizer"}, {"strip_accents", false}}, "É İ") == "é i\u0307");
  CHECK(normalized({{"type", "BertNormalizer"}, {"lowercase", false}}, "É") == "É");
  CHECK(normalized({{"type", "BertNormalizer"}, {"handle_chinese_chars", false}}, "我喜") == "我喜");
}

TEST_CASE("bytes that are not UTF-8 break nothing") {
  CHECK(tokens(word_piece_tokenizer(), "tea \xff\xc3 green\xe4") == Tokens{1, 4});
  CHECK(tokens(word_piece_tokenizer(), std::string_view("tea\0pot", 7)) == Tokens{1, 2});
}

TEST_CASE("normalizers of each kind do what their names say, one after the other") {
  CHECK(normalized(nullptr, "Á") == "Á");
  CHECK(normalized({{"type", "NFKC"}}, "ｆｕｌｌ ①") == "full 1");
  CHECK(normalized({{"type", "NFD"}}, "é") == "e\u0301");
  CHECK(normalized({{"type", "Lowercase"}}, "ÀΣ") == "àσ");
  CHECK(normalized({{"type", "Strip"}, {"strip_left", true}, {"strip_right", true}}, " \u3000a b \n") == "a b");
  CHECK(normalized({{"type", "Strip"}, {"strip_left", true}}, "  ") == "");
  CHECK(normalized({{"type", "Prepend"}, {"prepend", "_"}}, "a") == "_a");
  CHECK(normalized({{"type", "Replace"}, {"pattern", {{"String", "!"}}}, {"content", " ! "}}, "a!!") == "a !  ! ");
  const json sequence{{"type", "Sequence"},
                      {"normalizers", {{{"type", "NFD"}}, {{"type", "StripAccents"}}, {{"type", "Lowercase"}}}}};
  CHECK(normalized(sequence, "ÉÀ") == "ea");
}

TEST_CASE("regular expressions for runs of white space are understood") {
  const auto by = [](const char* pattern, std::string_view text) {
    return normalized({{"type", "Replace"}, {"pattern", {{"Regex", pattern}}}, {"content", "_"}}, text);
  };
  CHECK(by("\\s+", "a \n b c") == "a_b_c");
  CHECK(by("\\s", "a  b") == "a__b");
  CHECK(by(" +", "a  b\n\nc") == "a_b\n\nc");
  CHECK(by(" {2,}", "a b   c") == "a b_c");
  CHECK(fault({{"normalizer", {{"type", "Replace"}, {"pattern", {{"Regex", "[a-z]+"}}}, {"content", ""}}}}) ==
        "has a replacement whose pattern is not known here");
}

TEST_CASE("texts that a normalizer makes ever longer are cut off") {
  const json step{{"type", "Replace"}, {"pattern", {{"String", "a"}}}, {"content", std::string(64, 'a')}};
  CHECK(normalized({{"type", "Sequence"}, {"normalizers", json::array_t(8, step)}}, "aaaa").size() == 1U << 20U);
}

TEST_CASE("texts are cut at spaces, around punctuation, and before the mark of a space") {
  CHECK(pieces(nullptr, "a b") == "a b");
  CHECK(pieces({{"type", "WhitespaceSplit"}}, " it's  a\u3000b ") == "it's|a|b");
  CHECK(pieces({{"type", "BertPreTokenizer"}}, "it's “a+b”") == "it|'|s|“|a|+|b|”");
  const auto metaspace = [](const char* scheme, bool split) -> json {
    return {{"type", "Metaspace"}, {"replacement", "▁"}, {"prepend_scheme", scheme}, {"split", split}};
  };
  CHECK(pieces(metaspace("always", true), "a  b") == "▁a|▁|▁b");
  CHECK(pieces(metaspace("always", true), " a") == "▁a");
  CHECK(pieces(metaspace("never", true), "a b") == "a|▁b");
  CHECK(pieces(metaspace("always", false), "a b") == "▁a▁b");
  CHECK(pieces(metaspace("always", true), "") == "");
  const json words{{"type", "WhitespaceSplit"}};
  CHECK(pieces({{"type", "Sequence"}, {"pretokenizers", {words, metaspace("always", true)}}}, "a b") == "▁a|▁b");
  CHECK(pieces({{"type", "Sequence"}, {"pretokenizers", {words, metaspace("first", true)}}}, "a b") == "▁a|b");
}

TEST_CASE("kinds that are not known are refused by name") {
  json described = word_piece_tokenizer();
  described["model"]["type"] = "BPE";
  CHECK(fault(described) ==
        "has a model of the kind \"BPE\"; only WordPiece and Unigram are known here: choose another model");
  described = word_piece_tokenizer();
  described["normalizer"]["type"] = "ByteLevel";
  CHECK(fault(described) ==
        "has a normalizer of the kind \"ByteLevel\", which is not known here; choose another model");
  described = word_piece_tokenizer();
  described["pre_tokenizer"]["type"] = "ByteLevel";
  CHECK(fault(described) ==
        "has a pre-tokenizer of the kind \"ByteLevel\", which is not known here; choose another model");
}

TEST_CASE("vocabularies that are none are refused") {
  json described = word_piece_tokenizer();
  described["model"]["vocab"]["tea"] = -1;
  CHECK(fault(described) == "has a token without a number");
  described["model"]["vocab"] = json::array();
  CHECK(fault(described) == "has no vocabulary");
  CHECK(fault(unigram_tokenizer({})) == "has no vocabulary");
  CHECK(fault(unigram_tokenizer({{std::string(2000, 'a'), 0}})) == "has tokens that are too long");
  described = unigram_tokenizer({{"a", -1}});
  described["model"]["vocab"][0] = {"a"};
  CHECK(fault(described) == "has a token without a score");
  described = unigram_tokenizer({{"a", -1}});
  described["model"]["unk_id"] = 1U;
  CHECK(fault(described) == "has an unknown token that is none");
}

TEST_CASE("no more tokens are given than asked for, and texts of any length end soon") {
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += "tea teapots ";
  CHECK(tokens(word_piece_tokenizer(), text, 4) == Tokens{1, 1, 2, 3});
  // 512 tokens of 4 characters each are looked at, which is the median of the vocabulary.
  CHECK(tokens(word_piece_tokenizer(), std::string(512 * 4, ' ') + "tea").empty());
  CHECK(tokens(word_piece_tokenizer(), std::string(512 * 4 - 3, ' ') + "teapots") == Tokens{1});
}

}  // namespace
}  // namespace persona
