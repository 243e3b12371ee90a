#include "persona/memory/entity.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "persona/memory/assembly.hpp"
#include "persona/memory/model_settings.hpp"
#include "persona/memory/settings.hpp"
#include "persona/recall/words.hpp"
#include "persona/utf8.hpp"
#include "persona/white_space.hpp"

namespace persona {
namespace {

using nlohmann::json;

// The texts of ovos-memory-plugins: persona files written for it count on them.
constexpr const char* kExtractionPrompt =
    "Exchange:\n{exchange}\n\n"
    "List the durable facts the USER stated about themselves (name, "
    "preferences, relationships, location, constraints, goals), as a JSON array "
    "of short strings in the user's language, for example "
    "[\"Name is Bob\", \"Likes jazz\"]. Output only the array. "
    "Use [] when the user stated no such fact.";

constexpr std::size_t kMostScanned = 16384;
constexpr std::size_t kMostFailures = 64;
constexpr std::size_t kMostFacts = 10000;
constexpr std::size_t kMostFactBytes = 2000;
constexpr std::size_t kMostShown = 32768;  // bytes of a question, and of its answer, that a model is shown

// The end of the bracket that opens a text, by counting brackets outside strings; npos when it does not close.
std::size_t end_of_array(std::string_view text) {
  std::size_t depth = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted) {
      if (c == '\\') ++i;
      if (c == '"') quoted = false;
      continue;
    }
    if (c == '"') quoted = true;
    if (c == '[') ++depth;
    if (c == ']' && --depth == 0) return i + 1;
  }
  return std::string_view::npos;
}

void add_facts(const json& array, std::vector<std::string>& facts) {
  for (const json& item : array) {
    if (!item.is_string()) continue;
    const std::string_view fact = trimmed(item.get_ref<const std::string&>());
    if (fact.size() > kMostFactBytes || !has_word(fact)) continue;
    if (std::ranges::find(facts, fact) == facts.end()) facts.emplace_back(fact);
  }
}

// A fact is one line, whatever it holds: it must not look like another one, or like an instruction after the list.
std::string one_line(std::string_view text) {
  std::string line;
  while (!text.empty()) {
    const char32_t point = take_code_point(text).value_or(kReplacement);
    const bool breaks = (point >= U'\n' && point <= U'\r') || point == 0x85 || point == 0x2028 || point == 0x2029;
    append_utf8(line, breaks ? U' ' : point);
  }
  return line;
}

}  // namespace

std::string rendered(const std::vector<Fact>& facts, std::string_view header) {
  std::string text(header);
  for (const Fact& fact : facts) {
    text += "\n- ";
    text += one_line(fact.text);
  }
  return text;
}

EntityMemory::Settings EntityMemory::Settings::read(SettingsReader reader) {
  Settings settings;
  settings.address = read_model_address(reader, std::chrono::seconds(10));
  settings.max_facts = reader.count("max_facts", settings.max_facts, kMostFacts);
  settings.max_extract_tokens =
      std::max<std::size_t>(reader.count("max_extract_tokens", settings.max_extract_tokens, 32768), 1);
  settings.facts_header = reader.text("facts_header", std::string(kFactsHeader));
  settings.extraction_prompt = reader.text("extraction_prompt", kExtractionPrompt);
  if (settings.extraction_prompt.find("{exchange}") == std::string::npos) {
    reader.warn("extraction_prompt", "it does not say where the {exchange} goes; the default holds");
    settings.extraction_prompt = kExtractionPrompt;
  }
  settings.system_prompt = reader.text("system_prompt");
  return settings;
}

EntityMemory::EntityMemory(Settings settings) : settings_(std::move(settings)), extraction_(settings_) {}

Wants EntityMemory::wants(const Window&, const ContextQuery&) const {
  Wants wants;
  wants.facts = settings_.max_facts == 0 ? kMostFacts : settings_.max_facts;
  return wants;
}

ContextParts EntityMemory::build_conversation_context(const Window&, const Recollection& recollection,
                                                      const ContextQuery& query) const {
  ContextParts parts;
  if (query.with_system_prompt) parts.system_prompt = settings_.system_prompt;
  if (!recollection.facts.empty()) parts.facts = rendered(recollection.facts, settings_.facts_header);
  return parts;
}

// One exchange at a time, the oldest first; one without an answer teaches nothing, and is passed over.
std::optional<Learning::Lesson> EntityMemory::Extraction::lesson(const Unlearned& unlearned) const {
  const auto is_answer = [](const TurnPtr& turn) { return turn->role == Role::assistant && !is_blank(turn->content); };
  const auto answer = std::ranges::find_if(unlearned.turns, is_answer);
  Lesson lesson;
  lesson.learnt.kind = LearningKind::facts;
  if (answer == unlearned.turns.end()) {
    const Number passed = end_of_full_page(unlearned.turns, most_rows());
    if (passed == 0) return std::nullopt;
    lesson.learnt.progress = {passed, passed};
    return lesson;
  }
  lesson.learnt.progress = {(*answer)->exchange, (*answer)->exchange};
  std::string asked, answered;
  for (const TurnPtr& turn : unlearned.turns) {
    if (turn->exchange != (*answer)->exchange) continue;
    if (turn->role != Role::user && !is_answer(turn)) continue;
    std::string& to = turn->role == Role::user ? asked : answered;
    to.append(to.empty() ? "" : "\n").append(shortened(turn->content, kMostShown));
    lesson.learnt.turns.push_back(turn->number);
  }
  ChatAsk& ask = lesson.ask.emplace();
  ask.address = settings_.address;
  ask.max_tokens = settings_.max_extract_tokens;
  const std::string exchange = "User: " + std::string(shortened(asked, kMostShown)) +
                               "\nAssistant: " + std::string(shortened(answered, kMostShown));
  ask.prompt = filled(settings_.extraction_prompt, {{"exchange", trimmed(exchange)}});
  return lesson;
}

void EntityMemory::Extraction::take(const std::string& answer, Learnt& into) const {
  into.facts = facts_in(answer);
  into.most_facts = settings_.max_facts;
}

std::vector<std::string> EntityMemory::facts_in(std::string_view answer) {
  std::vector<std::string> facts;
  std::string_view rest = answer.substr(0, kMostScanned);
  for (std::size_t failures = 0; failures < kMostFailures;) {
    const auto open = rest.find('[');
    if (open == std::string_view::npos) break;
    rest.remove_prefix(open);
    const auto end = end_of_array(rest);
    const json array = end == std::string_view::npos ? json(json::value_t::discarded)
                                                     : json::parse(rest.substr(0, end), nullptr, false);
    if (array.is_array()) {
      add_facts(array, facts);
      rest.remove_prefix(end);
    } else {
      ++failures;
      rest.remove_prefix(1);
    }
  }
  return facts;
}

}  // namespace persona
