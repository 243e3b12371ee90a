#include "persona/recall/normalizer.hpp"

#include <charconv>
#include <optional>
#include <utility>

#include "persona/recall/bert_normalizer.hpp"
#include "persona/recall/charsmap.hpp"
#include "persona/recall/model_files.hpp"
#include "persona/recall/unicode.hpp"
#include "persona/utf8.hpp"

namespace persona {
namespace {

using boost::system::result;
using nlohmann::json;
using Step = Normalizer::Step;

constexpr std::size_t kMostSteps = 256;          // a model with a rule for each sign of ASCII has some 40
constexpr std::size_t kLongestContent = 64;      // bytes that a replacement puts in
constexpr std::size_t kLongestText = 1U << 20U;  // bytes; what embeddings are made of is far shorter

std::string replaced(std::string_view text, std::string_view what, std::string_view by) {
  std::string made;
  for (;;) {
    const std::size_t at = text.find(what);
    made += text.substr(0, at);
    if (at == std::string_view::npos) return made;
    made += by;
    text.remove_prefix(at + what.size());
  }
}

/// A run of white space, which is all that regular expressions of these files look for.
struct SpaceRun {
  bool any_space = false;  // else U+0020 alone
  std::size_t least = 1;
  bool longest = false;  // the whole run, not each `least` of it
};

// `\s` or a space, then nothing, `+`, or `{n,}`.
std::optional<SpaceRun> parse_space_run(std::string_view pattern) {
  SpaceRun run;
  run.any_space = pattern.starts_with("\\s");
  if (!run.any_space && !pattern.starts_with(' ')) return std::nullopt;
  pattern.remove_prefix(run.any_space ? 2 : 1);
  if (pattern.empty()) return run;
  run.longest = true;
  if (pattern == "+") return run;
  if (!pattern.starts_with('{') || !pattern.ends_with(",}")) return std::nullopt;
  const std::string_view number = pattern.substr(1, pattern.size() - 3);
  const auto [end, failed] = std::from_chars(number.data(), number.data() + number.size(), run.least);
  if (failed != std::errc() || end != number.data() + number.size() || run.least == 0) return std::nullopt;
  return run;
}

std::string spaces_replaced(std::string_view text, const SpaceRun& run, std::string_view by) {
  std::string made;
  while (!text.empty()) {
    std::string_view after = text;
    std::size_t length = 0;
    for (std::string_view ahead = text; !ahead.empty() && (run.longest || length < 1); after = ahead, ++length) {
      const char32_t point = take_code_point(ahead).value_or(kReplacement);
      if (!(run.any_space ? is_space(point) : point == ' ')) break;
    }
    if (length == 0) (void)take_code_point(after);
    made += length != 0 && length >= run.least ? by : text.substr(0, text.size() - after.size());
    text = after;
  }
  return made;
}

std::string stripped(std::string_view text, bool left, bool right) {
  std::size_t begin = text.size();
  std::size_t end = 0;
  for (std::string_view rest = text; !rest.empty();) {
    const std::size_t at = text.size() - rest.size();
    if (is_space(take_code_point(rest).value_or(kReplacement))) continue;
    begin = std::min(begin, at);
    end = text.size() - rest.size();
  }
  if (!left) begin = 0;
  if (!right) end = text.size();
  return std::string(text.substr(std::min(begin, end), end - std::min(begin, end)));
}

std::string without_marks(std::string_view text) {
  std::string made;
  while (!text.empty()) {
    const char32_t point = take_code_point(text).value_or(kReplacement);
    if (!is_combining(point)) append_utf8(made, point);
  }
  return made;
}

result<Step, std::string> replacing(const json& described) {
  const json& pattern = value_at(described, "pattern");
  const std::string by(text_at(described, "content"));
  if (by.size() > kLongestContent) return std::string("has a replacement that is too long");
  const std::string what(text_at(pattern, "String"));
  if (!what.empty()) return Step([what, by](std::string text) { return replaced(text, what, by); });
  const auto run = parse_space_run(text_at(pattern, "Regex"));
  if (!run) return std::string("has a replacement whose pattern is not known here");
  return Step([run = *run, by](std::string text) { return spaces_replaced(text, run, by); });
}

result<Step, std::string> mapping(const json& described) {
  auto made = Charsmap::make(text_at(described, "precompiled_charsmap"));
  if (!made) return made.error();
  return Step([map = *std::move(made)](std::string text) { return map.apply(text); });
}

std::optional<Form> form_of(std::string_view type) {
  if (type == "NFC") return Form::nfc;
  if (type == "NFD") return Form::nfd;
  if (type == "NFKC") return Form::nfkc;
  if (type == "NFKD") return Form::nfkd;
  return std::nullopt;
}

result<Step, std::string> step_of(const json& described) {
  const std::string type(text_at(described, "type"));
  if (const auto form = form_of(type)) return Step([form = *form](std::string text) { return in_form(form, text); });
  if (type == "Replace") return replacing(described);
  if (type == "Precompiled") return mapping(described);
  if (type == "Lowercase") return Step([](std::string text) { return lower_case(text); });
  if (type == "StripAccents") return Step([](std::string text) { return without_marks(text); });
  if (type == "BertNormalizer") {
    return Step([bert = BertNormalizer(described)](std::string text) { return bert.apply(text); });
  }
  if (type == "Strip") {
    return Step([left = is_true_at(described, "strip_left"), right = is_true_at(described, "strip_right")](
                    std::string text) { return stripped(text, left, right); });
  }
  if (type == "Prepend") {
    std::string before(text_at(described, "prepend"));
    if (before.size() > kLongestContent) return std::string("has a beginning that is too long");
    return Step([before](std::string text) { return text.empty() ? text : before + text; });
  }
  return "has a normalizer of the kind \"" + type + "\", which is not known here; choose another model";
}

}  // namespace

result<Normalizer, std::string> Normalizer::make(const json& described) {
  Normalizer made;
  std::vector<const json*> left{&described};
  while (!left.empty()) {
    const json& next = *left.back();
    left.pop_back();
    if (next.is_null()) continue;
    if (text_at(next, "type") == "Sequence") {
      const json& parts = value_at(next, "normalizers");
      for (std::size_t i = parts.is_array() ? parts.size() : 0; i-- > 0;) left.push_back(&parts[i]);
      continue;
    }
    auto step = step_of(next);
    if (!step) return step.error();
    made.steps_.push_back(*std::move(step));
    if (made.steps_.size() > kMostSteps) return std::string("has too many normalizers");
  }
  return made;
}

std::string Normalizer::apply(std::string text) const {
  for (const Step& step : steps_) {
    text = step(std::move(text));
    if (text.size() > kLongestText) text.resize(kLongestText);
  }
  return text;
}

}  // namespace persona
