#pragma once
#include <boost/system/result.hpp>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace persona {

/// What a tokenizer does to a text before it cuts it up: lower case, accents, normal forms, replacements.
///
/// Source: `normalizer` of a tokenizer.json, as huggingface/tokenizers understands it.
class Normalizer {
 public:
  /// Null describes one that changes nothing.
  /// Errors: in words, without the file: a kind that is not known here, or a setting that is none.
  [[nodiscard]] static boost::system::result<Normalizer, std::string> make(const nlohmann::json& described);

  /// Of UTF-8; what grows beyond reason is cut off.
  [[nodiscard]] std::string apply(std::string text) const;

  using Step = std::function<std::string(std::string)>;

 private:
  std::vector<Step> steps_;
};

}  // namespace persona
