#include "daemon/embedding_setup.hpp"

#include <memory>
#include <utility>

#include "persona/recall/static_embedder.hpp"

namespace personad {
namespace {

using persona::EmbeddingModel;
using Made = boost::system::result<std::optional<EmbeddingModel>, std::string>;

Made in_process(const Configuration::Recall::Embeddings& settings, EmbeddingModel model) {
  auto loaded = persona::StaticEmbedder::load(settings.model);
  if (!loaded) return Made(boost::system::in_place_error, "recall.embeddings.model: " + loaded.error());
  const std::shared_ptr<const persona::StaticEmbedder> embedder = std::move(*loaded);
  model.name = settings.model.filename().string();
  model.fingerprint = embedder->fingerprint() + '\n' + std::string(persona::kEmbeddedTextRules);
  model.in_process = [embedder](std::string_view text) { return embedder->embed(text); };
  return std::optional(std::move(model));
}

}  // namespace

Made embedding_model(const Configuration::Recall::Embeddings& settings) {
  EmbeddingModel model;
  if (!settings.model.empty()) return in_process(settings, std::move(model));
  if (settings.api_url.empty()) return std::optional<EmbeddingModel>();
  model.query_prefix = settings.query_prefix;
  model.passage_prefix = settings.passage_prefix;
  model.name = settings.name;
  model.fingerprint = settings.api_url + '\n' + settings.name + '\n' + settings.passage_prefix + '\n' +
                      std::string(persona::kEmbeddedTextRules);
  model.address.api_url = settings.api_url;
  model.address.model = settings.name;
  model.address.key_file = settings.key_file.string();
  model.address.timeout = settings.timeout;
  return std::optional(std::move(model));
}

}  // namespace personad
