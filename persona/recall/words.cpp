#include "persona/recall/words.hpp"

#include <unicode/ubrk.h>
#include <unicode/uchar.h>
#include <unicode/unorm2.h>
#include <unicode/uscript.h>
#include <unicode/utf16.h>

#include <array>
#include <memory>
#include <optional>

#include "persona/utf8.hpp"

namespace persona {
namespace {

bool between(char32_t point, char32_t first, char32_t last) {
  return point >= first && point <= last;
}

UChar32 as_icu(char32_t point) {
  return static_cast<UChar32>(point);
}

bool is_letter_or_digit(char32_t point) {
  return u_isalnum(as_icu(point)) != 0;
}

bool is_mark(char32_t point) {
  return (U_GET_GC_MASK(as_icu(point)) & U_GC_M_MASK) != 0;
}

// Scripts that put no spaces between words; `none` for all others.
enum class Unspaced : std::uint8_t { none, han, hiragana, katakana, hangul };

Unspaced unspaced_script(char32_t point) {
  if (point < 0x2e80) return Unspaced::none;
  if (point == 0x30fc) return Unspaced::katakana;  // the mark of a long vowel, which is of no one script
  UErrorCode error = U_ZERO_ERROR;
  switch (uscript_getScript(as_icu(point), &error)) {
    case USCRIPT_HAN:
      return Unspaced::han;
    case USCRIPT_HIRAGANA:
      return Unspaced::hiragana;
    case USCRIPT_KATAKANA:
      return Unspaced::katakana;
    case USCRIPT_HANGUL:
      return Unspaced::hangul;
    default:
      return Unspaced::none;
  }
}

// Scripts whose words only a dictionary tells apart.
bool needs_dictionary(char32_t point) {
  return point >= 0xe00 && u_getIntPropertyValue(as_icu(point), UCHAR_LINE_BREAK) == U_LB_COMPLEX_CONTEXT;
}

struct CloseIterator {
  void operator()(UBreakIterator* iterator) const { ubrk_close(iterator); }
};

// Where the words of a run of such a script end; the whole run where ICU has no dictionary for it.
std::vector<std::int32_t> word_ends(const std::u16string& run) {
  static thread_local const std::unique_ptr<UBreakIterator, CloseIterator> iterator = [] {
    UErrorCode error = U_ZERO_ERROR;
    return std::unique_ptr<UBreakIterator, CloseIterator>(ubrk_open(UBRK_WORD, "th", nullptr, 0, &error));
  }();
  const auto length = static_cast<std::int32_t>(run.size());
  std::vector<std::int32_t> ends;
  UErrorCode error = U_ZERO_ERROR;
  if (iterator) ubrk_setText(iterator.get(), run.data(), length, &error);
  if (!iterator || U_FAILURE(error)) return {length};
  for (std::int32_t end = ubrk_next(iterator.get()); end != UBRK_DONE; end = ubrk_next(iterator.get())) {
    ends.push_back(end);
  }
  return ends;
}

// Latin letters only: in other scripts a mark makes another letter.
char32_t without_diacritics(char32_t point) {
  if (!between(point, 0xc0, 0x24f) && !between(point, 0x1e00, 0x1eff)) return point;
  UErrorCode error = U_ZERO_ERROR;
  const UNormalizer2* nfd = unorm2_getNFDInstance(&error);
  if (U_FAILURE(error)) return point;
  std::array<UChar, 8> parts{};
  const std::int32_t length =
      unorm2_getDecomposition(nfd, as_icu(point), parts.data(), static_cast<std::int32_t>(parts.size()), &error);
  if (U_FAILURE(error) || length <= 0 || U16_IS_SURROGATE(parts[0])) return point;
  return parts[0];
}

bool is_ascii_letter_or_digit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

/// Gathers code points into words.
class Words {
 public:
  Words(Likeness likeness, const std::function<void(std::string_view)>& take) : likeness_(likeness), take_(take) {}

  // Most text is ASCII, and needs no tables.
  void take_ascii(char c) {
    if (!is_ascii_letter_or_digit(c)) return end();
    end_runs();
    word_ += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  void take(char32_t point) {
    if (needs_dictionary(point)) return take_for_dictionary(point);
    if (is_mark(point)) {
      if (!word_.empty() && likeness_ == Likeness::letter_case) append_utf8(word_, point);
      return;
    }
    if (!is_letter_or_digit(point)) return end();
    if (const auto script = unspaced_script(point); script != Unspaced::none) return take_unspaced(point, script);
    end_runs();
    if (likeness_ == Likeness::case_and_diacritics) point = without_diacritics(point);
    append_utf8(word_, static_cast<char32_t>(u_foldCase(as_icu(point), U_FOLD_CASE_DEFAULT)));
  }
  void end() {
    end_word();
    end_runs();
  }

 private:
  void take_for_dictionary(char32_t point) {
    end_word();
    end_run();
    if (point > 0xffff) {
      dictionary_run_ += {static_cast<char16_t>(U16_LEAD(point)), static_cast<char16_t>(U16_TRAIL(point))};
    } else {
      dictionary_run_ += static_cast<char16_t>(point);
    }
  }
  // Where Japanese goes from one script to another a word mostly ends.
  void take_unspaced(char32_t point, Unspaced script) {
    if (!dictionary_run_.empty()) end_dictionary_run();
    end_word();
    if (before_ && script != script_) end_run();
    script_ = script;
    if (before_) {
      std::string pair;
      append_utf8(pair, *before_);
      append_utf8(pair, point);
      take_(pair);
      paired_ = true;
    }
    before_ = point;
  }
  void end_word() {
    if (!word_.empty()) take_(word_);
    word_.clear();
  }
  void end_runs() {
    if (before_) end_run();
    if (!dictionary_run_.empty()) end_dictionary_run();
  }
  void end_dictionary_run() {
    std::int32_t from = 0;
    for (const std::int32_t end : word_ends(dictionary_run_)) {
      std::string word;
      while (from < end) {
        char32_t point = 0;
        U16_NEXT(dictionary_run_.data(), from, end, point);
        append_utf8(word, point);
      }
      if (has_word(word)) take_(word);
    }
    dictionary_run_.clear();
  }
  void end_run() {
    if (before_ && !paired_) {
      std::string single;
      append_utf8(single, *before_);
      take_(single);
    }
    before_.reset();
    paired_ = false;
  }

  Likeness likeness_;
  const std::function<void(std::string_view)>& take_;
  std::string word_;
  std::u16string dictionary_run_;
  std::optional<char32_t> before_;  // of a run without spaces
  Unspaced script_ = Unspaced::none;
  bool paired_ = false;
};

}  // namespace

void each_word(std::string_view text, Likeness likeness, const std::function<void(std::string_view)>& take) {
  Words words(likeness, take);
  while (!text.empty()) {
    if (static_cast<unsigned char>(text.front()) < 0x80) {
      words.take_ascii(text.front());
      text.remove_prefix(1);
    } else if (const auto point = take_code_point(text)) {
      words.take(*point);
    } else {
      words.end();
    }
  }
  words.end();
}

std::vector<std::string> words_of(std::string_view text, Likeness likeness) {
  std::vector<std::string> words;
  each_word(text, likeness, [&words](std::string_view word) { words.emplace_back(word); });
  return words;
}

void without_diacritics(std::string_view word, std::string& plain) {
  plain.clear();
  while (!word.empty()) {
    const auto point = take_code_point(word);
    if (!point || is_mark(*point)) continue;
    append_utf8(plain, without_diacritics(*point));
  }
}

std::string without_words(std::string_view text, const std::function<bool(std::string_view)>& is_to_go) {
  std::string kept;
  while (!text.empty()) {
    // A run of letters, or a single character that is none.
    std::string_view rest = text;
    std::size_t length = 0;
    while (!rest.empty()) {
      const std::size_t before = rest.size();
      const auto point = take_code_point(rest);
      if (!point || !is_letter_or_digit(*point)) {
        if (length == 0) length = before - rest.size();
        break;
      }
      length += before - rest.size();
    }
    const std::string_view run = text.substr(0, length);
    text.remove_prefix(length);
    const auto folded = words_of(run, Likeness::case_and_diacritics);
    if (folded.size() != 1 || !is_to_go(folded.front())) {
      kept += run;
      continue;
    }
    for (const std::string_view possessive : {"'s", "\u2019s"}) {
      if (text.starts_with(possessive)) text.remove_prefix(possessive.size());
    }
  }
  return kept;
}

bool has_word(std::string_view text) {
  while (!text.empty()) {
    const auto point = take_code_point(text);
    if (point && is_letter_or_digit(*point)) return true;
  }
  return false;
}

}  // namespace persona
