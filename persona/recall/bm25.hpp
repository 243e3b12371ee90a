#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace persona {

/// Ranks documents by the words they share with a query, looking at each of them: exact, and linear in what there is.
///
/// Statistics (how many documents, how rare a word, how long a text) are those of the documents given, so nothing that
/// is not among them can change a score. Scores are those of SQLite's FTS5 (k1 1.2, b 0.75).
/// Source: Robertson and Zaragoza, The Probabilistic Relevance Framework: BM25 and Beyond (2009).
class Bm25 {
 public:
  explicit Bm25(std::string_view query);

  /// The query has no words: it matches nothing.
  [[nodiscard]] bool empty() const { return query_.empty(); }

  /// Documents are numbered from 0 in the order they are added.
  void add(std::string_view text);

  struct Scored {
    std::size_t document = 0;
    double score = 0;
  };
  /// The best `most` of those that share a word with the query, best first; the earlier one where scores are equal.
  [[nodiscard]] std::vector<Scored> best(std::size_t most) const;

 private:
  struct Match {
    std::size_t document = 0;
    std::size_t length = 0;                // words
    std::vector<std::uint32_t> frequency;  // of each word of the query
  };
  std::map<std::string, std::size_t, std::less<>> query_;  // word -> its place in `frequency`
  std::vector<std::size_t> repeats_;                       // how often the query says each word
  std::vector<std::size_t> documents_with_;
  std::vector<Match> matches_;
  std::size_t documents_ = 0;
  std::size_t words_ = 0;
};

}  // namespace persona
