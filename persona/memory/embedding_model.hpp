#pragma once
#include <string>

#include "persona/memory/language_model.hpp"
#include "persona/recall/embedding_work.hpp"

namespace persona {

/// A model that gives texts their places in a space of meanings: one in this process, or one behind an endpoint.
struct EmbeddingModel {
  std::string name;         ///< for an operator
  std::string fingerprint;  ///< vectors of two fingerprints are not to be compared
  EmbedText in_process;     ///< empty: it is asked for at `address`
  ModelAddress address;
  std::string query_prefix;    ///< before what is looked for, where a model wants it told apart
  std::string passage_prefix;  ///< before what was said
};

}  // namespace persona
