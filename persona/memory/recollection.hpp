#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "persona/keys.hpp"
#include "persona/recall/recall.hpp"
#include "persona/turn.hpp"

// What the archive gives to a context beside the window.
namespace persona {

/// Something durable that is known: asked to be remembered, or learnt from what was said.
struct Fact {
  std::string id;
  std::string text;
  double created = 0;         ///< unix seconds UTC
  std::string source;         ///< "asked" or "learnt"
  std::vector<Number> turns;  ///< the rows it was learnt from; not read back
};

/// How far a thread was learnt from. Exchanges count as a whole: what joins one later is not looked at again.
struct Progress {
  Number upto = 0;    ///< the last exchange that is in what was learnt; 0: none
  Number looked = 0;  ///< the newest exchange there was when that happened
};

/// What was said so far, in few words.
struct Summary {
  std::string text;  ///< empty: none yet
  Progress progress;
};

/// What a memory needs from the archive beside the window.
struct Wants {
  std::size_t facts = 0;  ///< so many of the newest
  bool summary = false;
  std::vector<RecallAsk> recall;
  [[nodiscard]] bool any() const { return facts > 0 || summary || !recall.empty(); }
};

/// What was found; `recalled` has one list for each ask, best first.
struct Recollection {
  std::vector<Fact> facts;  ///< oldest first
  Summary summary;
  std::vector<std::vector<Recalled>> recalled;

  /// What was found later, beside what is known.
  void add(Recollection more);
};

}  // namespace persona
