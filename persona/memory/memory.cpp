#include "persona/memory/memory.hpp"

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>

#include "persona/memory/character.hpp"
#include "persona/memory/chroma.hpp"
#include "persona/memory/composite.hpp"
#include "persona/memory/entity.hpp"
#include "persona/memory/foreign_memory.hpp"
#include "persona/memory/lexical.hpp"
#include "persona/memory/local_rag.hpp"
#include "persona/memory/longterm.hpp"
#include "persona/memory/personad_memory.hpp"
#include "persona/memory/recency.hpp"
#include "persona/memory/settings.hpp"
#include "persona/memory/short_term.hpp"
#include "persona/memory/summarizing.hpp"

namespace persona {
namespace {

using nlohmann::json;
using Factory = std::shared_ptr<const Memory> (*)(SettingsReader reader, const CharacterProperties& properties);

template <class Module>
std::shared_ptr<const Memory> make(SettingsReader reader, const CharacterProperties& properties) {
  auto settings = Module::Settings::read(std::move(reader));
  if constexpr (std::is_base_of_v<Character, Module>) {
    return std::make_shared<const Module>(std::move(settings), properties);
  } else {
    return std::make_shared<const Module>(std::move(settings));
  }
}

struct Module {
  std::string_view name;
  Factory make;
};
constexpr Module kModules[] = {
    {kShortTermModule, &make<ShortTermMemory>}, {kPersonadModule, &make<PersonadMemory>},
    {kRecencyModule, &make<RecencyMemory>},     {kLexicalModule, &make<LexicalMemory>},
    {kLocalRagModule, &make<LocalRagMemory>},   {kLongtermModule, &make<LongtermMemory>},
    {kEntityModule, &make<EntityMemory>},       {kCompositeModule, &make<CompositeMemory>},
    {kChromaModule, &make<ChromaMemory>},       {kSummarizingModule, &make<SummarizingMemory>},
};

std::string property(const json& persona_config, const char* key, std::string& warning) {
  const auto found = persona_config.find(key);
  if (found == persona_config.end() || found->is_null()) return {};
  if (found->is_string()) return found->get<std::string>();
  if (found->is_number_integer()) return found->dump();
  warning.append(warning.empty() ? "" : "; ").append(key).append(": expected a text; it is left out");
  return {};
}

// Other personas may use such keys for something else, of any type.
CharacterProperties properties_of(const json& persona_config, std::string_view module, std::string& warning) {
  CharacterProperties properties;
  if (module != kChromaModule && module != kSummarizingModule) return properties;
  properties.name = property(persona_config, "name", warning);
  properties.race = property(persona_config, "race", warning);
  properties.gender = property(persona_config, "gender", warning);
  properties.base_id = property(persona_config, "base_id", warning);
  properties.ref_id = property(persona_config, "ref_id", warning);
  return properties;
}

MadeMemory make_named(std::string name, const json& persona_config, ForeignMemories* foreign) {
  static const json kNone = json::object();
  MadeMemory made;
  made.module = std::move(name);
  const auto given = persona_config.find(made.module);
  const bool none = given == persona_config.end() || given->is_null();
  const json& settings = none || !given->is_object() ? kNone : *given;
  const CharacterProperties properties = properties_of(persona_config, made.module, made.warning);
  made.memory = make_module(made.module, settings, properties, made.warning);
  if (!made.memory && foreign != nullptr) {
    if (auto program = foreign->open(made.module, settings, made.warning))
      made.memory = make_foreign(std::move(program));
  }
  if (!made.memory) {
    const std::string why = made.warning.empty() ? std::string() : " (" + made.warning + ")";
    made.warning = "memory_module '" + made.module + "' does not exist here; this persona remembers nothing" + why;
  } else if (!none && !given->is_object()) {
    made.warning = '\'' + made.module + "': expected an object with its settings; the defaults hold";
  }
  return made;
}

}  // namespace

std::shared_ptr<const Memory> make_module(std::string_view module, const json& settings,
                                          const CharacterProperties& properties, std::string& warning) {
  const auto* found = std::ranges::find(kModules, module, &Module::name);
  if (found == std::end(kModules)) return nullptr;
  return found->make(SettingsReader(settings, std::string(module), warning), properties);
}

std::shared_ptr<const Memory> make_module(std::string_view module, const json& settings, std::string& warning) {
  return make_module(module, settings, CharacterProperties{}, warning);
}

MadeMemory make_memory(const json& persona_config, ForeignMemories* foreign) {
  const json* module = nullptr;
  if (persona_config.is_object()) {
    const auto found = persona_config.find("memory_module");
    if (found != persona_config.end()) module = &*found;
  }
  if (module == nullptr) return make_named(std::string(kShortTermModule), persona_config, foreign);
  if (module->is_string()) {
    const auto& name = module->get_ref<const std::string&>();
    return name.empty() ? MadeMemory{} : make_named(name, persona_config, foreign);
  }
  if (module->is_null() || *module == false) return {};
  MadeMemory none;
  none.warning = std::string("memory_module: expected a name, null or false, not a value of type ") +
                 module->type_name() + "; this persona remembers nothing";
  return none;
}

}  // namespace persona
