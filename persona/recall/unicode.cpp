#include "persona/recall/unicode.hpp"

#include <unicode/bytestream.h>
#include <unicode/normalizer2.h>
#include <unicode/stringpiece.h>
#include <unicode/uchar.h>

#include "persona/utf8.hpp"

namespace persona {
namespace {

UChar32 as_icu(char32_t point) {
  return static_cast<UChar32>(point);
}

bool is_of(char32_t point, std::uint32_t categories) {
  return (U_GET_GC_MASK(as_icu(point)) & categories) != 0;
}

const icu::Normalizer2* normalizer(Form form, UErrorCode& error) {
  switch (form) {
    case Form::nfc:
      return icu::Normalizer2::getNFCInstance(error);
    case Form::nfd:
      return icu::Normalizer2::getNFDInstance(error);
    case Form::nfkc:
      return icu::Normalizer2::getNFKCInstance(error);
    case Form::nfkd:
      return icu::Normalizer2::getNFKDInstance(error);
  }
  return nullptr;
}

int cluster_break(char32_t point) {
  return u_getIntPropertyValue(as_icu(point), UCHAR_GRAPHEME_CLUSTER_BREAK);
}

bool always_breaks(int kind) {
  return kind == U_GCB_CONTROL || kind == U_GCB_CR || kind == U_GCB_LF;
}

}  // namespace

std::string in_form(Form form, std::string_view text) {
  UErrorCode error = U_ZERO_ERROR;
  const icu::Normalizer2* by = normalizer(form, error);
  std::string made;
  if (U_FAILURE(error) || by == nullptr) return std::string(text);
  icu::StringByteSink<std::string> sink(&made, static_cast<std::int32_t>(text.size()));
  by->normalizeUTF8(0, icu::StringPiece(text.data(), static_cast<std::int32_t>(text.size())), sink, nullptr, error);
  return U_FAILURE(error) ? std::string(text) : made;
}

std::string lower_case(std::string_view text) {
  constexpr char32_t kCapitalIWithDot = 0x130;  // the one letter whose lower case is two characters
  std::string lower;
  lower.reserve(text.size());
  while (!text.empty()) {
    const char32_t point = take_code_point(text).value_or(kReplacement);
    if (point == kCapitalIWithDot) {
      lower += "i\u0307";
    } else {
      append_utf8(lower, static_cast<char32_t>(u_tolower(as_icu(point))));
    }
  }
  return lower;
}

bool is_space(char32_t point) {
  if (point < 0x80) return point == ' ' || (point >= '\t' && point <= '\r');
  return u_isUWhiteSpace(as_icu(point)) != 0;
}

bool is_punctuation(char32_t point) {
  if (point < 0x80) return is_of(point, U_GC_P_MASK | U_GC_S_MASK);
  return is_of(point, U_GC_P_MASK);
}

bool is_unprintable(char32_t point) {
  return is_of(point, U_GC_CC_MASK | U_GC_CF_MASK | U_GC_CO_MASK | U_GC_CS_MASK);
}

bool is_combining(char32_t point) {
  return is_of(point, U_GC_M_MASK);
}

bool is_accent(char32_t point) {
  return is_of(point, U_GC_MN_MASK);
}

bool is_one_cluster(char32_t before, char32_t after) {
  if (before < 0x80 && after < 0x80) return before == '\r' && after == '\n';
  const int first = cluster_break(before);
  const int second = cluster_break(after);
  if (always_breaks(first) || always_breaks(second)) return false;
  return second == U_GCB_EXTEND || second == U_GCB_ZWJ || second == U_GCB_SPACING_MARK || first == U_GCB_PREPEND;
}

}  // namespace persona
