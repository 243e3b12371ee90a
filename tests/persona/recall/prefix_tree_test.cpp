#include "persona/recall/prefix_tree.hpp"

#include <doctest/doctest.h>

#include <map>
#include <random>
#include <string>

namespace persona {
namespace {

TEST_CASE("words are found, and beginnings of words are not") {
  const std::vector<std::string_view> words{"tea", "teapot", "", "茶"};
  const PrefixTree tree(words);
  CHECK(tree.find("tea") == 0);
  CHECK(tree.find("teapot") == 1);
  CHECK(tree.find("") == 2);
  CHECK(tree.find("茶") == 3);
  CHECK(tree.find("te") == PrefixTree::kNoWord);
  CHECK(tree.find("teapots") == PrefixTree::kNoWord);
  CHECK(PrefixTree().find("") == PrefixTree::kNoWord);
}

TEST_CASE("words that begin as others do are found like in a map, whatever their bytes") {
  std::mt19937 random(71);
  std::vector<std::string> words(500);
  std::map<std::string, std::uint32_t, std::less<>> expected;
  for (std::uint32_t i = 0; i < words.size(); ++i) {
    for (std::size_t left = random() % 5; left > 0; --left) words[i] += "\x01g\x80\xff"[random() % 4];
    expected[words[i]] = i;  // the later of two counts
  }
  const PrefixTree tree(std::vector<std::string_view>(words.begin(), words.end()));
  for (const auto& [word, number] : expected) CHECK(tree.find(word) == number);
  CHECK(tree.find("gx") == PrefixTree::kNoWord);
}

TEST_CASE("words beyond what vocabularies have are not held") {
  const std::string long_word(PrefixTree::kLongestWord + 1, 'a');
  CHECK_FALSE(PrefixTree::can_hold(std::vector<std::string_view>{long_word}));
  CHECK(PrefixTree::can_hold(std::vector<std::string_view>{std::string_view(long_word).substr(1)}));
  const std::vector<std::string_view> many(PrefixTree::kMostBytes / 1000, std::string_view(long_word).substr(1));
  CHECK_FALSE(PrefixTree::can_hold(many));
}

}  // namespace
}  // namespace persona
