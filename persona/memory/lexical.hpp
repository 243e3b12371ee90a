#pragma once
#include <string_view>

#include "persona/memory/retrieval.hpp"

namespace persona {

inline constexpr std::string_view kLexicalModule = "ovos-memory-plugin-lexical";

/// Recall by words: exchanges that share rare words with what is said now.
class LexicalMemory final : public RetrievalMemory {
 public:
  using Settings = RetrievalSettings;
  using RetrievalMemory::RetrievalMemory;
};

}  // namespace persona
