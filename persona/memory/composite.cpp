#include "persona/memory/composite.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "persona/memory/learning.hpp"
#include "persona/memory/settings.hpp"

namespace persona {
namespace {

using nlohmann::json;

constexpr std::size_t kMostMembers = 16;
constexpr std::size_t kMostFetched = 200;

// The composite's scope reaches every member that sets none of its own.
json settings_of(const json& spec, const json* scope) {
  json settings = json::object();
  if (spec.is_object()) {
    const auto given = spec.find("config");
    if (given != spec.end() && given->is_object()) settings = *given;
  }
  if (scope != nullptr && !settings.contains("scope")) settings["scope"] = *scope;
  return settings;
}

void read_member(const json& spec, const json* scope, SettingsReader& reader,
                 std::vector<CompositeMemory::Member>& members) {
  CompositeMemory::Member member;
  if (spec.is_string()) member.module = spec.get<std::string>();
  if (spec.is_object()) {
    const auto name = spec.find("module");
    if (name != spec.end() && name->is_string()) member.module = name->get<std::string>();
    const auto weight = spec.find("weight");
    if (weight != spec.end() && weight->is_number()) member.weight = weight->get<double>();
  }
  if (member.module.empty()) return reader.warn("members", "one has no module; it is left out");
  if (member.module == kCompositeModule) {
    return reader.warn("members", "a composite cannot be a member; it is left out");
  }
  std::string warning;
  member.memory = make_module(member.module, settings_of(spec, scope), warning);
  if (!warning.empty()) reader.warn("members", warning);
  if (!member.memory) return reader.warn("members", "'" + member.module + "' does not exist here; it is left out");
  members.push_back(std::move(member));
}

}  // namespace

CompositeMemory::Settings CompositeMemory::Settings::read(SettingsReader reader) {
  Settings settings;
  settings.retrieval = RetrievalSettings::read(reader);
  RetrievalSettings& retrieval = settings.retrieval;
  retrieval.max_num_results = reader.count("max_num_results", retrieval.max_num_results, kMostFetched);
  settings.fusion.fusion = Fusion{static_cast<std::uint8_t>(
      reader.word("fusion", {"score", "rrf", "weighted", "merge", "priority", "interleave"}, 0))};
  settings.fusion.rrf_k = reader.number("rrf_k", settings.fusion.rrf_k, 0, 1e6);
  settings.fusion.dedup = reader.flag("dedup", settings.fusion.dedup);
  settings.member_fetch_k = reader.count("member_fetch_k", 2 * retrieval.max_num_results, kMostFetched);
  if (const json* members = reader.value("members")) {
    if (!members->is_array()) reader.warn("members", "expected a list; there are none");
    for (const json& spec : members->is_array() ? *members : json::array()) {
      if (settings.members.size() == kMostMembers) {
        reader.warn("members", std::to_string(kMostMembers) + " are the most; the rest is left out");
        break;
      }
      read_member(spec, reader.value("scope"), reader, settings.members);
    }
  }
  const std::string primary = reader.text("primary");
  const auto found = std::ranges::find(settings.members, primary, &Member::module);
  if (found != settings.members.end()) {
    settings.primary = static_cast<std::size_t>(found - settings.members.begin());
  } else if (!primary.empty()) {
    reader.warn("primary", "'" + primary + "' is not among the members; the first one is");
  }
  return settings;
}

CompositeMemory::CompositeMemory(Settings settings) : settings_(std::move(settings)) {}

std::size_t CompositeMemory::wanted_messages() const {
  std::size_t most = 1;
  for (const Member& member : settings_.members) most = std::max(most, member.memory->wanted_messages());
  return most;
}

std::size_t CompositeMemory::window_messages() const {
  return settings_.members.empty() ? 1 : settings_.members[settings_.primary].memory->window_messages();
}

std::vector<ContextMessage> CompositeMemory::history(const Window& window, const Recollection& recollection,
                                                     const ContextQuery& query) const {
  if (settings_.members.empty()) return {};
  Recollection known;  // what a history can depend on
  known.summary = recollection.summary;
  return settings_.members[settings_.primary].memory->build_conversation_context(window, known, query).history;
}

// One for each member that recalls: all look for the same, and not for what the history shows.
std::vector<RecallAsk> CompositeMemory::asks(const Window& window, const Recollection& known,
                                             const ContextQuery& query) const {
  std::vector<RecallAsk> all;
  const RecallAsk own = settings_.retrieval.ask(window, known.summary.progress.upto, window_messages(),
                                                history(window, known, query), query);
  for (const Member& member : settings_.members) {
    const Wants wants = member.memory->wants(window, query);
    if (wants.recall.empty()) continue;
    RecallAsk ask = wants.recall.front();
    ask.query = own.query;
    ask.left_out = own.left_out;
    ask.most = settings_.member_fetch_k;
    all.push_back(std::move(ask));
  }
  return all;
}

Wants CompositeMemory::wants(const Window& window, const ContextQuery& query) const {
  Wants all;
  for (const Member& member : settings_.members) {
    const Wants wants = member.memory->wants(window, query);
    all.facts = std::max(all.facts, wants.facts);
    all.summary = all.summary || wants.summary;
  }
  if (!all.summary) all.recall = asks(window, {}, query);
  return all;
}

// What is summed up is not in the history, and so can be recalled.
Wants CompositeMemory::wants_then(const Window& window, const Recollection& known, const ContextQuery& query) const {
  Wants then;
  if (wants(window, query).summary) then.recall = asks(window, known, query);
  return then;
}

ContextParts CompositeMemory::build_conversation_context(const Window& window, const Recollection& recollection,
                                                         const ContextQuery& query) const {
  ContextParts parts;
  if (query.with_system_prompt) parts.system_prompt = settings_.retrieval.system_prompt;
  parts.history = history(window, recollection, query);
  std::vector<RankedList> lists;
  for (const Member& member : settings_.members) {
    const Wants wants = member.memory->wants(window, query);
    if (!wants.recall.empty()) {
      RankedList list{member.weight, {}};
      if (lists.size() < recollection.recalled.size()) list.recalled = recollection.recalled[lists.size()];
      lists.push_back(std::move(list));
      continue;  // a member that recalls gives nothing else
    }
    Recollection known;
    known.summary = recollection.summary;
    known.facts = recollection.facts;
    if (known.facts.size() > wants.facts) {
      known.facts.erase(known.facts.begin(), known.facts.end() - static_cast<std::ptrdiff_t>(wants.facts));
    }
    ContextParts its = member.memory->build_conversation_context(window, known, query);
    parts.member_prompts.push_back(std::move(its.system_prompt));
    if (!its.facts.empty()) parts.facts = std::move(its.facts);
    if (!its.summary.empty()) parts.summary = std::move(its.summary);
  }
  parts.recalled = fused(lists, settings_.fusion);
  if (parts.recalled.size() > settings_.retrieval.max_num_results) {
    parts.recalled.resize(settings_.retrieval.max_num_results);
  }
  parts.rendering = settings_.retrieval.rendering;
  return parts;
}

RecallScope CompositeMemory::recall_scope() const {
  RecallScope widest = RecallScope::session;
  for (const Member& member : settings_.members) widest = std::max(widest, member.memory->recall_scope());
  return widest;
}

std::vector<const Learning*> CompositeMemory::learnings() const {
  std::vector<const Learning*> all;
  for (const Member& member : settings_.members) {
    for (const Learning* learning : member.memory->learnings()) {
      // One of each kind: a thread has one summary and one list of facts.
      const auto same = [&](const Learning* other) { return other->kind() == learning->kind(); };
      if (std::ranges::none_of(all, same)) all.push_back(learning);
    }
  }
  return all;
}

}  // namespace persona
