#include "persona/recall/word_forms.hpp"

#include <doctest/doctest.h>

#include <string>

#include "persona/recall/words.hpp"

namespace persona {
namespace {

// The bases of the words of a text.
std::string bases(std::string_view text, Language language) {
  std::string line;
  each_word(text, Likeness::letter_case,
            [&](std::string_view word) { line.append(line.empty() ? "" : " ").append(base_form(word, language)); });
  return line;
}

TEST_CASE("an irregular form comes to its base, and what is regular stays for the stemmer") {
  CHECK(bases("Went gone going goes", Language::english) == "go go going goes");
  CHECK(bases("the children took their feet", Language::english) == "the child take their foot");
  CHECK(bases("she left better mice", Language::english) == "she leave good mouse");
  CHECK(bases("ging gegangen, aß gegessen", Language::german) == "gehen gehen essen essen");
  CHECK(bases("dijo hizo tuvo puso quiso supo pude", Language::spanish) == "decir hacer tuvo poner querer saber poder");
  CHECK(bases("fui fue fueron", Language::spanish) == "ir ir ir");
  CHECK(bases("trouxe fiz viu cães", Language::portuguese) == "trazer fazer ver cão");
  CHECK(bases("pris vu vécu yeux", Language::french) == "prendre voir vivre œil");
  CHECK(bases("scritto andò vado uomini", Language::italian) == "scrivere andò andare uomo");
  CHECK(bases("kocht gekocht liep gemaakt", Language::dutch) == "kopen kopen lopen maken");
}

TEST_CASE("a form with ß is found with the ss to which it folds too") {
  CHECK(base_form("aß", Language::german) == "essen");
  CHECK(base_form("ass", Language::german) == "essen");
  CHECK(base_form("ließen", Language::german) == "lassen");
  CHECK(base_form("liessen", Language::german) == "lassen");
  CHECK(base_form("heißt", Language::german) == "heißt");  // folds before it is looked up
  CHECK(base_form("heisst", Language::german) == "heissen");
}

TEST_CASE("common German verbs are brought to their infinitive from all that the stemmer leaves") {
  CHECK(bases("macht machst machte machten machtest gemacht", Language::german) ==
        "machen machen machen machen machen machen");
  CHECK(bases("arbeitet arbeitete gearbeitet", Language::german) == "arbeiten arbeiten arbeiten");
  CHECK(bases("regnet geregnet öffnet zeichnete", Language::german) == "regnen regnen öffnen zeichnen");
  CHECK(bases("bezahlt erzählte telefoniert besucht", Language::german) == "bezahlen erzählen telefonieren besuchen");
  CHECK(bases("sammelt gesammelt erinnerte", Language::german) == "sammeln sammeln erinnern");
  CHECK(bases("geht kommst schreibt fährt", Language::german) == "gehen kommen schreiben fahren");
  CHECK(bases("eingekauft aufgestanden", Language::german) == "einkaufen aufstehen");
}

TEST_CASE("a German noun that ends like a verb is no verb") {
  for (const std::string_view noun : {"planet", "arbeit", "zelt", "test", "angst", "kunst", "karte", "garten", "gebet",
                                      "gesicht", "rente", "liste", "nacht", "welt", "t", "te", "get", "ge"}) {
    CAPTURE(noun);
    CHECK(base_form(noun, Language::german) == noun);
  }
}

TEST_CASE("a form that is more often another word is left alone") {
  CHECK(bases("a bit lives wound", Language::english) == "a bit lives wound");
  CHECK(bases("vino traje", Language::spanish) == "vino traje");
  CHECK(bases("bois lit part", Language::french) == "bois lit part");
  CHECK(bases("letto successo", Language::italian) == "letto successo");
  CHECK(bases("Last Schloss weiß", Language::german) == "last schloss weiß");
  CHECK(bases("rook meer", Language::dutch) == "rook meer");
}

TEST_CASE("a form of one language is a word of another, and no word is a form in a language without a list") {
  CHECK(base_form("went", Language::german) == "went");
  CHECK(base_form("fue", Language::english) == "fue");
  CHECK(base_form("went", Language::none) == "went");
  CHECK(base_form("went", Language::russian) == "went");
  CHECK(base_form("", Language::english).empty());
  CHECK(base_form("", Language::german).empty());
}

TEST_CASE("bytes that are not UTF-8 come back as they are") {
  CHECK(base_form("\xff\xc3t", Language::german) == "\xff\xc3t");
}

}  // namespace
}  // namespace persona
