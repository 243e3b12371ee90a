#pragma once
#include <boost/system/result.hpp>
#include <optional>
#include <string>

#include "daemon/configuration.hpp"
#include "persona/memory/embedding_model.hpp"

namespace personad {

/// The model of meanings that the configuration names; nothing where it names none.
///
/// Errors: in words, why a model in a folder cannot be used. An endpoint is not asked here.
[[nodiscard]] boost::system::result<std::optional<persona::EmbeddingModel>, std::string> embedding_model(
    const Configuration::Recall::Embeddings& settings);

}  // namespace personad
