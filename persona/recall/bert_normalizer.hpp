#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace persona {

/// What BERT does to a text before it is cut into words.
///
/// Source: `BertNormalizer` of huggingface/tokenizers; google-research/bert, tokenization.py.
class BertNormalizer {
 public:
  /// Settings that are missing are what BERT has them be.
  explicit BertNormalizer(const nlohmann::json& described);

  /// Of UTF-8.
  [[nodiscard]] std::string apply(std::string_view text) const;

 private:
  [[nodiscard]] std::string cleaned(std::string_view text) const;

  bool clean_text_;
  bool handle_chinese_chars_;
  bool lowercase_;
  bool strip_accents_;
};

}  // namespace persona
