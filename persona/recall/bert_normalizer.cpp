#include "persona/recall/bert_normalizer.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "persona/recall/model_files.hpp"
#include "persona/recall/unicode.hpp"
#include "persona/utf8.hpp"

namespace persona {
namespace {

using nlohmann::json;

bool flag(const json& described, const char* key, bool otherwise) {
  const json& value = value_at(described, key);
  return value.is_boolean() ? value.get<bool>() : otherwise;
}

// The blocks that BERT takes for Chinese; hangul and kana are not among them.
bool is_chinese(char32_t point) {
  constexpr std::array<std::pair<char32_t, char32_t>, 8> kBlocks{{{0x3400, 0x4DBF},
                                                                  {0x4E00, 0x9FFF},
                                                                  {0xF900, 0xFAFF},
                                                                  {0x20000, 0x2A6DF},
                                                                  {0x2A700, 0x2B73F},
                                                                  {0x2B740, 0x2B81F},
                                                                  {0x2B920, 0x2CEAF},
                                                                  {0x2F800, 0x2FA1F}}};
  return std::ranges::any_of(kBlocks,
                             [point](const auto& block) { return point >= block.first && point <= block.second; });
}

bool is_kept(char32_t point) {
  if (point == '\t' || point == '\n' || point == '\r') return true;
  return point != 0 && point != kReplacement && !is_unprintable(point);
}

std::string without_accents(std::string_view text) {
  const std::string apart = in_form(Form::nfd, text);
  std::string kept;
  kept.reserve(apart.size());
  for (std::string_view rest = apart; !rest.empty();) {
    const char32_t point = take_code_point(rest).value_or(kReplacement);
    if (!is_accent(point)) append_utf8(kept, point);
  }
  return kept;
}

}  // namespace

BertNormalizer::BertNormalizer(const json& described)
    : clean_text_(flag(described, "clean_text", true)),
      handle_chinese_chars_(flag(described, "handle_chinese_chars", true)),
      lowercase_(flag(described, "lowercase", true)),
      strip_accents_(flag(described, "strip_accents", lowercase_)) {}

std::string BertNormalizer::cleaned(std::string_view text) const {
  std::string made;
  made.reserve(text.size());
  while (!text.empty()) {
    const char32_t point = take_code_point(text).value_or(kReplacement);
    if (clean_text_ && !is_kept(point)) continue;
    if (handle_chinese_chars_ && is_chinese(point)) {
      made += ' ';
      append_utf8(made, point);
      made += ' ';
    } else {
      append_utf8(made, clean_text_ && is_space(point) ? U' ' : point);
    }
  }
  return made;
}

std::string BertNormalizer::apply(std::string_view text) const {
  std::string made = cleaned(text);
  const bool is_ascii = std::ranges::all_of(made, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
  if (strip_accents_ && !is_ascii) made = without_accents(made);
  return lowercase_ ? lower_case(made) : made;
}

}  // namespace persona
