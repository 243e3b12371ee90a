#pragma once
#include <deque>
#include <functional>
#include <map>
#include <set>
#include <tuple>
#include <vector>

#include "persona/store/archive.hpp"

namespace persona {

/// An archive in RAM that answers only when told to: `run` carries out what was called, in call order, as the real one
/// does on its worker.
class RamArchive final : public Archive {
 public:
  void append(std::vector<Row> rows, Done<void> done) override {
    later([this, rows = std::move(rows), done = std::move(done)] {
      if (broken) return done(make_error_code(StoreError::unavailable));
      for (const Row& row : rows) put(row);
      done({});
    });
  }
  void keep(Row row) override {
    later([this, row = std::move(row)] { put(row); });
  }
  // Knows no conflicts, and turns only.
  void import(Import records, Done<Imported> done) override {
    later([this, records = std::move(records), done = std::move(done)] {
      if (broken) return done(make_error_code(StoreError::unavailable));
      Imported imported;
      Number number = records.first, exchange = number;
      for (const AnyRecord& record : records.records) {
        const auto& [thread, turn] = std::get<TurnRecord>(record);
        auto row = std::make_shared<Turn>(turn);
        if (turn.role == Role::user) exchange = number;
        row->number = number;
        row->exchange = exchange;
        imported.ids.push_back(row->id = records.ids[number++ - records.first]);
        put({thread, row, {}});
        imported.changed.push_back({thread, {row}});
        ++imported.imported;
      }
      done(std::move(imported));
    });
  }
  void erase(ThreadKey thread, std::vector<Number> numbers, Done<void> done) override {
    later([this, thread = std::move(thread), numbers = std::move(numbers), done = std::move(done)] {
      for (const Number number : numbers) rows_[flat(thread)].erase(number);
      done({});
    });
  }
  void read(ThreadKey thread, std::size_t limit, std::optional<std::string>, Done<TurnPage> done) override {
    ++reads;
    later([this, thread = std::move(thread), limit, done = std::move(done)] {
      if (broken) return done(make_error_code(StoreError::unavailable));
      std::map<std::pair<Number, Number>, TurnPtr> ordered;
      for (const auto& [number, turn] : rows_[flat(thread)]) ordered[{turn->exchange, number}] = turn;
      TurnPage page;
      for (const auto& [place, turn] : ordered) page.turns.push_back(turn);
      page.from_the_start = page.turns.size() <= limit;
      if (!page.from_the_start) page.turns.erase(page.turns.begin(), page.turns.end() - static_cast<long>(limit));
      done(std::move(page));
    });
  }
  // Knows turns only: no facts, no summaries, and nothing to learn.
  void recollect(ThreadKey, Wants wants, Done<Recollection> done) override {
    later([this, asks = wants.recall.size(), done = std::move(done)] {
      if (broken) return done(make_error_code(StoreError::unavailable));
      Recollection found = recollection;
      found.recalled.resize(asks);
      done(std::move(found));
    });
  }
  /// Finds the turns of the thread that hold the query as it is.
  void search(ThreadKey thread, RecallAsk ask, Done<std::vector<Hit>> done) override {
    searched.push_back(ask);
    later([this, thread = std::move(thread), ask = std::move(ask), done = std::move(done)] {
      if (broken) return done(make_error_code(StoreError::unavailable));
      std::vector<Hit> hits;
      for (const auto& [number, turn] : rows_[flat(thread)]) {
        if (turn->content.find(ask.query) == std::string::npos) continue;
        hits.emplace_back().thread = thread;
        hits.back().turn = turn;
      }
      done(std::move(hits));
    });
  }
  void without_names(ThreadKey, std::vector<RecallAsk> asks, Done<std::vector<RecallAsk>> done) override {
    later([asks = std::move(asks), done = std::move(done)] { done(asks); });
  }
  void set_shaping(ShapingSettings) override {}
  void use_embeddings(std::string, Done<EmbeddingProgress> done) override { embedded_all(std::move(done)); }
  void unembedded(std::size_t, Done<UnembeddedTurns> done) override {
    later([done = std::move(done)] { done(UnembeddedTurns()); });
  }
  void embedded(std::string, std::vector<Embedded>, Done<EmbeddingProgress> done) override {
    embedded_all(std::move(done));
  }
  void embed(std::string, EmbedText, std::size_t, Done<EmbeddingProgress> done) override {
    embedded_all(std::move(done));
  }
  void remember(ThreadKey, Fact fact, Done<Remembered> done) override {
    later([this, fact = std::move(fact), done = std::move(done)] {
      recollection.facts.push_back(fact);
      done(Remembered{fact.id, fact.text, false});
    });
  }
  void step(ThreadKey, StepAsk, Done<StepFound> done) override {
    later([this, done = std::move(done)] {
      if (broken) return done(make_error_code(StoreError::unavailable));
      done(step_found);
    });
  }
  void end_conversation(ThreadKey thread, Number, Done<EndedConversation> done) override {
    later([this, thread = std::move(thread), done = std::move(done)] {
      if (broken) return done(make_error_code(StoreError::unavailable));
      to_learn.push_back(thread);
      done(EndedConversation{});
    });
  }
  void jobs(std::size_t, Done<std::vector<LearningJob>> done) override {
    later([done = std::move(done)] { done(std::vector<LearningJob>()); });
  }
  void unlearned(ThreadKey, LearningKind, Number, std::size_t, Done<Unlearned> done) override {
    later([done = std::move(done)] { done(Unlearned()); });
  }
  void learnt(ThreadKey, Learnt, double, Done<bool> done) override {
    later([done = std::move(done)] { done(StoreResult<bool>(boost::system::in_place_value, true)); });
  }
  void job_done(LearningJob) override {}
  void job_postponed(LearningJob) override {}
  void threads(ThreadsQuery, Done<ThreadsPage> done) override {
    later([done = std::move(done)] { done(ThreadsPage{}); });
  }
  void keep_active(ConversationKey where, ActivePersona::State state) override {
    later([this, where = std::move(where), state = std::move(state)] {
      active_[{where.owner, where.conversation}] = state;
    });
  }
  void read_active(ConversationKey where, Done<std::optional<ActivePersona::State>> done) override {
    later([this, where = std::move(where), done = std::move(done)] {
      if (broken) return done(make_error_code(StoreError::unavailable));
      const auto found = active_.find({where.owner, where.conversation});
      if (found == active_.end()) return done(std::optional<ActivePersona::State>());
      done(std::optional(found->second));
    });
  }
  void status(Done<StoreStatus> done) override {
    later([this, done = std::move(done)] {
      StoreStatus status;
      status.ok = !broken;
      done(status);
    });
  }
  void flush(std::function<void()> done) override { later(std::move(done)); }
  void close() override {}
  [[nodiscard]] Number next_number() const override { return 1; }

  /// Carries out everything that was called so far, and what that calls.
  void run() {
    while (!calls_.empty()) {
      const auto call = std::move(calls_.front());
      calls_.pop_front();
      call();
    }
  }
  [[nodiscard]] std::size_t stored(const ThreadKey& thread) { return rows_[flat(thread)].size(); }

  bool broken = false;
  Recollection recollection;  ///< what every thread knows
  StepFound step_found;       ///< what every character thinks of
  std::vector<ThreadKey> to_learn;
  std::vector<RecallAsk> searched;  ///< as they were asked
  int reads = 0;

 private:
  using Flat = std::tuple<std::string, std::string, std::string>;
  static Flat flat(const ThreadKey& key) { return {key.where.owner, key.where.conversation, key.persona}; }
  void put(const Row& row) {
    rows_[flat(row.thread)][row.turn->number] = row.turn;
    for (const LearningKind kind : {LearningKind::summary, LearningKind::facts}) {
      if (row.learn.has(kind)) to_learn.push_back(row.thread);
    }
  }
  // Knows no embeddings: there is never one missing.
  void embedded_all(Done<EmbeddingProgress> done) {
    later([done = std::move(done)] { done(EmbeddingProgress{0, 0, true}); });
  }
  void later(std::function<void()> call) { calls_.push_back(std::move(call)); }

  std::deque<std::function<void()>> calls_;
  std::map<Flat, std::map<Number, TurnPtr>> rows_;
  std::map<std::pair<std::string, std::string>, ActivePersona::State> active_;
};

}  // namespace persona
