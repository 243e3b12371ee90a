#include "persona/memory/foreign_memory.hpp"

#include <nlohmann/json.hpp>
#include <utility>

#include "persona/memory/assembly.hpp"
#include "persona/memory/recency.hpp"

namespace persona {
namespace {

/// The memory of a persona whose contexts a program of others makes: the plain window, for while it does not.
class ForeignWindow final : public Memory {
 public:
  explicit ForeignWindow(std::shared_ptr<ForeignMemory> program) : program_(std::move(program)) {}
  [[nodiscard]] std::size_t wanted_messages() const override { return kRows + 2; }
  [[nodiscard]] std::size_t window_messages() const override { return kRows; }
  [[nodiscard]] ContextParts build_conversation_context(const Window& window, const Recollection&,
                                                        const ContextQuery& query) const override {
    ContextParts parts;
    parts.history = newest_rows(window, query, kRows);
    return parts;
  }
  [[nodiscard]] ForeignMemory* foreign() const override { return program_.get(); }

 private:
  static constexpr std::size_t kRows = 10;
  std::shared_ptr<ForeignMemory> program_;
};

}  // namespace

std::string foreign_key(const ConversationKey& where) {
  return std::to_string(where.owner.size()) + ':' + where.owner + where.conversation;
}

std::shared_ptr<const Memory> make_foreign(std::shared_ptr<ForeignMemory> program) {
  return std::make_shared<const ForeignWindow>(std::move(program));
}

}  // namespace persona
