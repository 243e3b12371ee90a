#include "persona/memory/local_rag.hpp"

#include "persona/memory/settings.hpp"

namespace persona {

LocalRagMemory::Settings LocalRagMemory::Settings::read(SettingsReader reader) {
  Settings settings;
  static_cast<RetrievalSettings&>(settings) = RetrievalSettings::read(reader);
  reader.warn("embeddings_plugin", "this version recalls by words, without embeddings");
  return settings;
}

}  // namespace persona
