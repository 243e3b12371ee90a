#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "persona/keys.hpp"
#include "persona/recall/embedding.hpp"
#include "persona/turn.hpp"

// Recall: finding what was said before that belongs to what is said now.
namespace persona {

/// Whose conversations are looked through.
enum class RecallScope : std::uint8_t {
  session,  ///< this owner's this conversation, with this persona
  owner,    ///< every conversation of this owner with this persona
  persona,  ///< every conversation of this persona: what OVOS calls global
};

/// How turns are looked for.
enum class RecallMode : std::uint8_t {
  automatic,  ///< by words, and by meaning where there are embeddings
  lexical,    ///< by words alone
  semantic,   ///< by meaning alone
};

struct RecallAsk {
  std::string query;
  std::string lang;      ///< of the query, BCP 47; empty: not known
  std::size_t most = 5;  ///< hits
  RecallScope scope = RecallScope::session;
  RecallMode mode = RecallMode::automatic;
  std::optional<double> least_score;
  std::optional<double> since;   ///< unix seconds; turns from then on
  std::optional<double> until;   ///< turns before then
  double now = 0;                ///< unix seconds: when it is asked
  Number as_of = 0;              ///< rows with this number or a higher one do not count; 0: all do
  std::vector<Number> left_out;  ///< exchanges that do not count
  std::string nameless;          ///< the query without the names of speakers, which has the meaning; empty: it has none
  Embedding meaning;             ///< of the query; empty: there is none, words alone count
  bool explained = false;        ///< fills `Hit::why`
  friend bool operator==(const RecallAsk&, const RecallAsk&) = default;
};

/// Why a turn was found.
struct Why {
  struct Term {
    std::string word;      ///< of the question
    double score = 0;      ///< its part in the score by words
    bool in_text = false;  ///< where it was said
    bool in_caption = false;
    bool in_name = false;
    bool near = false;  ///< by a neighbouring turn
  };
  std::vector<Term> terms;  ///< those that matched
  double words = 0;         ///< the score by words, before shaping
  struct Shape {
    std::string_view name;  ///< "speaker", "question", "date", ...
    double factor = 1;      ///< what it multiplied the score by
  };
  std::vector<Shape> shapes;
  std::optional<double> cosine;  ///< of the meanings
};

/// A turn that was found.
struct Hit {
  enum class Source : std::uint8_t { lexical, semantic, both };
  ThreadKey thread;
  TurnPtr turn;
  double score = 0;      ///< 0 to 1
  double raw_score = 0;  ///< higher is better, without an upper end; comparable within one search only
  Source source = Source::lexical;
  bool in_own_words = false;  ///< it shares a word with the question by itself, not through its neighbours alone
  std::optional<Why> why;
};

/// An answered exchange that was found.
struct Recalled {
  ThreadKey thread;
  std::vector<TurnPtr> turns;  ///< of the exchange, in window order
  double score = 0;            ///< higher is better; comparable within one list only
};

}  // namespace persona
