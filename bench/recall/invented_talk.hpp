#pragma once
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace bench {

/// Talk that nobody had, of words that are as frequent as those of a language are: the n-th is said a n-th as often as
/// the first (Zipf). A few hundred common English words come first, some 30,000 that are made up follow.
///
/// Invariant: the same seed says the same, on every machine.
class InventedTalk {
 public:
  explicit InventedTalk(std::uint64_t seed);

  /// The next turn: 5 to 25 words.
  [[nodiscard]] std::string turn();
  /// A question of so many different words among the hundred most frequent, without those that carry no meaning.
  [[nodiscard]] std::string common_question(std::size_t words);
  /// A question of so many words that follow one another in a turn, or of all where it has less.
  [[nodiscard]] std::string question_about(std::string_view turn, std::size_t words);

 private:
  [[nodiscard]] std::size_t below(std::size_t end);
  [[nodiscard]] const std::string& word();

  std::mt19937_64 random_;
  std::vector<std::string> words_;   // the most frequent first
  std::vector<double> up_to_;        // how often a word up to this one is said, as against all
  std::vector<std::string> common_;  // of the hundred most frequent, those that mean something
};

}  // namespace bench
