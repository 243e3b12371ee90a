#pragma once
#include <boost/system/result.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace persona {

/// What characters become before a text is cut up, as SentencePiece has it compiled: a double array of UTF-8 prefixes
/// whose leaves point into a blob of replacements.
///
/// Source: sentencepiece's normalizer and darts-clone; what the `Precompiled` normalizer of tokenizers makes of it.
class Charsmap {
 public:
  /// Base64 of the compiled map. Whatever is in it, applying it stays inside.
  /// Errors: in words, without the file.
  [[nodiscard]] static boost::system::result<Charsmap, std::string> make(std::string_view base64);

  /// Of UTF-8. Replaced are short clusters of a letter and its marks where the map has such, else single characters.
  [[nodiscard]] std::string apply(std::string_view text) const;

 private:
  [[nodiscard]] std::optional<std::string_view> replacement(std::string_view characters) const;
  void append_cluster(std::string_view cluster, std::string& into) const;

  std::vector<std::uint32_t> units_;
  std::string replacements_;
};

}  // namespace persona
