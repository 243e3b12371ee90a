#pragma once
#include <boost/system/result.hpp>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "persona/recall/embedding.hpp"

namespace persona {

/// A static embedding model (model2vec, potion): a text's tokens are looked up in a table, and averaged.
///
/// Threading: after loading it does not change; any number of threads may ask it.
/// Source: the file formats of model2vec and of sentence-transformers' StaticEmbedding.
class StaticEmbedder {
 public:
  /// Reads a model's folder: `model.safetensors`, `tokenizer.json` and `config.json`, or the same as
  /// sentence-transformers writes them (`0_StaticEmbedding/`, `config_sentence_transformers.json`). Files are read once
  /// and let go: what becomes of them later changes nothing.
  ///
  /// Errors: in words, with the file, what is wrong with it and what to do. Files are taken for hostile.
  [[nodiscard]] static boost::system::result<std::unique_ptr<StaticEmbedder>, std::string> load(
      const std::filesystem::path& folder);

  ~StaticEmbedder();
  StaticEmbedder(const StaticEmbedder&) = delete;
  StaticEmbedder& operator=(const StaticEmbedder&) = delete;

  /// Any bytes, of any length: of a long text the first 512 known tokens count. All zero where no token is known.
  [[nodiscard]] Embedding embed(std::string_view text) const;
  [[nodiscard]] std::size_t dimensions() const;
  /// Changes when the content of the model's files changes: vectors of two fingerprints are not to be compared.
  [[nodiscard]] const std::string& fingerprint() const;

 private:
  struct Model;
  explicit StaticEmbedder(std::unique_ptr<const Model> model);
  std::unique_ptr<const Model> model_;
};

}  // namespace persona
