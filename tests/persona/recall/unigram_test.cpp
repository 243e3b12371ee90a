#include "persona/recall/unigram.hpp"

#include <doctest/doctest.h>

#include "tests/persona/recall/small_model.hpp"

namespace persona {
namespace {

using nlohmann::json;
using Tokens = std::vector<Token>;

Tokens tokens(const json& model, std::string_view piece) {
  const auto made = Unigram::make(model);
  REQUIRE(made.has_value());
  Tokens into;
  made->encode(piece, into);
  return into;
}

json model_of(const Scores& scores) {
  return unigram_tokenizer(scores)["model"];
}

TEST_CASE("the likeliest tokens are found, not the longest ones") {
  CHECK(tokens(model_of({{"?", 0}, {"tea", -3}, {"pot", -3}, {"teapot", -7}, {"t", -1}}), "teapot") == Tokens{1, 2});
  CHECK(tokens(model_of({{"?", 0}, {"tea", -3}, {"pot", -3}, {"teapot", -5}, {"t", -1}}), "teapot") == Tokens{3});
}

TEST_CASE("of two ways that are as likely, the one whose last token begins first is taken") {
  CHECK(tokens(model_of({{"?", 0}, {"a", -1}, {"b", -1}, {"ab", -2}}), "ab") == Tokens{3});
}

TEST_CASE("characters that are unknown have no token, and those around them keep theirs") {
  const json model = model_of({{"?", 0}, {"茶", -1}, {"tea", -2}});
  CHECK(tokens(model, "tea水茶") == Tokens{2, 1});
  CHECK(tokens(model, "水水") == Tokens{});
  CHECK(tokens(model, "?tea") == Tokens{2});  // the unknown token itself
}

TEST_CASE("unknown characters in a row stand for one, which may be a token as a whole") {
  // The two are 10 below the unlikeliest each; the pair is unlikelier still.
  const json model = model_of({{"a", 0}, {"aa", -5}, {"b", -1}});
  CHECK(tokens(model, "aab") == Tokens{1, 2});
}

TEST_CASE("unknown characters are bytes where the vocabulary has them all") {
  json model = model_of({{"?", 0}, {"a", -1}, {"<0xC3>", -9}, {"<0xA9>", -9}});
  CHECK(tokens(model, "aé") == Tokens{1});
  model["byte_fallback"] = true;
  CHECK(tokens(model, "aé") == Tokens{1, 2, 3});
  CHECK(tokens(model, "aö") == Tokens{1});
}

TEST_CASE("of a token that is listed twice the later one counts") {
  CHECK(tokens(model_of({{"?", 0}, {"a", -1}, {"a", -2}}), "a") == Tokens{2});
}

TEST_CASE("an unknown token is not needed") {
  json model = model_of({{"a", -1}});
  model["unk_id"] = nullptr;
  CHECK(tokens(model, "xax") == Tokens{0});
}

}  // namespace
}  // namespace persona
