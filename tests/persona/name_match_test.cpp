#include "persona/name_match.hpp"

#include <doctest/doctest.h>

#include <random>

#include "persona/utf8.hpp"

namespace persona {
namespace {

using Names = std::vector<std::string>;

TEST_CASE("case is folded in the alphabets of Europe, other letters stay as they are") {
  CHECK(folded_case("ADA Lovelace 9") == "ada lovelace 9");
  CHECK(folded_case("ÄÖÜ ÉÈ Ÿ × ß") == "äöü éè ÿ × ß");
  CHECK(folded_case("ĄŁŽŠČĞ ĲŊ ŽŐ") == "ąłžščğ ĳŋ žő");
  CHECK(folded_case("ΆΈΉΊΌΎΏ ΣΟΦΟΣ σοφος") == "άέήίόύώ σοφοσ σοφοσ");
  CHECK(folded_case("ЖЁЂ Ґ Җ") == "жёђ ґ җ");
  CHECK(folded_case("日本 שלום") == "日本 שלום");
}

TEST_CASE("bytes that are not UTF-8 are taken one by one and never throw") {
  CHECK(folded_case("A\xff\xc3") == "a\uFFFD\uFFFD");
  CHECK(code_points("\xed\xa0\x80").size() == 3);  // a surrogate
  CHECK(code_points("\xc0\xaf").size() == 2);      // overlong
  CHECK_FALSE(is_utf8("\xf4\x90\x80\x80"));        // above the last code point
  CHECK(is_utf8("h\u00e9 \U0001F600"));
  std::mt19937 random(3);
  for (int round = 0; round < 2000; ++round) {
    std::string junk(random() % 12, '\0');
    for (char& byte : junk) byte = static_cast<char>(random());
    CHECK(is_utf8(folded_case(junk)));
  }
}

TEST_CASE("similarity counts code points: insertions, deletions, substitutions and swapped neighbours") {
  CHECK(similarity("", "") == 1);
  CHECK(similarity("", "abc") == 0);
  CHECK(similarity("Ada", "ADA") == 1);
  CHECK(similarity("abcd", "abdc") == doctest::Approx(0.75));
  CHECK(similarity("abcd", "abcde") == doctest::Approx(0.8));
  CHECK(similarity("ca", "abc") == 0);  // no part is edited twice
  CHECK(similarity("zoë", "zoe") == doctest::Approx(2.0 / 3));
  CHECK(similarity(std::string(300, 'a'), std::string(300, 'a')) == 1);
  CHECK(similarity(std::string(300, 'a'), std::string(299, 'a')) == 0);
}

TEST_CASE("an exact match ignores case and has to be the only one") {
  CHECK(match_exact("ada", {"Ada", "Bob"}).name == "Ada");
  CHECK(match_exact("Ada", {"ada", "Ada"}).name == "Ada");
  const NameMatch tie = match_exact("ADA", {"ada", "Ada", "Bob"});
  CHECK(tie.name.empty());
  CHECK(tie.candidates == Names{"ada", "Ada"});
  const NameMatch none = match_exact("Adda", {"Bob", "Ada", "Adam"});
  CHECK(none.name.empty());
  CHECK(none.candidates == Names{"Ada", "Adam"});
}

TEST_CASE("a fuzzy match is the nearest that is near enough, and a tie is none") {
  CHECK(match_fuzzy("granma", {"Grandma", "Pirate"}).name == "Grandma");
  CHECK(match_fuzzy("abcdefgxyz", {"abcdefghij"}).name == "abcdefghij");
  CHECK(match_fuzzy("abcdefwxyz", {"abcdefghij"}).name.empty());
  const NameMatch tie = match_fuzzy("jane", {"jana", "jan", "juna", "june"});
  CHECK(tie.name.empty());
  CHECK(tie.candidates.size() == 4);
  CHECK(tie.candidates[0] == "jana");
  CHECK(match_fuzzy("", {"Ada"}).name.empty());
  CHECK(match_fuzzy("Ada", {}).name.empty());
}

TEST_CASE("at most five candidates are named, best first") {
  const NameMatch match =
      match_fuzzy("persona", {"person 1", "person 2", "person 3", "person 4", "person 5", "persone", "personb"});
  CHECK(match.name.empty());
  CHECK(match.candidates.size() == 5);
  CHECK(match.candidates[0] == "persone");
}

}  // namespace
}  // namespace persona
