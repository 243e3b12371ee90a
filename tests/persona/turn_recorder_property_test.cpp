#include <doctest/doctest.h>

#include <random>

#include "tests/persona/recorder_script.hpp"

namespace persona {
namespace {

using std::chrono::milliseconds;

/// Any frames in any order, with few texts and ids so that they collide; remembers what must never be a row.
class AnyConversation {
 public:
  explicit AnyConversation(unsigned seed) : random_(seed) {
    play.rules.max_open = 1 + pick(6);
    play.rules.prompt_answers = pick(8) == 0;
    ids_share_ = pick(3) * 50;  // none, half, or all of the frames carry an id
  }

  void step() {
    play.persona = pick(2) == 0 ? "ada" : "bob";
    switch (pick(14)) {
      case 0:
      case 1:
      case 2:
        return enter();
      case 3:
        return void(play.matched(id(), skill(), text()));
      case 4:
        return void(play.dispatched(id(), skill(), pick(4) == 0 ? "response" : "intent", text()));
      case 5:
        return void(pick(3) == 0 ? play.prompt_answered(id(), skill()) : play.unmatched(id()));
      case 6:
      case 7:
      case 8:
        return speak();
      case 9:
        return void(play.handled(id()));
      case 10:
        return cancel();
      case 11:
        return hold_or_release();
      case 12:
        return pick(5) == 0 ? play.gap() : play.tick();
      default:
        return play.pass(milliseconds(pick(10) == 0 ? pick(90'000) : pick(3'000)));
    }
  }

  RecorderScript play;
  std::set<Number> entries, speeches, kept_out;
  std::vector<std::string> ids;

 private:
  unsigned pick(unsigned below) { return static_cast<unsigned>(random_() % below); }
  std::string text() { return std::string(1 + pick(2), static_cast<char>('a' + pick(4))); }
  std::string skill() {
    static const std::vector<std::string> skills{"s", "t", "persona.openvoiceos", "personad.skill"};
    const auto which = pick(40);
    return skills[which == 0 ? 3 : which % 3];
  }
  std::string id() {
    if (pick(100) >= ids_share_) return {};
    if (ids.empty() || pick(4) == 0) {
      ids.push_back("u" + std::to_string(ids.size()));
      return ids.back();
    }
    const auto recent = std::min<std::size_t>(ids.size(), 6);
    return ids[ids.size() - 1 - pick(static_cast<unsigned>(recent))];
  }

  void enter() {
    const bool store = pick(10) != 0;
    std::vector<std::string> utterances{text()};
    if (pick(3) == 0) utterances.push_back(text());
    if (pick(20) == 0) utterances = {" "};
    const auto before = play.counts.prompt_answers;
    const auto number = play.enter(utterances, store);
    entries.insert(number);
    if (!store || play.counts.prompt_answers != before) kept_out.insert(number);
  }
  void speak() {
    const auto who = skill();
    const auto what = pick(12) == 0 ? std::string() : text();
    const bool store = pick(10) != 0;
    const auto number = play.spoke(id(), what, who, store);
    speeches.insert(number);
    if (who == play.rules.own_skill || what.empty()) kept_out.insert(number);
  }
  void cancel() {
    const auto which = id();
    play.cancelled(which);
    const auto number = which.empty() ? std::nullopt : play.recorder.exchange_with_id(which);
    if (number) kept_out.insert(*number);
  }
  void hold_or_release() {
    if (pick(3) == 0) return play.recorder.prompt_released(pick(2) == 0 ? "" : "s");
    std::optional<std::chrono::system_clock::time_point> expires;
    if (pick(2) == 0) expires = play.now.wall + milliseconds(pick(5'000));
    play.recorder.prompt_held(skill(), expires);
  }

  std::mt19937 random_;
  unsigned ids_share_ = 0;
};

void check_rows(const AnyConversation& any) {
  std::map<Number, std::pair<std::string, std::string>> exchanges;  // number -> exchange_id, persona
  std::set<std::string> ids;
  for (const auto& [number, row] : any.play.rows) {
    const Turn& turn = *row.turn;
    const bool is_entry = any.entries.contains(number);
    REQUIRE(turn.number == number);
    REQUIRE((is_entry || any.speeches.contains(number)));
    REQUIRE(turn.role == (is_entry ? Role::user : Role::assistant));
    REQUIRE(turn.exchange <= number);
    REQUIRE((!is_entry || turn.exchange == number));
    REQUIRE((any.entries.contains(turn.exchange) || any.speeches.contains(turn.exchange)));
    REQUIRE_FALSE(any.kept_out.contains(number));
    REQUIRE_FALSE(any.kept_out.contains(turn.exchange));
    REQUIRE(ids.insert(turn.id).second);
    const auto [first, is_new] = exchanges.try_emplace(turn.exchange, turn.exchange_id, row.persona);
    REQUIRE(first->second == std::pair(turn.exchange_id, row.persona));
    if (turn.exchange == number) REQUIRE(turn.exchange_id == turn.id);
  }
}

void check_bounds(const AnyConversation& any) {
  const auto& recorder = any.play.recorder;
  REQUIRE(recorder.open_exchanges() <= any.play.rules.max_open);
  std::size_t known = 0;
  for (const auto& id : any.ids) known += recorder.exchange_with_id(id).has_value() ? 1 : 0;
  REQUIRE(known <= 4 * any.play.rules.max_open);
}

TEST_CASE("whatever arrives in whatever order, rows stay whole, secrets stay out, and what is held is bounded") {
  std::size_t rows = 0;
  std::size_t erased = 0;
  for (unsigned seed = 1; seed <= 300; ++seed) {
    CAPTURE(seed);
    AnyConversation any(seed);
    for (int i = 0; i < 300; ++i) any.step();
    check_rows(any);
    check_bounds(any);
    rows += any.play.rows.size();
    erased += any.play.erased.size();
  }
  CHECK(rows > 10'000);  // it is not only silence that keeps the rules
  CHECK(erased > 500);
}

TEST_CASE("ticking at each deadline comes to an end, with nothing open and every entry recorded or kept out") {
  for (unsigned seed = 1; seed <= 100; ++seed) {
    CAPTURE(seed);
    AnyConversation any(seed);
    for (int i = 0; i < 100; ++i) any.step();
    any.play.recorder.prompt_released();
    int ticks = 0;
    while (const auto due = any.play.recorder.deadline()) {
      any.play.pass(std::max(milliseconds(0), std::chrono::ceil<milliseconds>(*due - any.play.now.steady)));
      any.play.tick();
      const auto next = any.play.recorder.deadline();
      REQUIRE((!next || *next > any.play.now.steady));
      REQUIRE(++ticks < 100);
    }
    CHECK(any.play.recorder.idle());
    check_rows(any);
  }
}

}  // namespace
}  // namespace persona
