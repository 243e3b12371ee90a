#pragma once
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "persona/keys.hpp"
#include "persona/recall/postings.hpp"
#include "persona/recall/ranking.hpp"
#include "persona/recall/recall.hpp"
#include "persona/recall/terms.hpp"
#include "persona/store/sqlite.hpp"
#include "persona/turn.hpp"

namespace persona {

/// The index of what was said: for each persona and term the turns that say it, clustered by owner and thread.
///
/// Changes of a transaction are gathered and put into the tables by `write`, each block once, before it commits or
/// before something is looked for. Of a turn only its own words are kept: what its neighbours say is worked out when
/// something is looked for, so nothing has to be mended when a turn goes.
/// Invariant: after `write`, the tables hold the terms of every turn that has a place, and no others.
/// Errors: false, the store failed; the transaction has to be rolled back. Threading: that of its connection.
class IndexTables {
 public:
  explicit IndexTables(SqliteConnection& connection);

  /// A thread, with what the index needs to know of it.
  struct Thread {
    std::int64_t id = 0;
    std::string_view owner;
    std::string_view persona;
  };
  /// The place that a turn of this time gets at the end of a thread.
  [[nodiscard]] bool next_place(std::int64_t thread, double timestamp, std::uint32_t& place);
  [[nodiscard]] bool add(const Thread& thread, std::uint32_t place, const Turn& turn);
  [[nodiscard]] bool remove(const Thread& thread, std::uint32_t place, const Turn& turn);
  [[nodiscard]] bool write();
  void rolled_back();

  /// What a search looks through.
  struct Scope {
    bool empty = true;
    Address first, last;  ///< both included
    ScopeStatistics statistics;
    LanguageSet languages;
  };
  [[nodiscard]] bool scope(const ThreadKey& from, std::int64_t thread, RecallScope wanted, Scope& found);
  /// Where the terms are said; a word that nobody in the scope says is looked for as one that is written the like (see
  /// spelling.hpp). Lifetime of what is found: that of `blocks`.
  using Blocks = std::deque<std::string>;
  [[nodiscard]] bool postings(std::string_view persona, const Scope& scope, const std::vector<QueryTerm>& query,
                              Blocks& blocks, std::vector<TermPostings>& found);

  [[nodiscard]] Terms& terms() { return terms_; }

 private:
  struct Change {
    Posting posting;
    bool gone = false;
  };
  struct Totals {
    std::int64_t turns = 0;
    std::int64_t terms = 0;
    LanguageSet languages;
  };
  struct TermAlike {
    double likeness = 0;
    std::int64_t term = 0;
  };
  using StatisticsKey = std::tuple<std::string, std::int64_t, std::int64_t>;
  struct Block {
    bool stored = false;  // under the address of its first posting
    std::vector<Posting> postings;
    std::optional<Address> next;  // where the block after it begins
  };

  [[nodiscard]] bool change(const Thread& thread, std::uint32_t place, const Turn& turn, bool gone);
  [[nodiscard]] bool owner_id(std::string_view owner, bool add, std::int64_t& id);
  [[nodiscard]] bool term_id(const std::string& persona, std::string_view term, bool add, std::int64_t& id);
  [[nodiscard]] bool write_term(const std::string& persona, const std::string& term, std::vector<Change>& changes);
  [[nodiscard]] bool load(std::int64_t term, const Address& at, bool with_next, Block& block);
  [[nodiscard]] bool store(std::int64_t term, const std::optional<Address>& before, std::span<const Posting> postings,
                           bool appended);
  [[nodiscard]] bool store_blocks(std::int64_t term, std::span<const Posting> postings, bool appended);
  [[nodiscard]] bool write_statistics(const StatisticsKey& key, const Totals& change);
  [[nodiscard]] bool read_alike(const std::string& persona, const Scope& scope, std::string_view term, Blocks& blocks,
                                TermPostings& found);
  [[nodiscard]] bool terms_alike(const std::string& persona, std::string_view term, std::vector<TermAlike>& alike);
  [[nodiscard]] bool read_list(std::int64_t term, const Scope& scope, Blocks& blocks, std::vector<PostingGroup>& list);

  Terms terms_;
  // persona -> term -> what changed, in the order in which it did.
  std::map<std::string, std::unordered_map<std::string, std::vector<Change>>, std::less<>> changes_;
  std::size_t waiting_ = 0;
  std::map<StatisticsKey, Totals> statistics_;
  struct LastPlace {
    std::uint32_t place = 0;
    double timestamp = 0;
  };
  std::unordered_map<std::int64_t, std::optional<LastPlace>> last_places_;  // of threads of this transaction

  SqliteStatement last_place_, owner_, add_owner_, term_, add_term_, drop_term_;
  SqliteStatement terms_between_;
  SqliteStatement at_, first_, next_, put_, drop_, range_;
  SqliteStatement add_statistics_, drop_statistics_, read_statistics_;
};

}  // namespace persona
