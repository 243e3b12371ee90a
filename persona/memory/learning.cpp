#include "persona/memory/learning.hpp"

namespace persona {

std::string_view name(LearningKind kind) noexcept {
  return kind == LearningKind::summary ? "summary" : "facts";
}

}  // namespace persona
