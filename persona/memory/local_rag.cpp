#include "persona/memory/local_rag.hpp"

#include "persona/memory/settings.hpp"

namespace persona {

LocalRagMemory::Settings LocalRagMemory::Settings::read(SettingsReader reader) {
  Settings settings;
  static_cast<RetrievalSettings&>(settings) = RetrievalSettings::read(reader);
  settings.mode = RecallMode::automatic;
  if (reader.value("embeddings_plugin") != nullptr) {
    reader.warn("embeddings_plugin", "it is left alone: meanings are found by the model of recall.embeddings, if any");
  }
  return settings;
}

}  // namespace persona
