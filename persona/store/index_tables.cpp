#include "persona/store/index_tables.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "persona/recall/indexed_text.hpp"

namespace persona {
namespace {

using Step = SqliteRun::Step;

constexpr std::size_t kMostBlockBytes = 900;  // so that a block fits into the page its key is in
constexpr std::size_t kMostWaiting = 200000;  // postings gathered before they are written
constexpr std::size_t kMostTerms = 10000;     // of one turn
constexpr std::int64_t kAnyThread = std::numeric_limits<std::int64_t>::max();
constexpr std::uint32_t kAnyPlace = std::numeric_limits<std::uint32_t>::max();
constexpr const char* kLastPlace =
    "SELECT place, timestamp FROM turns WHERE thread = ?1 AND place IS NOT NULL ORDER BY place DESC LIMIT 1";
constexpr const char* kOwner = "SELECT id FROM owners WHERE owner = ?1";
constexpr const char* kAddOwner = "INSERT INTO owners(owner) VALUES(?1) RETURNING id";
constexpr const char* kTerm = "SELECT id FROM terms WHERE persona = ?1 AND term = ?2";
constexpr const char* kAddTerm = "INSERT INTO terms(persona, term) VALUES(?1, ?2) RETURNING id";
constexpr const char* kDropTerm =
    "DELETE FROM terms WHERE id = ?1 AND NOT EXISTS(SELECT 1 FROM postings WHERE term = ?1)";
constexpr const char* kTermsBetween =
    "SELECT id, term FROM terms WHERE persona = ?1 AND term >= ?2 AND term < ?3"
    " AND length(term) BETWEEN ?4 AND ?5 LIMIT ?6";
constexpr const char* kAt =
    "SELECT block FROM postings WHERE term = ?1 AND (owner, thread, place) <= (?2, ?3, ?4)"
    " ORDER BY owner DESC, thread DESC, place DESC LIMIT 1";
constexpr const char* kFirst = "SELECT block FROM postings WHERE term = ?1 ORDER BY owner, thread, place LIMIT 1";
constexpr const char* kNext =
    "SELECT owner, thread, place FROM postings WHERE term = ?1 AND (owner, thread, place) > (?2, ?3, ?4)"
    " ORDER BY owner, thread, place LIMIT 1";
constexpr const char* kPut = "INSERT OR REPLACE INTO postings VALUES(?1, ?2, ?3, ?4, ?5)";
constexpr const char* kDrop = "DELETE FROM postings WHERE term = ?1 AND owner = ?2 AND thread = ?3 AND place = ?4";
constexpr const char* kRange =
    "SELECT block FROM postings WHERE term = ?1 AND (owner, thread, place) > (?2, ?3, ?4)"
    " AND (owner, thread, place) <= (?5, ?6, ?7) ORDER BY owner, thread, place";
constexpr const char* kAddStatistics =
    "INSERT INTO index_statistics VALUES(?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT DO UPDATE SET"
    " turns = turns + excluded.turns, terms = terms + excluded.terms, languages = languages | excluded.languages";
constexpr const char* kDropStatistics =
    "DELETE FROM index_statistics WHERE persona = ?1 AND owner = ?2 AND thread = ?3 AND turns <= 0";
constexpr const char* kReadStatistics =
    "SELECT turns, terms, languages FROM index_statistics WHERE persona = ?1 AND owner = ?2 AND thread = ?3";

}  // namespace

IndexTables::IndexTables(SqliteConnection& connection)
    : last_place_(connection, kLastPlace),
      owner_(connection, kOwner),
      add_owner_(connection, kAddOwner),
      term_(connection, kTerm),
      add_term_(connection, kAddTerm),
      drop_term_(connection, kDropTerm),
      terms_between_(connection, kTermsBetween),
      at_(connection, kAt),
      first_(connection, kFirst),
      next_(connection, kNext),
      put_(connection, kPut),
      drop_(connection, kDrop),
      range_(connection, kRange),
      add_statistics_(connection, kAddStatistics),
      drop_statistics_(connection, kDropStatistics),
      read_statistics_(connection, kReadStatistics) {}

bool IndexTables::next_place(std::int64_t thread, double timestamp, std::uint32_t& place) {
  auto known = last_places_.find(thread);
  if (known == last_places_.end()) {
    std::optional<LastPlace> last;
    SqliteRun run(last_place_, thread);
    const auto step = run.step();
    if (step == Step::failed) return false;
    if (step == Step::row) last = {static_cast<std::uint32_t>(run.integer(0)), run.real(1)};
    known = last_places_.emplace(thread, last).first;
  }
  place = known->second ? place_after(known->second->place, known->second->timestamp, timestamp) : 0;
  return true;
}

bool IndexTables::add(const Thread& thread, std::uint32_t place, const Turn& turn) {
  if (const auto known = last_places_.find(thread.id); known != last_places_.end()) {
    if (!known->second || place > known->second->place) known->second = {place, turn.timestamp};
  }
  return change(thread, place, turn, false);
}

bool IndexTables::remove(const Thread& thread, std::uint32_t place, const Turn& turn) {
  return change(thread, place, turn, true);
}

bool IndexTables::change(const Thread& thread, std::uint32_t place, const Turn& turn, bool gone) {
  std::int64_t owner = 0;
  if (!owner_id(thread.owner, true, owner)) return false;
  const IndexedText text = indexed_text(terms_, turn, kMostTerms);
  const Address at{owner, thread.id, place};
  auto& persona = changes_.try_emplace(std::string(thread.persona)).first->second;
  for (const auto& [term, frequency] : text.terms) {
    persona[term].push_back({{at, frequency, LengthCode::of(text.length)}, gone});
  }
  waiting_ += text.terms.size();
  const std::int64_t sign = gone ? -1 : 1;
  for (const auto& [its_owner, its_thread] : {std::pair(owner, thread.id), {owner, 0}, {0, 0}}) {
    Totals& totals = statistics_[{std::string(thread.persona), its_owner, its_thread}];
    totals.turns += sign;
    totals.terms += sign * static_cast<std::int64_t>(text.length);
    totals.languages.add(text.language);
  }
  return waiting_ < kMostWaiting || write();
}

bool IndexTables::write() {
  for (auto& [persona, terms] : changes_) {
    for (auto& [term, changes] : terms) {
      if (!write_term(persona, term, changes)) return false;
    }
  }
  changes_.clear();
  waiting_ = 0;
  last_places_.clear();
  for (const auto& [key, change] : statistics_) {
    if (!write_statistics(key, change)) return false;
  }
  statistics_.clear();
  return true;
}

void IndexTables::rolled_back() {
  changes_.clear();
  waiting_ = 0;
  last_places_.clear();
  statistics_.clear();
}

bool IndexTables::write_statistics(const StatisticsKey& key, const Totals& change) {
  const auto& [persona, owner, thread] = key;
  if (change.turns == 0 && change.terms == 0) return true;
  return SqliteRun(add_statistics_, persona, owner, thread, change.turns, change.terms,
                   static_cast<std::int64_t>(change.languages.bits()))
             .finish() &&
         (change.turns >= 0 || SqliteRun(drop_statistics_, persona, owner, thread).finish());
}

bool IndexTables::owner_id(std::string_view owner, bool add, std::int64_t& id) {
  {
    SqliteRun run(owner_, owner);
    const auto step = run.step();
    if (step == Step::failed) return false;
    if (step == Step::row) {
      id = run.integer(0);
      return true;
    }
  }
  id = 0;
  if (!add) return true;
  SqliteRun run(add_owner_, owner);
  if (run.step() != Step::row) return false;
  id = run.integer(0);
  return run.finish();
}

bool IndexTables::term_id(const std::string& persona, std::string_view term, bool add, std::int64_t& id) {
  {
    SqliteRun run(term_, persona, term);
    const auto step = run.step();
    if (step == Step::failed) return false;
    if (step == Step::row) {
      id = run.integer(0);
      return true;
    }
  }
  id = 0;
  if (!add) return true;
  SqliteRun run(add_term_, persona, term);
  if (run.step() != Step::row) return false;
  id = run.integer(0);
  return run.finish();
}

bool IndexTables::write_term(const std::string& persona, const std::string& term, std::vector<Change>& changes) {
  const bool adds = std::ranges::any_of(changes, [](const Change& change) { return !change.gone; });
  std::int64_t id = 0;
  if (!term_id(persona, term, adds, id)) return false;
  if (id == 0) return true;
  std::ranges::stable_sort(changes, {}, [](const Change& change) { return change.posting.at; });
  bool emptied = false;
  for (std::size_t i = 0; i < changes.size();) {
    Block block;
    if (!load(id, changes[i].posting.at, i + 1 < changes.size(), block)) return false;
    const std::optional<Address> before = block.stored ? std::optional(block.postings.front().at) : std::nullopt;
    bool appended = true;
    for (; i < changes.size() && (!block.next || changes[i].posting.at < *block.next); ++i) {
      const Posting& posting = changes[i].posting;
      auto at = std::ranges::lower_bound(block.postings, posting.at, {}, &Posting::at);
      const bool there = at != block.postings.end() && at->at == posting.at;
      appended = appended && at == block.postings.end();
      if (changes[i].gone && there) block.postings.erase(at);
      if (!changes[i].gone && there) *at = posting;
      if (!changes[i].gone && !there) block.postings.insert(at, posting);
    }
    if (!store(id, before, block.postings, appended)) return false;
    emptied = emptied || block.postings.empty();
  }
  return !emptied || SqliteRun(drop_term_, id).finish();
}

// The block that an address belongs into: the last one that begins at or before it, or the first of all.
bool IndexTables::load(std::int64_t term, const Address& at, bool with_next, Block& block) {
  const auto read = [&block](SqliteRun run) {
    const auto step = run.step();
    if (step != Step::row) return step == Step::done;
    auto postings = unpacked(run.bytes(0));
    block.stored = postings && !postings->empty();
    if (block.stored) block.postings = std::move(*postings);
    return true;
  };
  if (!read(SqliteRun(at_, term, at.owner, at.thread, static_cast<std::int64_t>(at.place)))) return false;
  if (!block.stored && !read(SqliteRun(first_, term))) return false;
  if (!block.stored) return true;
  if (!with_next) {
    // A single change belongs here, wherever the next one begins.
    block.next = Address{kAnyThread, kAnyThread, kAnyPlace};
    return true;
  }
  const Address& first = block.postings.front().at;
  SqliteRun run(next_, term, first.owner, first.thread, static_cast<std::int64_t>(first.place));
  const auto step = run.step();
  if (step == Step::row) {
    block.next = Address{run.integer(0), run.integer(1), static_cast<std::uint32_t>(run.integer(2))};
  }
  return step != Step::failed;
}

bool IndexTables::store(std::int64_t term, const std::optional<Address>& before, std::span<const Posting> postings,
                        bool appended) {
  if (before && (postings.empty() || postings.front().at != *before)) {
    const auto place = static_cast<std::int64_t>(before->place);
    if (!SqliteRun(drop_, term, before->owner, before->thread, place).finish()) return false;
  }
  return postings.empty() || store_blocks(term, postings, appended);
}

// One that grows at its end, as most do, leaves full blocks behind.
bool IndexTables::store_blocks(std::int64_t term, std::span<const Posting> postings, bool appended) {
  const std::string block = packed(postings);
  if (block.size() > kMostBlockBytes && postings.size() > 1) {
    const std::size_t left = appended ? postings.size() - postings.size() / 8 - 1 : postings.size() / 2;
    return store_blocks(term, postings.first(left), appended) && store_blocks(term, postings.subspan(left), appended);
  }
  const Address& at = postings.front().at;
  return SqliteRun(put_, term, at.owner, at.thread, static_cast<std::int64_t>(at.place), Bytes{block}).finish();
}

}  // namespace persona
