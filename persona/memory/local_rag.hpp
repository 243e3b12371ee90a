#pragma once
#include <string_view>

#include "persona/memory/retrieval.hpp"

namespace persona {

inline constexpr std::string_view kLocalRagModule = "ovos-memory-plugin-local-rag";

/// Recall by words, and by meaning where there is a model for that.
class LocalRagMemory final : public RetrievalMemory {
 public:
  struct Settings : RetrievalSettings {
    [[nodiscard]] static Settings read(SettingsReader reader);
  };
  explicit LocalRagMemory(Settings settings) : RetrievalMemory(std::move(settings)) {}
};

}  // namespace persona
