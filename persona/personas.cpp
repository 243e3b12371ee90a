#include "persona/personas.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <system_error>
#include <utility>

#include "persona/memory/short_term.hpp"

namespace persona {
namespace {

constexpr std::string_view kBuiltIn = "default";

Persona with_default_memory(std::string_view id) {
  Persona persona;
  persona.id = id;
  MadeMemory made = make_memory(nlohmann::json::object());
  persona.memory_module = std::move(made.module);
  persona.memory = std::move(made.memory);
  return persona;
}

bool is_built_in(const Persona& persona) {
  return persona.file.empty();
}

// In name order, so that of two files with one name it is always the same that wins.
std::optional<std::vector<std::filesystem::path>> files_of(const std::filesystem::path& folder,
                                                           std::error_code& error) {
  std::vector<std::filesystem::path> files;
  std::filesystem::directory_iterator entry(folder, error);
  while (!error && entry != std::filesystem::directory_iterator()) {
    const std::string name = entry->path().filename().string();
    if (!name.starts_with('.') && name.ends_with(".json")) files.push_back(entry->path());
    entry.increment(error);
  }
  if (error) return std::nullopt;
  std::sort(files.begin(), files.end());
  return files;
}

// The memory that it asked for could not be had; it may be there at the next look.
bool lacks_memory(const Persona& persona) {
  return !persona.memory && !persona.memory_module.empty();
}

const Persona* read_from(const std::map<std::string, Persona, std::less<>>& personas,
                         const std::filesystem::path& file) {
  const auto found =
      std::find_if(personas.begin(), personas.end(), [&](const auto& known) { return known.second.file == file; });
  return found == personas.end() ? nullptr : &found->second;
}

}  // namespace

Personas::Personas() : unheard_of_(with_default_memory({})) {
  personas_.emplace(kBuiltIn, with_default_memory(kBuiltIn));
}

Personas::Loaded Personas::load(const std::filesystem::path& folder) {
  Loaded loaded;
  std::error_code error;
  const auto files = files_of(folder, error);
  std::map<std::string, Persona, std::less<>> fresh;
  if (!files) {
    // Nobody deletes all personas by unmounting a disk: what was read from it before stays.
    loaded.warnings.push_back(folder.string() + ": no personas can be read from here: " + error.message());
    fresh = personas_;
    std::erase_if(fresh, [](const auto& known) { return is_built_in(known.second); });
  } else {
    for (const auto& file : *files) load_file(file, fresh, loaded.warnings);
  }
  loaded.count = fresh.size();
  personas_ = std::move(fresh);
  std::vector<std::string> said_by_the_next_choice;
  choose_default(default_id_, {}, said_by_the_next_choice);
  return loaded;
}

void Personas::load_file(const std::filesystem::path& file, std::map<std::string, Persona, std::less<>>& into,
                         std::vector<std::string>& warnings) const {
  const Persona* last = read_from(personas_, file);
  auto draft = read_persona_file(file);
  if (!draft) {
    warnings.push_back(draft.error() + (last != nullptr ? "; its last good version stays" : ""));
    if (last == nullptr) return;
  }
  // Before its memory is made: a file that is ignored starts no program.
  const std::string& id = draft ? draft->id : last->id;
  if (const auto same_name = into.find(id); same_name != into.end()) {
    warnings.push_back(file.string() + ": the name '" + id + "' is that of " + same_name->second.file.string() +
                       " already; this file is ignored");
    return;
  }
  if (!draft) {
    into.emplace(id, *last);
    return;
  }
  const bool stays = last != nullptr && last->text == draft->text && !lacks_memory(*last);
  Persona persona = stays ? *last : make_persona(std::move(*draft), foreign_);
  if (!persona.warning.empty()) warnings.push_back(persona.warning);
  std::string name = persona.id;
  into.emplace(std::move(name), std::move(persona));
}

const Persona* Personas::find(std::string_view id) const {
  const auto found = personas_.find(id);
  return found == personas_.end() ? nullptr : &found->second;
}

const Persona& Personas::of_id(std::string_view id) const {
  const Persona* known = find(id);
  return known != nullptr ? *known : unheard_of_;
}

std::vector<std::string> Personas::ids() const {
  std::vector<std::string> ids;
  for (const auto& [id, persona] : personas_) ids.push_back(id);
  return ids;
}

void Personas::choose_default(std::string_view configured, std::string_view from_ovos,
                              std::vector<std::string>& warnings) {
  std::erase_if(personas_, [](const auto& known) { return is_built_in(known.second); });
  const auto chosen = [&](std::string_view wanted, std::string_view by) {
    if (wanted.empty()) return false;
    if (find(wanted) == nullptr && !(wanted == kBuiltIn && personas_.empty())) {
      warnings.push_back("the default persona '" + std::string(wanted) + "' (" + std::string(by) + ") has no file");
      return false;
    }
    default_id_ = wanted;
    return true;
  };
  if (!chosen(configured, "default_persona") && !chosen(from_ovos, "intents.persona.default_persona of mycroft.conf")) {
    default_id_ = personas_.size() == 1 ? personas_.begin()->first : std::string(kBuiltIn);
    if (personas_.size() > 1 && find(kBuiltIn) == nullptr) {
      warnings.push_back("there are " + std::to_string(personas_.size()) +
                         " personas and no default_persona: the built-in '" + std::string(kBuiltIn) +
                         "' answers where none is active");
    }
  }
  if (find(default_id_) == nullptr) personas_.emplace(default_id_, with_default_memory(default_id_));
}

}  // namespace persona
