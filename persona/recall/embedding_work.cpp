#include "persona/recall/embedding_work.hpp"

#include "persona/memory/digest.hpp"
#include "persona/white_space.hpp"

namespace persona {

std::string_view embedded_part(std::string_view text) {
  text = trimmed(text);
  if (text.size() <= kMostEmbeddedBytes) return text;
  std::size_t end = kMostEmbeddedBytes;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  return text.substr(0, end);
}

std::string embedded_text(const Turn& turn) {
  const std::string_view text = embedded_part(turn.content);
  if (turn.name.empty() || text.empty()) return std::string(text);
  return std::string(embedded_part(turn.name + ": " + std::string(text)));
}

std::uint64_t digest_of(std::string_view text) {
  return digest(kDigestStart, text);
}

}  // namespace persona
