#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "persona/keys.hpp"
#include "persona/turn.hpp"

// Recall: finding what was said before that belongs to what is said now.
namespace persona {

/// Whose conversations are looked through.
enum class RecallScope : std::uint8_t {
  session,  ///< this owner's this conversation, with this persona
  owner,    ///< every conversation of this owner with this persona
  persona,  ///< every conversation of this persona: what OVOS calls global
};

struct RecallAsk {
  std::string query;
  std::size_t most = 5;  ///< hits
  RecallScope scope = RecallScope::session;
  std::optional<double> least_score;
  Number as_of = 0;              ///< rows with this number or a higher one do not count; 0: all do
  std::vector<Number> left_out;  ///< exchanges that do not count
  friend bool operator==(const RecallAsk&, const RecallAsk&) = default;
};

/// An answered exchange that was found.
struct Recalled {
  ThreadKey thread;
  std::vector<TurnPtr> turns;  ///< of the exchange, in window order
  double score = 0;            ///< higher is better; comparable within one list only
};

}  // namespace persona
