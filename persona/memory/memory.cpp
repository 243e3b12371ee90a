#include "persona/memory/memory.hpp"

#include <nlohmann/json.hpp>
#include <utility>

#include "persona/memory/short_term.hpp"

namespace persona {
namespace {

using nlohmann::json;
using Factory = std::shared_ptr<const Memory> (*)(const json& settings, std::string& warning);

template <class Module>
std::shared_ptr<const Memory> make(const json& settings, std::string& warning) {
  return std::make_shared<const Module>(Module::Settings::read(settings, warning));
}

struct Module {
  std::string_view name;
  Factory make;
};
constexpr Module kModules[] = {
    {kShortTermModule, &make<ShortTermMemory>},
};

MadeMemory make_module(std::string name, const json& persona_config) {
  MadeMemory made;
  made.module = std::move(name);
  for (const Module& module : kModules) {
    if (module.name != made.module) continue;
    const auto settings = persona_config.find(made.module);
    if (settings == persona_config.end() || settings->is_null()) {
      made.memory = module.make(json::object(), made.warning);
    } else if (!settings->is_object()) {
      made.memory = module.make(json::object(), made.warning);
      made.warning = '\'' + made.module + "': expected an object with its settings; the defaults hold";
    } else {
      made.memory = module.make(*settings, made.warning);
    }
    return made;
  }
  made.warning = "memory_module '" + made.module + "' does not exist here; this persona remembers nothing";
  return made;
}

}  // namespace

MadeMemory make_memory(const json& persona_config) {
  const json* module = nullptr;
  if (persona_config.is_object()) {
    const auto found = persona_config.find("memory_module");
    if (found != persona_config.end()) module = &*found;
  }
  if (module == nullptr) return make_module(std::string(kShortTermModule), persona_config);
  if (module->is_string()) {
    const auto& name = module->get_ref<const std::string&>();
    return name.empty() ? MadeMemory{} : make_module(name, persona_config);
  }
  if (module->is_null() || *module == false) return {};
  MadeMemory none;
  none.warning = std::string("memory_module: expected a name, null or false, not a value of type ") +
                 module->type_name() + "; this persona remembers nothing";
  return none;
}

}  // namespace persona
