#include "persona/memory/personad_memory.hpp"

#include <nlohmann/json.hpp>
#include <utility>

#include "persona/memory/assembly.hpp"
#include "persona/memory/entity.hpp"
#include "persona/memory/retrieval.hpp"
#include "persona/memory/settings.hpp"
#include "persona/white_space.hpp"

namespace persona {
namespace {

using nlohmann::json;

/// A window, what was recalled, and the facts somebody asked to remember: what this module is where nobody says more.
class WindowFactsAndRecall final : public Memory {
 public:
  explicit WindowFactsAndRecall(RetrievalSettings settings) : retrieval_(std::move(settings)) {}
  [[nodiscard]] std::size_t wanted_messages() const override { return retrieval_.wanted_messages(); }
  [[nodiscard]] std::size_t window_messages() const override { return retrieval_.window_messages(); }
  [[nodiscard]] Wants wants(const Window& window, const ContextQuery& query) const override {
    Wants wants = retrieval_.wants(window, query);
    wants.facts = kFacts;
    return wants;
  }
  [[nodiscard]] RecallScope recall_scope() const override { return retrieval_.recall_scope(); }
  [[nodiscard]] ContextParts build_conversation_context(const Window& window, const Recollection& recollection,
                                                        const ContextQuery& query) const override {
    ContextParts parts = retrieval_.build_conversation_context(window, recollection, query);
    if (!recollection.facts.empty()) parts.facts = rendered(recollection.facts, kFactsHeader);
    return parts;
  }

 private:
  static constexpr std::size_t kFacts = 50;
  RetrievalMemory retrieval_;
};

std::shared_ptr<const Memory> read_memory(SettingsReader& reader) {
  std::string no_warning;
  const json nothing = json::object();
  const auto usual = std::make_shared<const WindowFactsAndRecall>(
      RetrievalSettings::read(SettingsReader(nothing, std::string(kPersonadModule), no_warning)));
  const json* given = reader.value("memory");
  if (given == nullptr) return usual;
  const auto module = given->is_object() ? given->find("module") : given->end();
  if (!given->is_object() || module == given->end() || !module->is_string()) {
    reader.warn("memory", "expected an object with a module; the default holds");
    return usual;
  }
  const auto& name = module->get_ref<const std::string&>();
  std::string warning;
  auto memory = name == kPersonadModule ? nullptr : make_module(name, *given, warning);
  if (!warning.empty()) reader.warn("memory", warning);
  if (memory) return memory;
  reader.warn("memory", "there is no memory '" + name + "' to use here; the default holds");
  return usual;
}

}  // namespace

PersonadMemory::Settings PersonadMemory::Settings::read(SettingsReader reader) {
  Settings settings;
  settings.memory = read_memory(reader);
  settings.from_bus = reader.word("record", {"bus", "client"}, 0) == 0;
  settings.system_prompt = reader.text("system_prompt");
  return settings;
}

ContextParts PersonadMemory::build_conversation_context(const Window& window, const Recollection& recollection,
                                                        const ContextQuery& query) const {
  ContextParts parts = settings_.memory->build_conversation_context(window, recollection, query);
  if (query.with_system_prompt && !is_blank(settings_.system_prompt)) {
    if (!is_blank(parts.system_prompt)) parts.member_prompts.insert(parts.member_prompts.begin(), parts.system_prompt);
    parts.system_prompt = settings_.system_prompt;
  }
  return parts;
}

}  // namespace persona
