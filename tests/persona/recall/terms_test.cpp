#include "persona/recall/terms.hpp"

#include <doctest/doctest.h>

#include "persona/recall/indexed_text.hpp"

namespace persona {
namespace {

std::string joined(const std::vector<std::string>& terms) {
  std::string text;
  for (const std::string& term : terms) text += (text.empty() ? "" : " ") + term;
  return text;
}

std::string terms(std::string_view text, std::string_view lang) {
  return joined(Terms().of(text, language_of(lang)));
}

std::string query(std::string_view text, std::string_view lang, LanguageSet among = {}) {
  std::string all;
  for (const QueryTerm& term : Terms().of_query(text, language_of(lang), among, 32)) {
    all += (all.empty() ? "" : " ") + term.word + "=" + joined(term.terms);
  }
  return all;
}

TEST_CASE("a word is brought to its stem by the rules of its language") {
  CHECK(terms("The dogs were running", "en-US") == "the dog were run");
  CHECK(terms("Häuser und Hunde", "de-DE") == "haus und hund");
  CHECK(terms("las canciones", "es") == terms("las canción", "es"));
  CHECK(terms("running", "xx") == "running");
}

TEST_CASE("irregular forms are those of their base") {
  CHECK(terms("went bought children", "en") == terms("go buy child", "en"));
  CHECK(terms("gegessen", "de") == terms("essen", "de"));
}

TEST_CASE("letter case, width, ligatures and Latin diacritics make no other term") {
  CHECK(terms("ＣＡＦÉ ﬁne", "xx") == "cafe fine");
  CHECK(terms("Straße", "de") == terms("STRASSE", "de"));
  CHECK(terms("cafe\u0301", "xx") == "cafe");
}

TEST_CASE("any bytes give terms, and long words are cut between characters") {
  CHECK(terms("tea\xff\xfe"
              "pot",
              "en") == "tea pot");
  std::string ended;
  for (int i = 0; i < 100; ++i) ended += "é";
  CHECK(terms(ended, "xx").size() == 32);
}

TEST_CASE("a question loses its stop words, each of its words comes once, and one of stop words keeps them") {
  CHECK(query("What is the name of the dog? The dog!", "en") == "name=name dog=dog");
  CHECK(query("what is it", "en") == "what=what is=is it=it");
  CHECK(query("", "en").empty());
}

TEST_CASE("a question's words are looked for under the rules of the languages of its scope too") {
  LanguageSet among;
  among.add(Language::english);
  CHECK(query("Welche running shoes", "de", among) == "running=run running shoes=shoe shoes");
}

TEST_CASE("a caption is what stands behind a label in brackets at the end") {
  CHECK(captioned("Look! [shares a picture: a red door]").caption == "a red door");
  CHECK(captioned("Look! [shares a picture: a red door]").text == "Look! ");
  CHECK(captioned("[sic] and so on").caption.empty());
  CHECK(captioned("so on [sic]").caption.empty());
  CHECK(captioned("]").caption.empty());
}

TEST_CASE("a turn is indexed with how often it says a term, and where") {
  Turn turn;
  turn.content = "tea, more tea [shares a picture: tea and cake]";
  turn.name = "Tea Lady";
  turn.lang = "en";
  Terms rules;
  const IndexedText text = indexed_text(rules, turn, 100);
  CHECK(text.length == 3);
  for (const auto& [term, frequency] : text.terms) {
    if (term == "tea") CHECK(frequency == Frequency{2, true, true});
    if (term == "cake") CHECK(frequency == Frequency{0, true, false});
    if (term == "more") CHECK(frequency == Frequency{1, false, false});
  }
  CHECK(text.terms.size() == 5);
  CHECK(indexed_text(rules, turn, 2).length == 2);
}

}  // namespace
}  // namespace persona
