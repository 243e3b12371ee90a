#include "persona/memory/token_estimate.hpp"

#include <algorithm>

#include "persona/utf8.hpp"

namespace persona {
namespace {

// Hundredths of a token. Byte-pair encodings give a common word one token, a rare one a token for each two or three
// letters; each capital inside a word, and each letter with a mark, tends to start a new one.
constexpr std::size_t kToken = 100;
constexpr std::size_t kText = 250;  // weights are averages: a text that is one rare name has no room for them
constexpr std::size_t kLettersOfFirstToken = 2;
constexpr std::size_t kFurtherLetter = 42;
constexpr std::size_t kFurtherCapital = 90;
constexpr std::size_t kMarkedLetter = 90;
constexpr std::size_t kRareMarkedLetter = 160;  // as in Vietnamese, and in Arabic names in Latin letters
constexpr std::size_t kSpace = 10;              // one before a word belongs to it
constexpr std::size_t kAsciiOther = 100;        // digits too: some encodings take them one by one
constexpr std::size_t kCyrillic = 90;
constexpr std::size_t kForeignCapital = 180;  // of Greek and Cyrillic
constexpr std::size_t kTwoBytes = 135;        // Greek, Hebrew, Arabic
constexpr std::size_t kKana = 150;
constexpr std::size_t kHangul = 200;
constexpr std::size_t kThreeBytes = 220;      // Han, Indic scripts, Thai, symbols
constexpr std::size_t kRareThreeBytes = 300;  // rare Han, the presentation forms of Arabic: a token a byte
constexpr std::size_t kFourBytes = 400;       // emoji: a token a byte in the worst case

constexpr std::size_t kPerMessage = 4;
constexpr std::size_t kPerToolCalls = 8;

bool between(char32_t point, char32_t first, char32_t last) {
  return point >= first && point <= last;
}

std::size_t weight(char32_t point) {
  if (point == U' ') return kSpace;
  if (point < 0x80) return kAsciiOther;
  if (between(point, 0x400, 0x42f) || between(point, 0x370, 0x3a9)) return kForeignCapital;
  if (between(point, 0x400, 0x52f)) return kCyrillic;
  if (point < 0x800) return kTwoBytes;
  if (between(point, 0x3040, 0x30ff)) return kKana;
  if (between(point, 0xac00, 0xd7a3)) return kHangul;
  if (between(point, 0x3400, 0x4dbf) || between(point, 0xfb50, 0xfeff)) return kRareThreeBytes;
  return point < 0x10000 ? kThreeBytes : kFourBytes;
}

/// The word at hand.
struct Word {
  std::size_t letters = 0, capitals = 0, marked = 0, rare = 0;

  bool take(char32_t point) {
    const bool capital = between(point, U'A', U'Z');
    const bool mark = between(point, 0xc0, 0x24f);
    const bool rare_mark = between(point, 0x1e00, 0x1eff);
    if (!capital && !mark && !rare_mark && !between(point, U'a', U'z')) return false;
    ++letters;
    capitals += capital ? 1 : 0;
    marked += mark ? 1 : 0;
    rare += rare_mark ? 1 : 0;
    return true;
  }
  [[nodiscard]] std::size_t weight() const {
    if (letters == 0) return 0;
    const std::size_t further = letters > kLettersOfFirstToken ? letters - kLettersOfFirstToken : 0;
    const std::size_t inner_capitals = capitals > 1 ? capitals - 1 : 0;
    return kToken + further * kFurtherLetter + inner_capitals * kFurtherCapital + marked * kMarkedLetter +
           rare * kRareMarkedLetter;
  }
};

}  // namespace

std::size_t estimated_tokens(std::string_view text) noexcept {
  const bool whole_is_empty = text.empty();
  std::size_t sum = 0;
  Word word;
  while (!text.empty()) {
    const char32_t point = take_code_point(text).value_or(kReplacement);
    if (word.take(point)) continue;
    sum += word.weight() + weight(point);
    word = {};
  }
  if (whole_is_empty) return 0;
  return (kText + sum + word.weight() + kToken - 1) / kToken;
}

std::size_t bytes_as_tokens(std::string_view text) noexcept {
  return text.size();
}

std::size_t tokens_of(const ContextMessage& message, TokenCount count) noexcept {
  std::size_t sum = kPerMessage + count(message.content);
  if (!message.name.empty()) sum += 1 + count(message.name);
  if (!message.tool_calls.empty()) sum += kPerToolCalls + count(message.tool_calls);
  if (!message.tool_call_id.empty()) sum += 1 + count(message.tool_call_id);
  return sum;
}

}  // namespace persona
