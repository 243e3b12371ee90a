#pragma once
#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <variant>
#include <vector>

#include "persona/turn_recorder.hpp"

namespace persona {

using Lines = std::vector<std::string>;

/// Plays a conversation to a turn recorder, one frame a millisecond, and keeps the rows that a store would hold.
///
/// Each action is checked as it is applied: a row is recorded once, corrected only under its own id, and never comes
/// back after it was erased.
class RecorderScript {
 public:
  RecordingRules rules;
  RecorderCounts counts;
  IdSource ids{7};
  TurnRecorder recorder{rules, ids, counts};
  Moment now{std::chrono::steady_clock::time_point(std::chrono::hours(1)),
             std::chrono::system_clock::time_point(std::chrono::seconds(1'700'000'000))};
  Number number = 0;
  std::string persona = "ada";
  std::map<Number, Record> rows;
  std::set<Number> erased;
  std::size_t records = 0;  // actions, corrections too

  Number enter(std::vector<std::string> utterances, bool store = true) {
    return play([&](auto& out) { recorder.entry({number, now, std::move(utterances), "en-US", persona, store}, out); });
  }
  Number enter(const char* utterance) { return enter(std::vector<std::string>{utterance}); }
  Number matched(std::string_view id, std::string_view skill, std::string_view text) {
    return play([&](auto& out) { recorder.matched(frame(id), skill, text, out); });
  }
  Number dispatched(std::string_view id, std::string_view skill, std::string_view intent, std::string_view text = {}) {
    return play([&](auto& out) { recorder.dispatched(frame(id), skill, intent, text, out); });
  }
  Number prompt_answered(std::string_view id, std::string_view skill) {
    return play([&](auto& out) { recorder.prompt_answered(frame(id), skill, out); });
  }
  Number unmatched(std::string_view id) {
    return play([&](auto& out) { recorder.unmatched(frame(id), out); });
  }
  Number spoke(std::string_view id, std::string_view text, std::string_view skill = {}, bool store = true) {
    return play([&](auto& out) { recorder.spoke(frame(id), {text, "en-US", skill, persona, store}, out); });
  }
  Number handled(std::string_view id) {
    return play([&](auto& out) { recorder.handled(frame(id), out); });
  }
  Number cancelled(std::string_view id) {
    return play([&](auto& out) { recorder.cancelled(frame(id), out); });
  }
  void gap() {
    RecorderActions out;
    recorder.gap(now, out);
    apply(out);
  }
  void tick() {
    RecorderActions out;
    recorder.tick(now, out);
    apply(out);
  }
  void pass(std::chrono::milliseconds time) {
    now.steady += time;
    now.wall += time;
  }

  /// What a window is a view of: one line a row, `exchange U|A text`, each answer after its question.
  [[nodiscard]] Lines lines() const {
    std::vector<const Turn*> turns;
    for (const auto& [ignored, row] : rows) turns.push_back(row.turn.get());
    std::sort(turns.begin(), turns.end(), [](const Turn* a, const Turn* b) {
      return std::tie(a->exchange, a->number) < std::tie(b->exchange, b->number);
    });
    Lines lines;
    for (const Turn* turn : turns) {
      lines.push_back(std::to_string(turn->exchange) + (turn->role == Role::user ? " U " : " A ") + turn->content);
    }
    return lines;
  }
  [[nodiscard]] const Turn& row(Number which) const { return *rows.at(which).turn; }

 private:
  [[nodiscard]] DerivedFrame frame(std::string_view id) const { return {number, now, id}; }

  template <typename Event>
  Number play(Event event) {
    ++number;
    pass(std::chrono::milliseconds(1));
    RecorderActions out;
    event(out);
    apply(out);
    return number;
  }

  void apply(const RecorderActions& actions) {
    for (const auto& action : actions) {
      if (const auto* record = std::get_if<Record>(&action)) {
        apply(*record);
      } else {
        apply(std::get<Erase>(action));
      }
    }
  }
  void apply(const Record& record) {
    const auto which = record.turn->number;
    REQUIRE_FALSE(erased.contains(which));
    ++records;
    if (const auto known = rows.find(which); known != rows.end()) {
      REQUIRE(known->second.turn->id == record.turn->id);
      REQUIRE(known->second.persona == record.persona);
      REQUIRE(known->second.turn->meta != record.turn->meta);
    }
    rows[which] = record;
  }
  void apply(const Erase& erase) {
    REQUIRE_FALSE(erase.numbers.empty());
    for (const auto which : erase.numbers) {
      REQUIRE(rows.contains(which));
      REQUIRE(rows.at(which).persona == erase.persona);
      rows.erase(which);
      erased.insert(which);
    }
  }
};

}  // namespace persona
