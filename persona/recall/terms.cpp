#include "persona/recall/terms.hpp"

#include <libstemmer.h>
#include <unicode/bytestream.h>
#include <unicode/normalizer2.h>

#include <algorithm>

#include "persona/recall/stop_words.hpp"
#include "persona/recall/word_forms.hpp"
#include "persona/recall/words.hpp"

namespace persona {
namespace {

constexpr std::size_t kLongestWord = 64;  // bytes; of a longer one this much counts

bool is_ascii(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

void normalise(std::string_view text, std::string& to) {
  to.clear();
  UErrorCode error = U_ZERO_ERROR;
  const icu::Normalizer2* folding = icu::Normalizer2::getNFKCCasefoldInstance(error);
  if (U_SUCCESS(error)) {
    icu::StringByteSink<std::string> sink(&to);
    folding->normalizeUTF8(0, icu::StringPiece(text.data(), static_cast<std::int32_t>(text.size())), sink, nullptr,
                           error);
  }
  if (U_FAILURE(error)) to.assign(text);
}

// Never through the middle of a character.
std::string_view cut(std::string_view word) {
  if (word.size() <= kLongestWord) return word;
  std::size_t end = kLongestWord;
  while (end > 0 && (static_cast<unsigned char>(word[end]) & 0xc0) == 0x80) --end;
  return word.substr(0, end);
}

}  // namespace

void Terms::Delete::operator()(sb_stemmer* stemmer) const {
  sb_stemmer_delete(stemmer);
}

Terms::Terms() = default;

Terms::~Terms() = default;

sb_stemmer* Terms::stemmer(Language language) {
  auto& kept = stemmers_[static_cast<std::size_t>(language)];
  if (!kept && language != Language::none) kept.reset(sb_stemmer_new(stemmer_name(language), "UTF_8"));
  return kept.get();
}

std::string_view Terms::term(std::string_view word, Language language) {
  word = base_form(cut(word), language);
  if (sb_stemmer* stems = stemmer(language)) {
    const auto* symbols = reinterpret_cast<const sb_symbol*>(word.data());
    if (const sb_symbol* stem = sb_stemmer_stem(stems, symbols, static_cast<int>(word.size()))) {
      word = {reinterpret_cast<const char*>(stem), static_cast<std::size_t>(sb_stemmer_length(stems))};
    }
  }
  if (is_ascii(word)) return word;
  without_diacritics(word, without_);
  return without_;
}

void Terms::each(std::string_view text, Language language, const std::function<void(std::string_view)>& take) {
  if (!is_ascii(text)) {
    normalise(text, normal_);
    text = normal_;
  }
  each_word(text, Likeness::letter_case, [&](std::string_view word) {
    const std::string_view one = term(word, language);
    if (!one.empty()) take(one);
  });
}

std::vector<std::string> Terms::of(std::string_view text, Language language) {
  std::vector<std::string> terms;
  each(text, language, [&terms](std::string_view term) { terms.emplace_back(term); });
  return terms;
}

std::vector<QueryTerm> Terms::of_query(std::string_view text, Language language, LanguageSet among, std::size_t most) {
  std::vector<QueryTerm> meant;
  std::vector<QueryTerm> stop_words;
  among.add(language);
  std::string normal;
  if (!is_ascii(text)) {
    normalise(text, normal);
    text = normal;
  }
  each_word(text, Likeness::letter_case, [&](std::string_view word) {
    QueryTerm query;
    without_diacritics(word, query.word);
    auto& list = is_stop_word(query.word, code(language)) ? stop_words : meant;
    if (list.size() >= most || std::ranges::find(list, query.word, &QueryTerm::word) != list.end()) return;
    for (std::size_t i = 0; i < kLanguages; ++i) {
      if (!among.has(Language{static_cast<std::uint8_t>(i)})) continue;
      std::string one(term(word, Language{static_cast<std::uint8_t>(i)}));
      if (!one.empty() && std::ranges::find(query.terms, one) == query.terms.end())
        query.terms.push_back(std::move(one));
    }
    list.push_back(std::move(query));
  });
  return meant.empty() ? stop_words : meant;
}

}  // namespace persona
