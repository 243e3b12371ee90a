#include "persona/recall/words.hpp"

#include <doctest/doctest.h>

namespace persona {
namespace {

std::string words(std::string_view text, Likeness likeness = Likeness::case_and_diacritics) {
  std::string line;
  for (const std::string& word : words_of(text, likeness)) line.append(line.empty() ? "" : " ").append(word);
  return line;
}

TEST_CASE("words are runs of letters and digits, whatever is between them") {
  CHECK(words("Turn on the lamp, please! (room_2)") == "turn on the lamp please room 2");
  CHECK(words("") == "");
  CHECK(words(" .,-!? ") == "");
}

TEST_CASE("words are one in any case, and Latin ones without their diacritics too") {
  CHECK(words("CAFÉ Straße Ångström") == "cafe straße angstrom");
  CHECK(words("CAFÉ", Likeness::letter_case) == "café");
  CHECK(words("ПРИВЕТ Ёлка") == "привет ёлка");
  CHECK(words("ΑΘΗΝΑ") == "αθηνα");
}

TEST_CASE("a letter with a combining mark is one letter") {
  CHECK(words("cafe\u0301s") == "cafes");
  CHECK(words("cafe\u0301s", Likeness::letter_case) == "cafe\u0301s");
}

TEST_CASE("scripts without spaces give pairs of neighbours, and a single character itself") {
  CHECK(words("我喜欢绿茶") == "我喜 喜欢 欢绿 绿茶");
  CHECK(words("お茶。水") == "お 茶 水");
  CHECK(words("猫が庭で寝ています") == "猫 が 庭 で 寝 てい いま ます");
  CHECK(words("コーヒー") == "コー ーヒ ヒー");
  CHECK(words("한국어 mp3") == "한국 국어 mp3");
}

TEST_CASE("bytes that are not UTF-8 separate words and break nothing") {
  CHECK(words("a\xff"
              "b\xc3") == "a b");
  CHECK(words(std::string_view("a\0b", 3)) == "a b");
}

TEST_CASE("Thai is separated by a dictionary") {
  const std::string thai = words("ฉันชอบชาเขียว");
  CHECK(thai.find(' ') != std::string::npos);
  CHECK(thai.find("ชอบ") != std::string::npos);
}

TEST_CASE("words that are to go leave a text, with the 's of a name, and nothing else does") {
  const auto without = [](std::string_view text) {
    return without_words(text, [](std::string_view word) { return word == "zoe" || word == "anna"; });
  };
  CHECK(without("What is Zoë's dog called, Anna?") == "What is  dog called, ?");
  CHECK(without("ANNA\u2019s and Annabel's") == " and Annabel's");
  CHECK(without("安娜 zoe\xff!") == "安娜 \xff!");
  CHECK(without("") == "");
}

TEST_CASE("a text has a word when it has a letter or a digit") {
  CHECK(has_word("- 7"));
  CHECK(has_word("茶"));
  CHECK_FALSE(has_word("!? 😀"));
  CHECK_FALSE(has_word(""));
}

}  // namespace
}  // namespace persona
