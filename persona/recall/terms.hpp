#pragma once
#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "persona/recall/language.hpp"

struct sb_stemmer;

namespace persona {

/// A word of a question, in each of the forms under which an index may hold it.
struct QueryTerm {
  std::string word;                ///< as it was asked: folded, not stemmed
  std::vector<std::string> terms;  ///< one for each language there is to find
};

/// Turns text into terms, which are what an index holds: compatibility forms and letter case folded (Unicode's
/// NFKC_Casefold), irregular forms of a word brought to its base form and all to its stem by the rules of its language,
/// then Latin diacritics removed. Scripts without spaces give pairs of neighbours (Han, kana, hangul) or the words of a
/// dictionary (Thai, Lao, Khmer, Burmese).
///
/// Bytes that are not UTF-8 separate words. Threading: none; each thread has one of its own. Stemmers are made when
/// first needed.
/// Source: ICU; Porter, Snowball: a language for stemming algorithms (2001).
class Terms {
 public:
  Terms();
  ~Terms();

  /// The terms of a text one by one; each holds for the call only.
  void each(std::string_view text, Language language, const std::function<void(std::string_view)>& take);
  [[nodiscard]] std::vector<std::string> of(std::string_view text, Language language);

  /// The terms of a question, each once, without stop words of its language (where all are, they stay), the first
  /// `most`: under the rules of its own language and of each of those `among` which it looks.
  [[nodiscard]] std::vector<QueryTerm> of_query(std::string_view text, Language language, LanguageSet among,
                                                std::size_t most);

 private:
  [[nodiscard]] std::string_view term(std::string_view word, Language language);
  sb_stemmer* stemmer(Language language);

  struct Delete {
    void operator()(sb_stemmer* stemmer) const;
  };
  std::array<std::unique_ptr<sb_stemmer, Delete>, kLanguages> stemmers_;
  std::string normal_;   // the text at hand
  std::string without_;  // the word at hand, without diacritics
};

}  // namespace persona
