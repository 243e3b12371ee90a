#include "persona/recall/pre_tokenizer.hpp"

#include <utility>

#include "persona/recall/model_files.hpp"
#include "persona/recall/unicode.hpp"
#include "persona/utf8.hpp"

namespace persona {
namespace {

using boost::system::result;
using nlohmann::json;

constexpr std::size_t kMostSteps = 16;  // models have one or two

enum class Part : unsigned char { inside, alone, gone };

// Cuts each piece by what its characters are.
template <typename PartOf>
void cut(Pieces& pieces, PartOf part_of) {
  std::vector<Pieces::Range> made;
  for (const Pieces::Range& range : pieces.ranges) {
    std::size_t begin = range.begin;
    for (std::string_view rest = pieces.piece(range); !rest.empty();) {
      const std::size_t at = range.end - rest.size();
      const Part part = part_of(take_code_point(rest).value_or(kReplacement));
      if (part == Part::inside) continue;
      const std::size_t after = range.end - rest.size();
      if (begin < at) made.push_back({begin, at});
      if (part == Part::alone) made.push_back({at, after});
      begin = after;
    }
    if (begin < range.end) made.push_back({begin, range.end});
  }
  pieces.ranges = std::move(made);
}

bool is_one_character(std::string_view text) {
  return !text.empty() && take_code_point(text) && text.empty();
}

result<PreTokenizer::Step, std::string> metaspace_of(const json& described) {
  Metaspace made;
  made.mark = text_at(described, "replacement");
  if (!is_one_character(made.mark)) return std::string("has a Metaspace without a mark of one character");
  const std::string_view scheme = text_at(described, "prepend_scheme");
  const json& before = value_at(described, "add_prefix_space");  // how older files say it
  if (scheme == "first") {
    made.prepend = Metaspace::Prepend::first;
  } else if (scheme == "never" || (scheme.empty() && before.is_boolean() && !before.get<bool>())) {
    made.prepend = Metaspace::Prepend::never;
  }
  const json& split = value_at(described, "split");
  made.split = !split.is_boolean() || split.get<bool>();
  return PreTokenizer::Step(std::move(made));
}

result<PreTokenizer::Step, std::string> step_of(const json& described) {
  const std::string type(text_at(described, "type"));
  if (type == "BertPreTokenizer") return PreTokenizer::Step(BertSplit{});
  if (type == "WhitespaceSplit") return PreTokenizer::Step(WhitespaceSplit{});
  if (type == "Metaspace") return metaspace_of(described);
  return "has a pre-tokenizer of the kind \"" + type + "\", which is not known here; choose another model";
}

}  // namespace

void WhitespaceSplit::apply(Pieces& pieces) const {
  cut(pieces, [](char32_t point) { return is_space(point) ? Part::gone : Part::inside; });
}

void BertSplit::apply(Pieces& pieces) const {
  cut(pieces, [](char32_t point) {
    if (is_space(point)) return Part::gone;
    return is_punctuation(point) ? Part::alone : Part::inside;
  });
}

void Metaspace::apply(Pieces& pieces) const {
  Pieces made;
  made.text.reserve(pieces.text.size() + pieces.ranges.size() * mark.size());
  for (const Pieces::Range& range : pieces.ranges) {
    const std::string_view piece = pieces.piece(range);
    std::size_t begin = made.text.size();
    const bool wanted = prepend == Prepend::always || (prepend == Prepend::first && range.begin == 0);
    if (wanted && !piece.starts_with(' ') && !piece.starts_with(mark)) made.text += mark;
    for (std::size_t at = 0; at < piece.size(); ++at) {
      const bool is_mark = piece[at] == ' ' || piece.substr(at).starts_with(mark);
      if (is_mark && split && begin < made.text.size()) {
        made.ranges.push_back({begin, made.text.size()});
        begin = made.text.size();
      }
      if (piece[at] == ' ') {
        made.text += mark;
      } else {
        made.text += piece[at];
      }
    }
    made.ranges.push_back({begin, made.text.size()});
  }
  pieces = std::move(made);
}

result<PreTokenizer, std::string> PreTokenizer::make(const json& described) {
  PreTokenizer made;
  std::vector<const json*> left{&described};
  while (!left.empty()) {
    const json& next = *left.back();
    left.pop_back();
    if (next.is_null()) continue;
    if (text_at(next, "type") == "Sequence") {
      const json& parts = value_at(next, "pretokenizers");
      for (std::size_t i = parts.is_array() ? parts.size() : 0; i-- > 0;) left.push_back(&parts[i]);
      continue;
    }
    auto step = step_of(next);
    if (!step) return step.error();
    made.steps_.push_back(*std::move(step));
    if (made.steps_.size() > kMostSteps) return std::string("has too many pre-tokenizers");
  }
  return made;
}

Pieces PreTokenizer::apply(std::string text) const {
  Pieces pieces;
  pieces.text = std::move(text);
  if (!pieces.text.empty()) pieces.ranges.push_back({0, pieces.text.size()});
  for (const Step& step : steps_) {
    std::visit([&pieces](const auto& each) { each.apply(pieces); }, step);
  }
  return pieces;
}

}  // namespace persona
