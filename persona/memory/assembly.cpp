#include "persona/memory/assembly.hpp"

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>

#include "persona/memory/context.hpp"
#include "persona/memory/digest.hpp"
#include "persona/white_space.hpp"

namespace persona {
namespace {

ContextMessage message_of(Role role, std::string content) {
  ContextMessage message;
  message.role = role;
  message.content = std::move(content);
  return message;
}

void append_line(std::string& to, std::string_view text) {
  if (!to.empty() && !text.empty()) to += '\n';
  to += text;
}

std::string call_id(std::string_view utterance, const std::vector<Recalled>& recalled) {
  std::uint64_t hash = digest(kDigestStart, utterance);
  for (const Recalled& one : recalled) hash = digest(hash, one.turns.front()->id);
  char text[sizeof "memrag_" + 16];
  std::snprintf(text, sizeof text, "memrag_%016llx", static_cast<unsigned long long>(hash));
  return text;
}

/// Everything but the history, laid out around it.
struct Frame {
  std::vector<ContextMessage> before, after;
};

/// Builds a context of what is still in it, as parts fall away.
class Assembler {
 public:
  Assembler(ContextParts parts, std::string_view utterance, const ContextLimits& limits)
      : parts_(std::move(parts)), utterance_(trimmed(utterance)), limits_(limits) {
    parts_.system_prompt = std::string(trimmed(parts_.system_prompt));
    std::erase_if(parts_.member_prompts, [](const std::string& prompt) { return is_blank(prompt); });
    settle(parts_.history, Questions::kept);
    std::erase_if(parts_.recalled, [this](const Recalled& one) {
      return one.turns.empty() || rendered(one).empty() || is_shown(one, parts_.history);
    });
    for (const ContextMessage& message : parts_.history) history_tokens_ += tokens(message);
    has_facts_ = !parts_.facts.empty();
    has_summary_ = !parts_.summary.empty();
    all_recalled_ = parts_.recalled.size();
    all_history_ = parts_.history.size();
  }

  Context assembled() {
    const auto fits = [this](std::size_t rest) {
      return !limits_.max_tokens || rest + history_tokens_ <= *limits_.max_tokens;
    };
    const auto rest = [this] { return limits_.max_tokens ? tokens_around(framed()) : 0; };
    std::size_t around = rest();
    while (!fits(around) && !parts_.recalled.empty()) {
      parts_.recalled.pop_back();
      around = rest();
    }
    while (!fits(around) && kept_from_ < parts_.history.size()) drop_oldest_exchange();
    if (!fits(around)) {
      parts_.summary.clear();
      around = rest();
    }
    if (!fits(around)) parts_.facts.clear();
    return made();
  }

 private:
  [[nodiscard]] std::size_t count(std::string_view text) const { return limits_.count(text); }
  [[nodiscard]] std::size_t tokens(const ContextMessage& message) const { return tokens_of(message, limits_.count); }
  [[nodiscard]] std::size_t tokens_around(const Frame& frame) const {
    std::size_t sum = 0;
    for (const ContextMessage& message : frame.before) sum += tokens(message);
    for (const ContextMessage& message : frame.after) sum += tokens(message);
    return sum;
  }

  // An exchange begins with its question, and with the instructions that stand before the first one.
  void drop_oldest_exchange() {
    bool questioned = false;
    for (; kept_from_ < parts_.history.size(); ++kept_from_) {
      const ContextMessage& message = parts_.history[kept_from_];
      if (message.role == Role::user && std::exchange(questioned, true)) return;
      history_tokens_ -= tokens(message);
    }
  }

  [[nodiscard]] Frame framed() const {
    Frame frame;
    put_prompts(frame);
    if (!parts_.facts.empty()) frame.before.push_back(message_of(Role::system, parts_.facts));
    if (!parts_.summary.empty() && parts_.summary_place == ContextParts::SummaryPlace::own_message) {
      frame.before.push_back(message_of(Role::system, parts_.summary));
    }
    put_recalled_and_utterance(frame);
    return frame;
  }

  void put_prompts(Frame& frame) const {
    std::string own = parts_.system_prompt;
    if (!parts_.summary.empty() && parts_.summary_place == ContextParts::SummaryPlace::system_prompt) {
      if (!own.empty()) own += "\n\n";
      own += parts_.summary;
    }
    if (parts_.rendering.mode == InjectMode::system_prompt && !parts_.recalled.empty()) {
      const std::string context = rendered(parts_.recalled, parts_.rendering);
      own = trimmed(filled(parts_.rendering.system_prompt_template,
                           {{"system", own}, {"header", parts_.rendering.header}, {"context", context}}));
    }
    if (!own.empty()) frame.before.push_back(message_of(Role::system, std::move(own)));
    for (const std::string& prompt : parts_.member_prompts) {
      frame.before.push_back(message_of(Role::system, std::string(trimmed(prompt))));
    }
  }

  void put_recalled_and_utterance(Frame& frame) const {
    const RecallRendering& how = parts_.rendering;
    const std::string context = parts_.recalled.empty() ? std::string() : rendered(parts_.recalled, how);
    ContextMessage last = message_of(Role::user, std::string(utterance_));
    if (!context.empty()) {
      switch (how.mode) {
        case InjectMode::system:
        case InjectMode::developer:
          frame.before.push_back(message_of(how.mode == InjectMode::system ? Role::system : Role::developer,
                                            how.header + "\n\nContext:\n" + context));
          break;
        case InjectMode::tool:
          put_call(frame.after, context);
          break;
        case InjectMode::user:
          last.content =
              filled(how.user_template, {{"header", how.header}, {"context", context}, {"utterance", utterance_}});
          break;
        case InjectMode::system_prompt:
          break;
      }
    }
    frame.after.push_back(std::move(last));
  }

  void put_call(std::vector<ContextMessage>& to, const std::string& context) const {
    const std::string id = call_id(utterance_, parts_.recalled);
    ContextMessage& call = to.emplace_back();
    call.role = Role::assistant;
    const nlohmann::json calls = nlohmann::json::array(
        {{{"id", id}, {"name", parts_.rendering.tool_name}, {"arguments", {{"query", std::string(utterance_)}}}}});
    call.tool_calls = calls.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    ContextMessage& result = to.emplace_back();
    result.role = Role::tool;
    result.content = context;
    result.name = parts_.rendering.tool_name;
    result.tool_call_id = id;
  }

  Context made() {
    Context context;
    Frame frame = framed();
    context.tokens = tokens_around(frame) + history_tokens_;
    context.over_budget = limits_.max_tokens && context.tokens > *limits_.max_tokens;
    if (limits_.explained) explain(context);
    context.messages = std::move(frame.before);
    context.messages.reserve(context.messages.size() + parts_.history.size() - kept_from_ + frame.after.size());
    std::move(parts_.history.begin() + static_cast<std::ptrdiff_t>(kept_from_), parts_.history.end(),
              std::back_inserter(context.messages));
    std::move(frame.after.begin(), frame.after.end(), std::back_inserter(context.messages));
    context.recalled = std::move(parts_.recalled);
    return context;
  }

  void explain(Context& context) const {
    const auto add = [&context](std::string_view name, std::size_t tokens, std::size_t kept, std::size_t dropped) {
      if (kept + dropped > 0) context.parts.push_back({name, tokens, kept, dropped});
    };
    std::size_t prompts = count(parts_.system_prompt);
    for (const std::string& prompt : parts_.member_prompts) prompts += count(prompt);
    add("system_prompt", prompts, parts_.member_prompts.size() + (parts_.system_prompt.empty() ? 0 : 1), 0);
    const std::size_t facts = parts_.facts.empty() ? 0 : 1;
    add("facts", count(parts_.facts), facts, has_facts_ ? 1 - facts : 0);
    const std::size_t summary = parts_.summary.empty() ? 0 : 1;
    add("summary", count(parts_.summary), summary, has_summary_ ? 1 - summary : 0);
    const std::size_t recalled = parts_.recalled.size();
    add("recalled", recalled == 0 ? 0 : count(rendered(parts_.recalled, parts_.rendering)), recalled,
        all_recalled_ - recalled);
    add("history", history_tokens_, all_history_ - kept_from_, kept_from_);
    add("utterance", count(utterance_), 1, 0);
  }

  ContextParts parts_;
  std::string_view utterance_;
  const ContextLimits& limits_;
  std::size_t history_tokens_ = 0;
  std::size_t kept_from_ = 0;
  std::size_t all_recalled_ = 0;
  std::size_t all_history_ = 0;
  bool has_facts_ = false;
  bool has_summary_ = false;
};

}  // namespace

Context assemble(ContextParts parts, std::string_view utterance, const ContextLimits& limits) {
  return Assembler(std::move(parts), utterance, limits).assembled();
}

bool is_shown(const Recalled& recalled, const std::vector<ContextMessage>& history) {
  const Number exchange = recalled.turns.front()->exchange;
  return std::ranges::any_of(history, [exchange](const ContextMessage& message) {
    return message.exchange == exchange ||
           std::ranges::find(message.more_exchanges, exchange) != message.more_exchanges.end();
  });
}

std::string rendered(const Recalled& recalled) {
  std::string question, answer;
  for (const TurnPtr& turn : recalled.turns) {
    if (turn->role == Role::user) append_line(question, turn->content);
    if (turn->role == Role::assistant) append_line(answer, turn->content);
  }
  return std::string(trimmed("Q: " + question + "\nA: " + answer));
}

std::string rendered(const std::vector<Recalled>& recalled, const RecallRendering& rendering) {
  std::string text;
  for (const Recalled& one : recalled) {
    if (!text.empty()) text += rendering.chunk_separator;
    text += rendering.chunk_prefix;
    if (rendering.include_sources) text.append("[").append(one.turns.front()->exchange_id).append("] ");
    text += rendered(one);
  }
  return text;
}

std::string filled(std::string_view text, std::initializer_list<TemplateValue> values) {
  std::string result;
  while (!text.empty()) {
    const auto brace = text.find_first_of("{}");
    result += text.substr(0, brace);
    if (brace == std::string_view::npos) break;
    text.remove_prefix(brace);
    if (text.starts_with("{{") || text.starts_with("}}")) {
      result += text.front();
      text.remove_prefix(2);
      continue;
    }
    const auto* value = std::ranges::find_if(values, [&](const TemplateValue& one) {
      return text.size() > one.name.size() + 1 && text.front() == '{' && text.substr(1).starts_with(one.name) &&
             text[one.name.size() + 1] == '}';
    });
    if (value == values.end()) {
      result += text.front();
      text.remove_prefix(1);
    } else {
      result += value->value;
      text.remove_prefix(value->name.size() + 2);
    }
  }
  return result;
}

}  // namespace persona
