#pragma once
#include <memory>
#include <string>
#include <string_view>

#include "persona/memory/memory.hpp"

namespace persona {

class SettingsReader;

inline constexpr std::string_view kPersonadModule = "personad-memory-plugin";

/// personad's own: another memory by its settings, or a window of ten rows, the facts that are known, and five
/// exchanges recalled by words from this conversation; and who says what was said, the bus or the persona's host.
class PersonadMemory final : public Memory {
 public:
  struct Settings {
    std::shared_ptr<const Memory> memory;
    bool from_bus = true;  ///< `record`: "bus", or "client"
    std::string system_prompt;
    [[nodiscard]] static Settings read(SettingsReader reader);
  };
  explicit PersonadMemory(Settings settings) : settings_(std::move(settings)) {}
  [[nodiscard]] std::size_t wanted_messages() const override { return settings_.memory->wanted_messages(); }
  [[nodiscard]] std::size_t window_messages() const override { return settings_.memory->window_messages(); }
  [[nodiscard]] Wants wants(const Window& window, const ContextQuery& query) const override {
    return settings_.memory->wants(window, query);
  }
  [[nodiscard]] Wants wants_then(const Window& window, const Recollection& known,
                                 const ContextQuery& query) const override {
    return settings_.memory->wants_then(window, known, query);
  }
  [[nodiscard]] ContextParts build_conversation_context(const Window& window, const Recollection& recollection,
                                                        const ContextQuery& query) const override;
  [[nodiscard]] RecallScope recall_scope() const override { return settings_.memory->recall_scope(); }
  [[nodiscard]] std::vector<const Learning*> learnings() const override { return settings_.memory->learnings(); }
  [[nodiscard]] bool records_from_bus() const override { return settings_.from_bus; }

 private:
  Settings settings_;
};

}  // namespace persona
