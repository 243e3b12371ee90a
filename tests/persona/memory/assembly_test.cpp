#include "persona/memory/assembly.hpp"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "tests/persona/memory/turns.hpp"

namespace persona {
namespace {

using testing::row;
using testing::rows;
using testing::shown;

Recalled recalled(Number exchange, const std::string& asked, const std::string& answered, double score = 1) {
  Recalled one;
  one.thread = {{"local", "kitchen"}, "Ada"};
  one.turns = {row(exchange, exchange, Role::user, asked), row(exchange + 1, exchange, Role::assistant, answered)};
  one.score = score;
  return one;
}

// Everything a context can have: a prompt, facts, a summary, two recalled exchanges, two exchanges of history.
ContextParts all_parts(InjectMode mode = InjectMode::system) {
  ContextParts parts;
  parts.system_prompt = " Be Ada. ";
  parts.facts = "Facts:\n- tea";
  parts.summary = "Summary: hello";
  parts.recalled = {recalled(101, "best?", "yes", 2), recalled(103, "worst?", "no")};
  parts.rendering.mode = mode;
  parts.rendering.header = "Use this.";
  parts.rendering.system_prompt_template = "{system}\n\n{header}\n\nContext:\n{context}";
  parts.rendering.user_template = "{header}\n\nContext:\n{context}\n\nQuestion: {utterance}";
  parts.history = fold(rows({{Role::user, "1?"}, {Role::assistant, "1"}, {Role::user, "2?"}, {Role::assistant, "2"}}),
                       ContextQuery{});
  return parts;
}

constexpr const char* kContext = "- Q: best?\nA: yes\n\n- Q: worst?\nA: no";

TEST_CASE("the parts stand in one order: prompt, facts, summary, recalled, history, the trimmed utterance") {
  CHECK(shown(assemble(all_parts(), " now? \n").messages) ==
        std::string("system:Be Ada.|system:Facts:\n- tea|system:Summary: hello|system:Use this.\n\nContext:\n") +
            kContext + "|user:1?|assistant:1|user:2?|assistant:2|user:now?");
}

TEST_CASE("without parts a context is the utterance") {
  const Context context = assemble({}, " x ");
  CHECK(shown(context.messages) == "user:x");
  CHECK(context.tokens == tokens_of(context.messages[0]));
  CHECK_FALSE(context.over_budget);
}

TEST_CASE("each inject mode puts what is recalled where it says") {
  const std::string context = kContext;
  CHECK(shown(assemble(all_parts(InjectMode::developer), "now?").messages).find("developer:Use this.") !=
        std::string::npos);
  CHECK(assemble(all_parts(InjectMode::system_prompt), "now?").messages.front().content ==
        "Be Ada.\n\nUse this.\n\nContext:\n" + context);
  CHECK(assemble(all_parts(InjectMode::user), "now?").messages.back().content ==
        "Use this.\n\nContext:\n" + context + "\n\nQuestion: now?");
  const auto messages = assemble(all_parts(InjectMode::tool), "now?").messages;
  const ContextMessage& call = messages[messages.size() - 3];
  const ContextMessage& result = messages[messages.size() - 2];
  CHECK(result.role == Role::tool);
  CHECK(result.content == context);
  CHECK(result.name == "search_memory");
  const auto calls = nlohmann::json::parse(call.tool_calls);
  CHECK(calls[0]["id"] == result.tool_call_id);
  CHECK(calls[0]["arguments"]["query"] == "now?");
  CHECK(shown(messages).ends_with("|user:now?"));
}

TEST_CASE("the id of a tool call is the same for the same question on the same memory, and another for another") {
  const auto id = [](const char* utterance) {
    const auto messages = assemble(all_parts(InjectMode::tool), utterance).messages;
    return messages[messages.size() - 2].tool_call_id;
  };
  CHECK(id("now?") == id("now?"));
  CHECK(id("now?") != id("then?"));
}

TEST_CASE("without a system prompt, what is recalled makes one in the mode that folds it in") {
  ContextParts parts = all_parts(InjectMode::system_prompt);
  parts.system_prompt.clear();
  parts.facts.clear();
  parts.summary.clear();
  CHECK(assemble(parts, "now?").messages.front().content == std::string("Use this.\n\nContext:\n") + kContext);
}

TEST_CASE("a summary can stand at the end of the system prompt, or make one") {
  ContextParts parts = all_parts();
  parts.summary_place = ContextParts::SummaryPlace::system_prompt;
  parts.recalled.clear();
  parts.facts.clear();
  CHECK(shown(assemble(parts, "x").messages).starts_with("system:Be Ada.\n\nSummary: hello|user:1?"));
  parts.system_prompt.clear();
  CHECK(shown(assemble(parts, "x").messages).starts_with("system:Summary: hello|user:1?"));
}

TEST_CASE("what is recalled but stands in the history anyway is not shown twice") {
  ContextParts parts = all_parts();
  parts.recalled.insert(parts.recalled.begin(), recalled(3, "2?", "2", 9));
  CHECK(shown(assemble(parts, "x").messages) == shown(assemble(all_parts(), "x").messages));
}

TEST_CASE("speech that joined an answer is not recalled as well") {
  ContextParts parts = all_parts();
  auto turns = rows({{Role::user, "1?"}, {Role::assistant, "1"}});
  turns.push_back(row(5, 5, Role::assistant, "Take your pills"));
  parts.history = fold(turns, ContextQuery{});
  Recalled alarm;
  alarm.turns = {turns.back()};
  parts.recalled = {alarm};
  CHECK(shown(assemble(parts, "x").messages).find("Context:") == std::string::npos);
}

TEST_CASE("a budget drops whole parts in its order: the worst recalled, old exchanges, the summary, the facts") {
  const Context whole = assemble(all_parts(), "now?");
  std::vector<std::string> seen;
  for (std::size_t most = whole.tokens; most > 0; --most) {
    ContextLimits limits;
    limits.max_tokens = most;
    const Context context = assemble(all_parts(), "now?", limits);
    if (!context.over_budget) CHECK(context.tokens <= most);
    std::string text = shown(context.messages);
    if (seen.empty() || seen.back() != text) seen.push_back(std::move(text));
  }
  const std::string prompt = "system:Be Ada.|", facts = "system:Facts:\n- tea|", summary = "system:Summary: hello|";
  const std::string best = "system:Use this.\n\nContext:\n- Q: best?\nA: yes|";
  const std::vector<std::string> expected{
      shown(whole.messages),
      prompt + facts + summary + best + "user:1?|assistant:1|user:2?|assistant:2|user:now?",
      prompt + facts + summary + "user:1?|assistant:1|user:2?|assistant:2|user:now?",
      prompt + facts + summary + "user:2?|assistant:2|user:now?",
      prompt + facts + summary + "user:now?",
      prompt + facts + "user:now?",
      prompt + "user:now?",
  };
  CHECK(seen == expected);
}

TEST_CASE("the prompt and the utterance are never cut: alone over the budget they are returned, and it is said") {
  ContextLimits limits;
  limits.max_tokens = 1;
  const Context context = assemble(all_parts(), "now?", limits);
  CHECK(shown(context.messages) == "system:Be Ada.|user:now?");
  CHECK(context.over_budget);
}

TEST_CASE("an explanation names each part, what it costs, and what the budget left out") {
  ContextLimits limits;
  limits.explained = true;
  limits.max_tokens = assemble(all_parts(), "now?").tokens - 1;
  const Context context = assemble(all_parts(), "now?", limits);
  std::string text;
  for (const Context::Part& part : context.parts) {
    CHECK(part.tokens > 0);
    text.append(part.name)
        .append(" ")
        .append(std::to_string(part.count))
        .append("-")
        .append(std::to_string(part.dropped));
    text += ';';
  }
  CHECK(text == "system_prompt 1-0;facts 1-0;summary 1-0;recalled 1-1;history 4-0;utterance 1-0;");
  CHECK(context.recalled.size() == 1);
}

TEST_CASE("templates: names are filled in, doubled braces are braces, other braces stay") {
  CHECK(filled("{a} {{a}} {b} {a", {{"a", "1"}}) == "1 {a} {b} {a");
  CHECK(filled("", {{"a", "1"}}) == "");
  CHECK(filled("{a}", {{"a", "{a}"}}) == "{a}");
}

TEST_CASE("recalled exchanges are shown with prefix, separator and, where wanted, their source") {
  RecallRendering how;
  how.chunk_prefix = "* ";
  how.chunk_separator = "\n";
  how.include_sources = true;
  CHECK(rendered({recalled(101, "a?", "b"), recalled(103, "c?", "d")}, how) ==
        "* [turn-101] Q: a?\nA: b\n* [turn-103] Q: c?\nA: d");
}

}  // namespace
}  // namespace persona
