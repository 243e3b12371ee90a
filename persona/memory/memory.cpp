#include "persona/memory/memory.hpp"

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>

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

namespace persona {
namespace {

using nlohmann::json;
using Factory = std::shared_ptr<const Memory> (*)(SettingsReader reader);

template <class Module>
std::shared_ptr<const Memory> make(SettingsReader reader) {
  return std::make_shared<const Module>(Module::Settings::read(std::move(reader)));
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
};

MadeMemory make_named(std::string name, const json& persona_config, ForeignMemories* foreign) {
  static const json kNone = json::object();
  MadeMemory made;
  made.module = std::move(name);
  const auto given = persona_config.find(made.module);
  const bool none = given == persona_config.end() || given->is_null();
  const json& settings = none || !given->is_object() ? kNone : *given;
  made.memory = make_module(made.module, settings, made.warning);
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

std::shared_ptr<const Memory> make_module(std::string_view module, const json& settings, std::string& warning) {
  const auto* found = std::ranges::find(kModules, module, &Module::name);
  if (found == std::end(kModules)) return nullptr;
  return found->make(SettingsReader(settings, std::string(module), warning));
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
