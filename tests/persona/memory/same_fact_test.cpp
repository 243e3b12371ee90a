#include "persona/memory/same_fact.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <string>

namespace persona {
namespace {

// Both ways round, and with the key that candidates are looked up by.
bool same(std::string_view a, std::string_view b) {
  CHECK(same_fact(a, b) == same_fact(b, a));
  return fact_key(a) == fact_key(b) && same_fact(a, b);
}

TEST_CASE("facts that differ in case, punctuation and spacing are one") {
  CHECK(same("Favourite colour is blue", "favourite  colour is BLUE."));
  CHECK(same("Name: Bob", "name bob!"));
  CHECK(same("Trinkt gern Tee", "trinkt gern Tee…"));
  CHECK(same("喜欢绿茶。", "喜欢绿茶"));
}

TEST_CASE("facts that differ in the order of a list are one, in any of the languages that are spoken here") {
  CHECK(same("Likes tea, coffee and milk.", "likes milk, tea, coffee"));
  CHECK(same("Tea and coffee are favourites", "coffee and tea are favourites"));
  CHECK(same("Likes green tea, black tea", "likes black tea and green tea"));
  CHECK(same("Mag Hunde und Katzen", "mag Katzen und Hunde"));
  CHECK(same("Le gustan perros y gatos", "le gustan gatos y perros"));
  CHECK(same("Aime le thé et le café", "aime le café et le thé"));
}

TEST_CASE("the same words in another order mean something else where they are no list") {
  CHECK_FALSE(same("Bob loves Ann", "Ann loves Bob"));
  CHECK_FALSE(same("Bob loves Ann, Carl", "Ann loves Bob, Carl"));
  CHECK_FALSE(same("Dog bites man and cat", "man bites dog and cat"));
}

TEST_CASE("facts that differ in a word, a number or an accent are two") {
  CHECK_FALSE(same("Likes tea", "Likes coffee"));
  CHECK_FALSE(same("Is 41 years old", "Is 42 years old"));
  CHECK_FALSE(same("Ama a su papá", "Ama a su papa"));
  CHECK_FALSE(same("Likes tea", "Likes tea a lot"));
}

TEST_CASE("signs that say something make two facts") {
  CHECK_FALSE(same("codes in C++", "codes in C#"));
  CHECK_FALSE(same("is at -5 degrees", "is at 5 degrees"));
  CHECK_FALSE(same("costs $5", "costs €5"));
  CHECK_FALSE(same("says a<b", "says a>b"));
  CHECK_FALSE(same("is 50% done", "is 50 done"));
  CHECK_FALSE(same("has 1,000", "has 1.000"));
  CHECK_FALSE(same("is 😀", "is 😡"));
  CHECK(same("Codes in C++ and C#.", "codes in C#, C++"));
  CHECK(same("Likes rock & roll", "likes rock and roll"));
}

TEST_CASE("the order of numbers is what they say") {
  CHECK_FALSE(same("PIN 1, 2, 3, 4", "PIN 4, 3, 2, 1"));
  CHECK_FALSE(same("code 1 2 and 3 4", "code 3 4 and 1 2"));
  CHECK_FALSE(same("phone 555-12, 34", "phone 34, 555-12"));
  CHECK(same("PIN: 1, 2, 3, 4", "pin 1, 2, 3, 4."));
}

TEST_CASE("facts without a word are the same only when they are equal") {
  CHECK(same("😀", "😀"));
  CHECK_FALSE(same("😀", "😢"));
  CHECK_FALSE(same("", "x"));
}

// "word0 word1 ...", with something between the words, either way round.
std::string words(int count, const char* between, bool backwards) {
  std::string text = "Likes";
  for (int i = 0; i < count; ++i) {
    text.append(i == 0 ? " " : between).append("word" + std::to_string(backwards ? count - 1 - i : i));
  }
  return text;
}

TEST_CASE("a list is compared as one up to a length, longer texts word for word") {
  CHECK(same(words(40, ", ", false), words(40, ", ", true)));
  CHECK_FALSE(same(words(100, ", ", false), words(100, ", ", true)));
  CHECK(same(words(100, ", ", false), words(100, " and ", false)));
}

TEST_CASE("however long facts are, comparing them takes no time that anybody would notice") {
  const auto start = std::chrono::steady_clock::now();
  CHECK_FALSE(same(words(2000, " ", false), words(2000, " ", true)));
  CHECK_FALSE(same(words(2000, ", ", false), words(2000, ", ", true)));
  CHECK_FALSE(same(words(60, " ", false) + ", tea", words(60, " ", true) + ", tea"));
  const std::string before = words(29, " ", false), after = words(29, " ", false);
  CHECK_FALSE(same(before + " a, b c " + after, before + " c, a b " + after));
  CHECK(fact_key(std::string(200000, ',') + "tea") == "tea");
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(1));
}

}  // namespace
}  // namespace persona
