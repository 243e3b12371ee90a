#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "persona/memory/assembly.hpp"
#include "persona/memory/memory.hpp"
#include "tests/persona/memory/histories.hpp"
#include "tests/persona/memory/turns.hpp"

// What holds for the contexts of every memory that is built in, whatever its settings and whatever was said.
namespace persona {
namespace {

using nlohmann::json;
using testing::Histories;
using testing::window_of;

constexpr const char* kUtterance = "what now?";
constexpr const char* kModules[] = {
    "ovos-agents-short-term-memory-plugin",
    "ovos-memory-plugin-recency",
    "ovos-memory-plugin-lexical",
    "ovos-memory-plugin-local-rag",
    "ovos-memory-plugin-longterm",
    "ovos-memory-plugin-entity",
    "ovos-memory-plugin-composite",
    "personad-memory-plugin",
    "chromadb_memory",
    "summarizing_memory",
};

/// Persona files at random: settings that are right, and some that are not.
class Files : public Histories {
 public:
  using Histories::Histories;

  json settings(const std::string& module, int depth = 0) {
    json made = json::object();
    if (chance()) made["max_history"] = below(12);
    if (chance()) made["system_prompt"] = chance() ? "Be Ada." : "  ";
    if (chance()) made["inject_mode"] = any({"system", "developer", "system_prompt", "user", "tool"});
    if (chance()) made["retrieval"] = {{"max_num_results", below(6)}, {"query_mode", any({"utterance", "history"})}};
    if (chance()) made["context"] = {{"header", any({"", "H {context}"})}, {"include_sources", chance()}};
    if (chance()) made["user_template"] = any({"{context} {utterance}", "{utterance}", "{header}{unknown}{"});
    if (chance()) made["max_age"] = below(30);
    if (chance()) made["summarize_every"] = below(5);
    if (chance()) made["recent_window"] = below(4);
    if (chance()) made["max_facts"] = below(4);
    if (chance()) made["reload_buffer"] = below(12);
    if (chance()) made["fusion"] = any({"score", "rrf", "weighted", "merge", "priority", "interleave", "none"});
    if (module == "ovos-memory-plugin-composite" && depth == 0) {
      for (std::size_t i = below(4); i > 0; --i) {
        const std::string member = any_module();
        made["members"].push_back({{"module", member}, {"config", settings(member, 1)}, {"weight", below(3)}});
      }
    }
    if (module == "personad-memory-plugin" && depth == 0 && chance()) {
      const std::string inner = any_module();
      made["memory"] = settings(inner, 1);
      made["memory"]["module"] = inner;
    }
    return made;
  }
  std::string any_module() { return kModules[below(std::size(kModules))]; }
  bool chance() { return below(2) == 0; }

  /// What the archive could give: facts, a summary, and exchanges of the thread and of another one.
  Recollection recollection(const std::vector<TurnPtr>& turns, const Wants& wants) {
    Recollection found;
    for (std::size_t i = 0; i < std::min<std::size_t>(wants.facts, below(4)); ++i) {
      found.facts.push_back({"f", "fact\n" + std::to_string(i), 0, "asked", {}});
    }
    if (wants.summary && chance()) found.summary = {"They talked.", {below(8), 0}};
    for (const RecallAsk& ask : wants.recall) {
      auto& list = found.recalled.emplace_back();
      for (std::size_t i = 0; i < ask.most; ++i) {
        Recalled one;
        const Number exchange = chance() && !turns.empty() ? turns[below(turns.size())]->exchange : 1000 + below(4) * 2;
        one.turns = {testing::row(exchange, exchange, Role::user, "q" + std::to_string(exchange)),
                     testing::row(exchange + 1, exchange, Role::assistant, "a" + std::to_string(exchange))};
        one.score = static_cast<double>(below(5));
        list.push_back(std::move(one));
      }
    }
    return found;
  }

 private:
  const char* any(std::initializer_list<const char*> words) { return *(words.begin() + below(words.size())); }
};

// The messages of a context that stand between what is put before the history and the utterance.
std::vector<ContextMessage> history_part(const Context& context) {
  std::vector<ContextMessage> part(context.messages.begin(), context.messages.end() - 1);
  const bool recalled_by_tool = part.size() >= 2 && part.back().tool_call_id.starts_with("memrag_");
  if (recalled_by_tool) part.resize(part.size() - 2);
  return part;
}

std::string texts(const std::vector<ContextMessage>& messages) {
  std::string all;
  for (const ContextMessage& message : messages) all += message.content + '\n';
  return all;
}

TEST_CASE("no memory, settings, history or budget breaks what holds for every context") {
  Files files(11);
  for (int round = 0; round < 6000; ++round) {
    const std::string module = files.any_module();
    const json settings = files.settings(module);
    CAPTURE(module);
    CAPTURE(settings.dump());
    std::string warning;
    const auto memory = make_module(module, settings, warning);
    REQUIRE(memory);
    const auto turns = files.anything();
    const Window window = window_of(turns);
    ContextQuery query;
    query.utterance = kUtterance;
    query.now = 1700000010;
    if (files.chance() && !turns.empty()) query.left_out = turns[files.below(turns.size())]->exchange;
    if (files.chance()) query.as_of = files.below(32);
    Recollection recollection = files.recollection(turns, memory->wants(window, query));
    recollection.add(files.recollection(turns, memory->wants_then(window, recollection, query)));
    const auto parts = memory->build_conversation_context(window, recollection, query);

    const Context whole = assemble(parts, query.utterance);
    testing::check_invariants(history_part(whole), false);
    REQUIRE(whole.messages.back().role == Role::user);
    REQUIRE(whole.messages.back().content.find(kUtterance) != std::string::npos);
    REQUIRE(assemble(parts, query.utterance).messages == whole.messages);
    std::set<Number> exchanges;
    for (const ContextMessage& message : whole.messages) exchanges.insert(message.exchange);
    for (const Recalled& one : whole.recalled) REQUIRE_FALSE(exchanges.contains(one.turns.front()->exchange));
    if (query.left_out) REQUIRE_FALSE(exchanges.contains(*query.left_out));

    ContextLimits limits;
    limits.max_tokens = 1 + files.below(whole.tokens + 10);
    if (files.chance()) limits.count = bytes_as_tokens;
    const Context small = assemble(parts, query.utterance, limits);
    testing::check_invariants(history_part(small), false);
    REQUIRE(small.messages.back().role == Role::user);
    std::size_t tokens = 0;
    for (const ContextMessage& message : small.messages) tokens += tokens_of(message, limits.count);
    REQUIRE(tokens == small.tokens);
    REQUIRE((small.tokens <= *limits.max_tokens || small.over_budget));
    // Nothing is half: each message of the smaller context is one of the whole one, but for those that show a list.
    const std::string all = texts(whole.messages);
    for (const ContextMessage& message : small.messages) {
      const bool listed = message.exchange == 0;
      REQUIRE((listed || all.find(message.content) != std::string::npos));
    }
    if (small.over_budget) {
      REQUIRE(small.recalled.empty());
      for (const ContextMessage& message : small.messages) REQUIRE(message.exchange == 0);
    }
  }
}

TEST_CASE("settings of the wrong type never keep a memory from being made, and are named") {
  const json wrong = {{"max_history", "many"}, {"system_prompt", 5},     {"inject_mode", "loud"}, {"retrieval", 3},
                      {"context", "x"},        {"members", {1, "none"}}, {"fusion", 7},           {"primary", "x"},
                      {"api_url", {}},         {"memory", "x"},          {"record", "everything"}};
  for (const char* module : kModules) {
    CAPTURE(module);
    std::string warning;
    CHECK(make_module(module, wrong, warning) != nullptr);
    CHECK(warning.find("system_prompt") != std::string::npos);
  }
}

}  // namespace
}  // namespace persona
