#include "persona/recall/words.hpp"

#include <unicode/uchar.h>
#include <unicode/unorm2.h>
#include <unicode/uscript.h>
#include <unicode/utf16.h>

#include <array>
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

// Scripts that put no spaces between words.
bool is_unspaced(char32_t point) {
  if (point < 0x2e80) return false;
  UErrorCode error = U_ZERO_ERROR;
  switch (uscript_getScript(as_icu(point), &error)) {
    case USCRIPT_HAN:
    case USCRIPT_HIRAGANA:
    case USCRIPT_KATAKANA:
    case USCRIPT_HANGUL:
      return true;
    default:
      return point == 0x30fc;  // the mark of a long vowel, which is of no one script
  }
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

/// Gathers code points into words.
class Words {
 public:
  explicit Words(Likeness likeness) : likeness_(likeness) {}

  void take(char32_t point) {
    if (is_mark(point)) {
      if (!word_.empty() && likeness_ == Likeness::letter_case) append_utf8(word_, point);
      return;
    }
    if (!is_letter_or_digit(point)) return end();
    if (is_unspaced(point)) return take_unspaced(point);
    end_run();
    if (likeness_ == Likeness::case_and_diacritics) point = without_diacritics(point);
    append_utf8(word_, static_cast<char32_t>(u_foldCase(as_icu(point), U_FOLD_CASE_DEFAULT)));
  }
  void end() {
    if (!word_.empty()) words_.push_back(std::move(word_));
    word_.clear();
    end_run();
  }
  std::vector<std::string> taken() {
    end();
    return std::move(words_);
  }

 private:
  void take_unspaced(char32_t point) {
    if (!word_.empty()) words_.push_back(std::move(word_));
    word_.clear();
    if (before_) {
      std::string pair;
      append_utf8(pair, *before_);
      append_utf8(pair, point);
      words_.push_back(std::move(pair));
      paired_ = true;
    }
    before_ = point;
  }
  void end_run() {
    if (before_ && !paired_) append_utf8(words_.emplace_back(), *before_);
    before_.reset();
    paired_ = false;
  }

  Likeness likeness_;
  std::vector<std::string> words_;
  std::string word_;
  std::optional<char32_t> before_;  // of a run without spaces
  bool paired_ = false;
};

}  // namespace

std::vector<std::string> words_of(std::string_view text, Likeness likeness) {
  Words words(likeness);
  while (!text.empty()) {
    if (const auto point = take_code_point(text)) {
      words.take(*point);
    } else {
      words.end();
    }
  }
  return words.taken();
}

bool has_word(std::string_view text) {
  while (!text.empty()) {
    const auto point = take_code_point(text);
    if (point && is_letter_or_digit(*point)) return true;
  }
  return false;
}

}  // namespace persona
