#include <algorithm>
#include <limits>
#include <utility>

#include "persona/recall/spelling.hpp"
#include "persona/store/index_tables.hpp"

// The side of the index that is asked; what changes it is in index_tables.cpp.
namespace persona {
namespace {

using Step = SqliteRun::Step;

constexpr std::size_t kMostListBytes = 16u << 20;  // of one term: one that is said so often tells nothing
constexpr std::size_t kMostAlike = 20;             // terms of all scopes that are looked for in this one
constexpr std::int64_t kMostLonger = 3;            // bytes that a word of another spelling has more, or less
constexpr std::size_t kMostMangled = 2;            // words of a question
constexpr std::size_t kMostCompared = 1000;        // terms: of a large vocabulary those with the same first letter
constexpr std::int64_t kAnyThread = std::numeric_limits<std::int64_t>::max();
constexpr std::uint32_t kAnyPlace = std::numeric_limits<std::uint32_t>::max();

std::string_view as_text(std::span<const std::uint8_t> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::span<const std::uint8_t> as_bytes(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

}  // namespace

bool IndexTables::scope(const ThreadKey& from, std::int64_t thread, RecallScope wanted, Scope& found) {
  std::int64_t owner = 0;
  if (wanted != RecallScope::persona && !owner_id(from.where.owner, false, owner)) return false;
  if (wanted != RecallScope::persona && owner == 0) return true;
  if (wanted == RecallScope::session && thread == 0) return true;
  if (wanted != RecallScope::session) thread = 0;
  SqliteRun run(read_statistics_, from.persona, owner, thread);
  const auto step = run.step();
  if (step != Step::row) return step == Step::done;
  found.empty = false;
  found.statistics = {static_cast<std::uint64_t>(run.integer(0)), static_cast<std::uint64_t>(run.integer(1))};
  found.languages = LanguageSet(static_cast<std::uint32_t>(run.integer(2)));
  found.first = {owner, thread, 0};
  found.last = {owner == 0 ? kAnyThread : owner, thread == 0 ? kAnyThread : thread, kAnyPlace};
  return true;
}

bool IndexTables::postings(std::string_view persona, const Scope& scope, const std::vector<QueryTerm>& query,
                           Blocks& blocks, std::vector<TermPostings>& found) {
  const std::string name(persona);
  std::size_t mangled = 0;
  for (const QueryTerm& one : query) {
    TermPostings& postings = found.emplace_back();
    for (const std::string& term : one.terms) {
      std::int64_t id = 0;
      if (!term_id(name, term, false, id)) return false;
      if (id != 0 && !read_list(id, scope, blocks, postings.lists.emplace_back())) return false;
    }
    const bool said = std::ranges::any_of(postings.lists, [](const auto& list) { return !list.empty(); });
    if (said || mangled == kMostMangled || one.terms.empty() || !may_be_mangled(one.terms.front())) continue;
    ++mangled;
    if (!read_alike(name, scope, one.terms.front(), blocks, postings)) return false;
  }
  return true;
}

// The most alike of those that are said in the scope.
bool IndexTables::read_alike(const std::string& persona, const Scope& scope, std::string_view term, Blocks& blocks,
                             TermPostings& found) {
  std::vector<TermAlike> alike;
  if (!terms_alike(persona, term, alike)) return false;
  std::ranges::stable_sort(alike, std::ranges::greater(), &TermAlike::likeness);
  if (alike.size() > kMostAlike) alike.resize(kMostAlike);
  for (const TermAlike& one : alike) {
    std::vector<PostingGroup> list;
    if (!read_list(one.term, scope, blocks, list)) return false;
    if (list.empty()) continue;
    found.lists.push_back(std::move(list));
    break;
  }
  return true;
}

bool IndexTables::terms_alike(const std::string& persona, std::string_view term, std::vector<TermAlike>& alike) {
  std::size_t compared = 0;
  const auto size = static_cast<std::int64_t>(term.size());
  for (const char letter : first_letters(term)) {
    const std::string from(1, letter);
    const std::string end(1, static_cast<char>(letter + 1));
    SqliteRun run(terms_between_, persona, from, end, size - kMostLonger, size + kMostLonger,
                  as_limit(kMostCompared - compared));
    auto step = run.step();
    for (; step == Step::row; step = run.step(), ++compared) {
      const std::string other = run.text(1);
      const double likeness = may_be_mangled(other) ? persona::likeness(term, other) : 0;
      if (likeness >= kAlike) alike.push_back({likeness, run.integer(0)});
    }
    if (step == Step::failed) return false;
  }
  return true;
}

bool IndexTables::read_list(std::int64_t term, const Scope& scope, Blocks& blocks, std::vector<PostingGroup>& list) {
  std::size_t bytes = 0;
  const auto take = [&](std::span<const std::uint8_t> block) {
    blocks.emplace_back(as_text(block));
    bytes += block.size();
    PostingGroups groups(as_bytes(blocks.back()));
    while (const auto group = groups.next()) {
      const Address first{group->owner, group->thread, 0};
      if (first < Address{scope.first.owner, scope.first.thread, 0}) continue;
      if (first > Address{scope.last.owner, scope.last.thread, 0}) break;
      list.push_back(*group);
    }
  };
  const auto read = [&](SqliteRun run) {
    auto step = run.step();
    for (; step == Step::row && bytes < kMostListBytes; step = run.step()) take(run.bytes(0));
    return step != Step::failed;
  };
  const auto& [first, last] = std::pair(scope.first, scope.last);
  const auto place = [](const Address& at) { return static_cast<std::int64_t>(at.place); };
  return read(SqliteRun(at_, term, first.owner, first.thread, place(first))) &&
         read(SqliteRun(range_, term, first.owner, first.thread, place(first), last.owner, last.thread, place(last)));
}

}  // namespace persona
