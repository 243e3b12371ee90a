#include "persona/recall/unigram.hpp"

#include <algorithm>

#include "persona/recall/model_files.hpp"
#include "persona/utf8.hpp"

namespace persona {
namespace {

using boost::system::result;
using nlohmann::json;

constexpr double kUnknownPenalty = 10;  // below the unlikeliest token

// How a vocabulary names a byte.
std::string name_of_byte(char c) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  const auto byte = static_cast<unsigned char>(c);
  return {'<', '0', 'x', kDigits[byte >> 4U], kDigits[byte & 0xFU], '>'};
}

}  // namespace

result<Unigram, std::string> Unigram::make(const json& model) {
  const json& vocabulary = value_at(model, "vocab");
  if (!vocabulary.is_array() || vocabulary.empty()) return std::string("has no vocabulary");
  Unigram made;
  std::vector<std::string_view> words;
  for (const json& entry : vocabulary) {
    if (!entry.is_array() || entry.size() != 2 || !entry[0].is_string() || !entry[1].is_number()) {
      return std::string("has a token without a score");
    }
    words.push_back(text_of(entry[0]));
    made.scores_.push_back(entry[1].get<double>());
  }
  if (!PrefixTree::can_hold(words)) return std::string("has tokens that are too long");
  made.tree_ = PrefixTree(words);
  made.unknown_score_ = std::ranges::min(made.scores_) - kUnknownPenalty;
  const json& unknown = value_at(model, "unk_id");
  if (unknown.is_number_unsigned()) {
    if (unknown.get<std::uint64_t>() >= words.size()) return std::string("has an unknown token that is none");
    made.unknown_ = static_cast<Token>(unknown.get<std::uint64_t>());
  }
  made.byte_fallback_ = is_true_at(model, "byte_fallback");
  return made;
}

std::vector<Unigram::Step> Unigram::best_ways(std::string_view piece) const {
  std::vector<Step> ways(piece.size() + 1);
  for (std::string_view rest = piece; !rest.empty();) {
    const std::size_t from = piece.size() - rest.size();
    (void)take_code_point(rest);
    const std::size_t next = piece.size() - rest.size();
    const double so_far = ways[from].score;
    const auto offer = [&](std::size_t to, std::optional<Token> token, double score) {
      if (ways[to].from == kNowhere || so_far + score > ways[to].score) ways[to] = {so_far + score, from, token};
    };
    bool is_known = false;  // this character by itself
    std::optional<PrefixTree::Node> node = PrefixTree::kRoot;
    for (std::size_t to = from; to < piece.size();) {
      node = tree_.child(*node, piece[to++]);
      if (!node) break;
      const std::uint32_t token = tree_.word(*node);
      if (token == PrefixTree::kNoWord) continue;
      offer(to, token, scores_[token]);
      is_known = is_known || to == next;
    }
    if (!is_known) offer(next, unknown_, unknown_score_);
  }
  return ways;
}

// A token's text, or that of neighbours which are all unknown, and stand for one.
void Unigram::add(std::string_view text, std::vector<Token>& into) const {
  const std::uint32_t whole = tree_.find(text);
  if (whole != PrefixTree::kNoWord) {
    if (whole != unknown_) into.push_back(whole);
    return;
  }
  if (!byte_fallback_) return;
  const std::size_t before = into.size();
  for (const char c : text) {
    const std::uint32_t byte = tree_.find(name_of_byte(c));
    if (byte == PrefixTree::kNoWord) return into.resize(before);
    into.push_back(byte);
  }
}

void Unigram::encode(std::string_view piece, std::vector<Token>& into) const {
  const std::vector<Step> ways = best_ways(piece);
  std::vector<std::string_view> parts;  // from the last to the first
  bool is_unknown = false;              // the one added before
  for (std::size_t end = piece.size(); end > 0; end = ways[end].from) {
    const std::size_t begin = ways[end].from;
    if (ways[end].token == unknown_ && is_unknown) {
      parts.back() = piece.substr(begin, parts.back().size() + end - begin);
    } else {
      parts.push_back(piece.substr(begin, end - begin));
    }
    is_unknown = ways[end].token == unknown_;
  }
  std::ranges::for_each(parts.rbegin(), parts.rend(), [this, &into](std::string_view part) { add(part, into); });
}

}  // namespace persona
