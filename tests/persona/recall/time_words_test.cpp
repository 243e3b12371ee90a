#include "persona/recall/time_words.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <limits>

#include "persona/recall/words.hpp"

namespace persona {
namespace {

std::vector<std::string> folded(std::string_view text) {
  return words_of(text, Likeness::case_and_diacritics);
}

// What of a text says a time or a number.
std::string said(std::string_view text, Language language, bool (*says)(std::string_view, Language) noexcept) {
  std::string line;
  for (const std::string& word : folded(text)) {
    if (says(word, language)) line.append(line.empty() ? "" : " ").append(word);
  }
  return line;
}

bool asks_when(std::string_view question, Language language) {
  return asks_for_a_time(folded(question), language);
}

bool asks_how_many(std::string_view question, Language language) {
  return asks_for_a_number(folded(question), language);
}

std::string date(double timestamp, Language language) {
  std::string line;
  for (const std::string& word : date_words(timestamp, language)) line.append(line.empty() ? "" : " ").append(word);
  return line;
}

constexpr double kSunday = 1683460800;  // 2023-05-07 12:00 UTC

TEST_CASE("words for times are told from others") {
  CHECK(said("We met last Monday in May 2022, two years ago", Language::english, says_a_time) ==
        "last monday may 2022 years ago");
  CHECK(said("on the 7th of house 12345 th", Language::english, says_a_time) == "7th");
  CHECK(said("Vorgestern im März, nächste Woche", Language::german, says_a_time) == "vorgestern marz nachste woche");
  CHECK(said("Anteayer, hace un año", Language::spanish, says_a_time) == "anteayer hace ano");
  CHECK(said("Amanhã, terça", Language::portuguese, says_a_time) == "amanha terca");
  CHECK(said("Hier, aujourd'hui, en août", Language::french, says_a_time) == "hier aujourd aout");
  CHECK(said("J'ai été malade", Language::french, says_a_time) == "");
  CHECK(said("lunedì scorso", Language::italian, says_a_time) == "lunedi scorso");
  CHECK(said("afgelopen zaterdag", Language::dutch, says_a_time) == "afgelopen zaterdag");
  CHECK(said("Вчера, в мае", Language::russian, says_a_time) == "вчера мае");
  CHECK(said("أمس في مايو", Language::arabic, says_a_time) == "أمس مايو");
  CHECK(said("Dün, mayıs", Language::turkish, says_a_time) == "dun mayıs");
  CHECK(said("昨天去了", Language::none, says_a_time) == "昨天");
  CHECK(said("昨日、5月7日", Language::none, says_a_time) == "昨日 月 日");
  CHECK(said("어제 갔다", Language::none, says_a_time) == "어제");
}

TEST_CASE("words for numbers are told from others, and a figure is one in any language") {
  CHECK(said("I have seven dozen eggs and 12 hens", Language::english, says_a_number) == "seven dozen 12");
  CHECK(said("Fünf Äpfel und ein Paar", Language::german, says_a_number) == "funf paar");
  CHECK(said("7 7th x7", Language::finnish, says_a_number) == "7");
  CHECK(said("三个苹果", Language::none, says_a_number) == "三个");
  CHECK_FALSE(says_a_number("", Language::english));
  CHECK_FALSE(says_a_time("2122", Language::english));
}

TEST_CASE("a question for a time is known in each language") {
  CHECK(asks_when("When did Anna move?", Language::english));
  CHECK(asks_when("And since when?", Language::english));
  CHECK(asks_when("In which year did we marry?", Language::english));
  CHECK(asks_when("How long ago was it?", Language::english));
  CHECK(asks_when("Weißt du noch, wann ich dort war?", Language::german));
  CHECK(asks_when("In welchem Jahr war das?", Language::german));
  CHECK(asks_when("¿Desde cuándo vives aquí?", Language::spanish));
  CHECK(asks_when("¿Qué día fue?", Language::spanish));
  CHECK(asks_when("Quando é a festa?", Language::portuguese));
  CHECK(asks_when("Quand est-ce que tu pars ?", Language::french));
  CHECK(asks_when("Quando parti?", Language::italian));
  CHECK(asks_when("Hoe laat komt ze?", Language::dutch));
  CHECK(asks_when("Quan ve?", Language::catalan));
  CHECK(asks_when("Hvornår kommer han?", Language::danish));
  CHECK(asks_when("Når kommer han?", Language::norwegian));
  CHECK(asks_when("När kommer han?", Language::swedish));
  CHECK(asks_when("Când vine?", Language::romanian));
  CHECK(asks_when("Когда он придёт?", Language::russian));
  CHECK(asks_when("Ne zaman geldi?", Language::turkish));
  CHECK(asks_when("متى ذهبت؟", Language::arabic));
  CHECK(asks_when("你什么时候去的", Language::none));
  CHECK(asks_when("いつ行きましたか", Language::none));
  CHECK(asks_when("언제 갔어요", Language::none));
}

TEST_CASE("a when that joins sentences asks for no time, nor does a language without a list") {
  CHECK_FALSE(asks_when("What did she say when I came home?", Language::english));
  CHECK_FALSE(asks_when("¿Qué dijo Ana cuando llegué?", Language::spanish));
  CHECK_FALSE(asks_when("Where is the key?", Language::english));
  CHECK_FALSE(asks_when("Wo ist der Schlüssel?", Language::german));
  CHECK_FALSE(asks_when("When did Anna move?", Language::hindi));
  CHECK_FALSE(asks_when("", Language::english));
  CHECK_FALSE(asks_when("How", Language::english));  // a phrase that is not whole
}

TEST_CASE("a question for a number is known in each language") {
  CHECK(asks_how_many("How many eggs are left?", Language::english));
  CHECK(asks_how_many("Wie viele Eier?", Language::german));
  CHECK(asks_how_many("Wie alt ist sie?", Language::german));
  CHECK(asks_how_many("¿Cuántos huevos?", Language::spanish));
  CHECK(asks_how_many("Quantas vezes?", Language::portuguese));
  CHECK(asks_how_many("Quel âge as-tu ?", Language::french));
  CHECK(asks_how_many("Quanti anni hai?", Language::italian));
  CHECK(asks_how_many("Hoeveel eieren?", Language::dutch));
  CHECK(asks_how_many("Сколько яиц?", Language::russian));
  CHECK(asks_how_many("كم بيضة؟", Language::arabic));
  CHECK(asks_how_many("有多少个", Language::none));
  CHECK_FALSE(asks_how_many("How are you?", Language::english));
  CHECK_FALSE(asks_how_many("Wie heißt sie?", Language::german));
}

TEST_CASE("a moment has the words of its date in a language") {
  CHECK(date(kSunday, Language::english) == "7 may 2023 sunday 7th");
  CHECK(date(kSunday, Language::german) == "7 mai 2023 sonntag");
  CHECK(date(kSunday - 86400 * 60.0, Language::german) == "8 marz 2023 mittwoch");
  CHECK(date(kSunday, Language::spanish) == "7 mayo 2023 domingo");
  CHECK(date(kSunday + 86400, Language::portuguese) == "8 maio 2023 segunda");
  CHECK(date(kSunday, Language::russian) == "7 мая май 2023 воскресенье");
  CHECK(date(kSunday, Language::catalan) == "7 maig 2023 diumenge");
  CHECK(date(kSunday, Language::arabic) == "7 مايو 2023 الأحد");
  CHECK(date(kSunday, Language::irish) == "7 bealtaine 2023 domhnaigh");
}

TEST_CASE("a date as Chinese, Japanese or Korean write it has words of its moment") {
  const auto words = date_words(kSunday, Language::none);
  for (const std::string_view text : {"2023", "5", "7", "五月", "期日", "日曜", "일요"}) {
    CAPTURE(text);
    CHECK(std::ranges::find(words, text) != words.end());
  }
  CHECK(std::ranges::find(words, "月") == words.end());  // every date has one
  CHECK(date(kSunday - 86400 * 120.0, Language::none).find("一月") != std::string::npos);
  CHECK(date(kSunday + 86400 * 200.0, Language::none).find("一月") == std::string::npos);  // of 十一月
}

TEST_CASE("English days have their ordinal") {
  const double first = kSunday - 86400 * 6.0;
  for (const auto& [day, word] : {std::pair{1, "1st"},
                                  {2, "2nd"},
                                  {3, "3rd"},
                                  {4, "4th"},
                                  {11, "11th"},
                                  {12, "12th"},
                                  {13, "13th"},
                                  {20, "20th"},
                                  {21, "21st"},
                                  {22, "22nd"},
                                  {23, "23rd"},
                                  {31, "31st"}}) {
    CAPTURE(day);
    CHECK(date_words(first + 86400.0 * (day - 1), Language::english).back() == word);
  }
}

TEST_CASE("a date is that of UTC, also before 1970, and no time has none") {
  CHECK(date(0, Language::english) == "1 january 1970 thursday 1st");
  CHECK(date(-0.5, Language::english) == "31 december 1969 wednesday 31st");
  CHECK(date_words(std::numeric_limits<double>::quiet_NaN(), Language::english).empty());
  CHECK(date_words(std::numeric_limits<double>::infinity(), Language::english).empty());
  CHECK(date_words(1e300, Language::english).empty());
  CHECK(date_words(-1e300, Language::english).empty());
}

TEST_CASE("what a date is called in its language says a time there") {
  for (const Language language :
       {Language::arabic, Language::catalan, Language::danish, Language::dutch, Language::english, Language::french,
        Language::german, Language::italian, Language::norwegian, Language::portuguese, Language::russian,
        Language::spanish, Language::swedish, Language::turkish}) {
    for (int day = 0; day < 366; ++day) {
      for (const std::string& word : date_words(kSunday + 86400.0 * day, language)) {
        CAPTURE(word);
        CAPTURE(code(language));
        const bool is_day = word.size() <= 2 && says_a_number(word, language);
        CHECK((is_day || says_a_time(word, language)));
      }
    }
  }
}

}  // namespace
}  // namespace persona
