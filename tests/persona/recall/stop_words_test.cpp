#include "persona/recall/stop_words.hpp"

#include <doctest/doctest.h>

#include <string>

#include "persona/recall/words.hpp"

namespace persona {
namespace {

// What is left of a query, as recall would leave it.
std::string subject(std::string_view query, std::string_view lang) {
  std::string line;
  for (const std::string& word : words_of(query, Likeness::case_and_diacritics)) {
    if (!is_stop_word(word, lang)) line.append(line.empty() ? "" : " ").append(word);
  }
  return line;
}

TEST_CASE("a stop word is spelt as the tokeniser gives it") {
  for (const std::string_view lang : {"ar", "ca", "da", "de", "en", "es", "fi", "fr", "hu", "it", "ja",
                                      "nb", "nl", "nn", "no", "pt", "ro", "ru", "sv", "tr", "zh"}) {
    CAPTURE(lang);
    CHECK(stop_words(lang).size() >= 40);
    for (const std::string_view word : stop_words(lang)) {
      CAPTURE(word);
      const auto words = words_of(word, Likeness::case_and_diacritics);
      REQUIRE(words.size() == 1);
      CHECK(words.front() == word);
    }
  }
}

TEST_CASE("a question keeps its subject and loses the rest") {
  CHECK(subject("Please tell me, when did Anna go to the dentist?", "en") == "anna go dentist");
  CHECK(subject("What don't I like?", "en") == "like");
  CHECK(subject("Für wen ist der Kuchen?", "de") == "kuchen");
  CHECK(subject("¿Cuándo es el cumpleaños de mi hermana?", "es") == "cumpleanos hermana");
  CHECK(subject("Onde é que eu deixei as chaves?", "pt") == "deixei chaves");
  CHECK(subject("Où est-ce que j'ai garé l'auto ?", "fr") == "gare auto");
  CHECK(subject("Dov'è il mio ombrello?", "it") == "ombrello");
  CHECK(subject("Wanneer heeft de kat gegeten?", "nl") == "kat gegeten");
  CHECK(subject("On són les claus?", "ca") == "claus");
  CHECK(subject("När är tandläkaren?", "sv") == "tandlakaren");
  CHECK(subject("Hvornår er tandlægen?", "da") == "tandlægen");
  CHECK(subject("Når er tannlegen?", "nb") == "tannlegen");
  CHECK(subject("Milloin minulla on hammaslääkäri?", "fi") == "hammaslaakari");
  CHECK(subject("Mikor van a fogorvos?", "hu") == "fogorvos");
  CHECK(subject("Când este dentistul?", "ro") == "dentistul");
  CHECK(subject("Когда у меня стоматолог?", "ru") == "стоматолог");
  CHECK(subject("Dişçi ne kadar?", "tr") == "disci");
  CHECK(subject("متى موعد طبيب الأسنان؟", "ar") == "موعد طبيب الأسنان");
}

TEST_CASE("pairs that are only grammar are stop words where words are not separated") {
  CHECK(is_stop_word("です", "ja"));
  CHECK(is_stop_word("いつ", "ja"));
  CHECK_FALSE(is_stop_word("歯医", "ja"));
  CHECK(is_stop_word("什么", "zh"));
  CHECK(is_stop_word("什麼", "zh"));
  CHECK_FALSE(is_stop_word("牙医", "zh"));
}

TEST_CASE("a word that is often a thing, a month or a name is kept") {
  struct Kept {
    std::string_view word;
    std::string_view lang;
  };
  for (const Kept& kept : {
           Kept{"may", "en"},  Kept{"march", "en"}, Kept{"won", "en"}, Kept{"te", "es"},  // té
           Kept{"te", "it"},                                                              // tè
           Kept{"sei", "it"},                                                             // six
           Kept{"ete", "fr"},                                                             // été
           Kept{"mais", "fr"},                                                            // maïs
           Kept{"mes", "ca"},                                                             // month
           Kept{"mai", "ro"},                                                             // May
           Kept{"pelo", "pt"},                                                            // hair
           Kept{"haar", "nl"},                                                            // hair
           Kept{"ben", "nl"},                                                             // a name
           Kept{"hans", "da"},                                                            // a name
           Kept{"mika", "fi"},                                                            // a name
           Kept{"far", "sv"},                                                             // father
           Kept{"have", "da"},                                                            // garden
           Kept{"hatt", "no"},                                                            // hat
           Kept{"voi", "fi"},                                                             // butter
           Kept{"ot", "hu"},                                                              // öt
           Kept{"su", "tr"},                                                              // water
           Kept{"أم", "ar"},                                                              // mother
       }) {
    CAPTURE(kept.word);
    CAPTURE(kept.lang);
    CHECK_FALSE(stop_words(kept.lang).empty());
    CHECK_FALSE(is_stop_word(kept.word, kept.lang));
  }
}

TEST_CASE("a stop word of one language is a word of another, and a language not known has none") {
  CHECK(is_stop_word("was", "en"));
  CHECK(is_stop_word("was", "de"));
  CHECK(is_stop_word("die", "de"));
  CHECK_FALSE(is_stop_word("die", "en"));
  CHECK_FALSE(is_stop_word("the", "de"));
  CHECK(stop_words("xx").empty());
  CHECK_FALSE(is_stop_word("the", "xx"));
  CHECK_FALSE(is_stop_word("the", ""));
  CHECK_FALSE(is_stop_word("", "en"));
}

}  // namespace
}  // namespace persona
