#pragma once
#include <string_view>

#include "persona/memory/retrieval.hpp"

namespace persona {

inline constexpr std::string_view kLocalRagModule = "ovos-memory-plugin-local-rag";

/// Recall by meaning. Without embeddings it recalls by words, and says so when it is made.
class LocalRagMemory final : public RetrievalMemory {
 public:
  struct Settings : RetrievalSettings {
    [[nodiscard]] static Settings read(SettingsReader reader);
  };
  explicit LocalRagMemory(Settings settings) : RetrievalMemory(std::move(settings)) {}
};

}  // namespace persona
