#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "persona/keys.hpp"
#include "persona/recall/embedding.hpp"
#include "persona/turn.hpp"

// Values between what gives turns their embeddings and what keeps them.
namespace persona {

/// A text is embedded up to here: models look at the first few hundred words.
inline constexpr std::size_t kMostEmbeddedBytes = 8192;

/// What a turn's embedding is of. Another text of the same turn, by other rules: `kEmbeddedTextRules` goes up.
inline constexpr std::string_view kEmbeddedTextRules = "text 1";  ///< part of a model's fingerprint
[[nodiscard]] std::string embedded_text(const Turn& turn);
/// As much of a text as is embedded, cut between two characters.
[[nodiscard]] std::string_view embedded_part(std::string_view text);

/// A turn that has no embedding yet.
struct Unembedded {
  Number number = 0;
  std::string text;
};

/// The embedding of a turn's text.
struct Embedded {
  Number number = 0;
  std::uint64_t text = 0;  ///< digest of what was embedded: the turn may say something else by now
  Embedding embedding;     ///< empty: there is none to be had
};
[[nodiscard]] std::uint64_t digest_of(std::string_view text);

/// A model that is there at once; may be called from any thread.
using EmbedText = std::function<Embedding(std::string_view)>;

/// How far the turns of a store are embedded.
struct EmbeddingProgress {
  std::uint64_t embedded = 0;  ///< turns
  std::uint64_t waiting = 0;   ///< turns
  bool ready = false;          ///< false: what another model left behind has to be put away first
};

struct UnembeddedTurns {
  std::vector<Unembedded> turns;  ///< newest first
  EmbeddingProgress progress;
};

}  // namespace persona
