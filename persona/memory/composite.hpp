#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "persona/memory/fusion.hpp"
#include "persona/memory/retrieval.hpp"

namespace persona {

inline constexpr std::string_view kCompositeModule = "ovos-memory-plugin-composite";

/// Several memories as one: what they recall is fused into one list, what they know (facts, a summary) is shown as
/// well, and one of them, the primary, gives the history.
///
/// Source: ovos-memory-plugins, composite; deliberate differences are listed in docs/memory.md.
class CompositeMemory final : public Memory {
 public:
  struct Member {
    std::string module;
    double weight = 1;
    std::shared_ptr<const Memory> memory;
  };
  struct Settings {
    RetrievalSettings retrieval;  ///< how it asks and shows; its own history is not used
    FusionSettings fusion;
    std::size_t member_fetch_k = 10;
    std::vector<Member> members;
    std::size_t primary = 0;  ///< of `members`
    [[nodiscard]] static Settings read(SettingsReader reader);
  };
  explicit CompositeMemory(Settings settings);
  [[nodiscard]] std::size_t wanted_messages() const override;
  [[nodiscard]] std::size_t window_messages() const override;
  [[nodiscard]] Wants wants(const Window& window, const ContextQuery& query) const override;
  [[nodiscard]] Wants wants_then(const Window& window, const Recollection& known,
                                 const ContextQuery& query) const override;
  [[nodiscard]] ContextParts build_conversation_context(const Window& window, const Recollection& recollection,
                                                        const ContextQuery& query) const override;
  /// The widest of its members'.
  [[nodiscard]] RecallScope recall_scope() const override;
  [[nodiscard]] std::vector<const Learning*> learnings() const override;

 private:
  [[nodiscard]] std::vector<RecallAsk> asks(const Window& window, const Recollection& known,
                                            const ContextQuery& query) const;
  [[nodiscard]] std::vector<ContextMessage> history(const Window& window, const Recollection& recollection,
                                                    const ContextQuery& query) const;
  Settings settings_;
};

}  // namespace persona
