#include "persona/turn_recorder.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "persona/white_space.hpp"

namespace persona {
namespace {

constexpr std::string_view kUnsolicited = R"({"unsolicited":true})";

}  // namespace

TurnRecorder::TurnRecorder(const RecordingRules& rules, IdSource& ids, RecorderCounts& counts)
    : rules_(&rules), ids_(&ids), counts_(&counts) {}

// ---- which exchange

bool TurnRecorder::is_own(std::string_view skill_id) const {
  return !skill_id.empty() && skill_id == rules_->own_skill;
}

bool TurnRecorder::prompts_in_private(std::string_view skill_id) const {
  return rules_->prompts_in_private(skill_id);
}

Exchange* TurnRecorder::exchange_for(const DerivedFrame& frame, std::string_view text) {
  Exchange* found = nullptr;
  if (frame.utterance_id.empty()) {
    found = exchanges_.newest_without_id(text);
  } else if (found = exchanges_.with_id(frame.utterance_id); found == nullptr) {
    found = exchanges_.to_bind(text);
    if (found != nullptr) found->bind(frame.utterance_id);
  }
  if (found != nullptr) found->touch(frame.at);
  return found;
}

Exchange& TurnRecorder::begin(Exchange exchange, RecorderActions& out) {
  const auto most = std::max<std::size_t>(rules_->max_open, 1);
  while (exchanges_.open().size() >= most) close(exchanges_.open().front(), out);
  return exchanges_.add(std::move(exchange), most);
}

void TurnRecorder::close(Exchange& exchange, RecorderActions& out) {
  exchange.promote(out);
  exchange.unmute();
  exchanges_.close(exchange, std::max<std::size_t>(rules_->max_open, 1), rules_->id_known_for);
}

// ---- what is heard

void TurnRecorder::entry(EntryHeard heard, RecorderActions& out) {
  tick(heard.at, out);
  const auto spoken = std::find_if_not(heard.utterances.begin(), heard.utterances.end(),
                                       [](const std::string& text) { return is_blank(text); });
  if (spoken == heard.utterances.end()) {
    ++counts_->empty_entries;
    return;
  }
  const bool stored = heard.store;
  const bool too_large = spoken->size() > rules_->max_turn_bytes;
  const Number number = heard.number;
  auto& exchange = begin(Exchange(std::move(heard), *spoken, rules_->max_turn_bytes, *ids_), out);
  if (prompt_ && prompts_in_private(prompt_->skill)) {
    if (exchange.withhold(out)) ++counts_->prompt_answers;
    exchange.answers_prompt_of(prompt_->skill);
    silence_reply(prompt_->skill, number, out);
    return;
  }
  if (too_large && stored) ++counts_->too_large;
  last_ordinary_ = number;
  for (auto& open : exchanges_.open()) open.unmute();
}

void TurnRecorder::matched(const DerivedFrame& frame, std::string_view skill_id, std::string_view utterance,
                           RecorderActions& out) {
  tick(frame.at, out);
  Exchange* exchange = exchange_for(frame, utterance);
  // Before it is promoted, so that a text that differs is in the first record already.
  if (exchange != nullptr && !is_own(skill_id) && utterance.size() <= rules_->max_turn_bytes)
    exchange->matched(utterance, out);
  routed(frame, exchange, skill_id, out);
}

void TurnRecorder::dispatched(const DerivedFrame& frame, std::string_view skill_id, std::string_view intent,
                              std::string_view utterance, RecorderActions& out) {
  tick(frame.at, out);
  Exchange* exchange = exchange_for(frame, utterance);
  if (intent == "response") {
    delivered(frame, exchange, skill_id, out);
  } else {
    routed(frame, exchange, skill_id, out);
  }
}

void TurnRecorder::prompt_answered(const DerivedFrame& frame, std::string_view skill_id, RecorderActions& out) {
  tick(frame.at, out);
  delivered(frame, exchange_for(frame, {}), skill_id, out);
}

void TurnRecorder::unmatched(const DerivedFrame& frame, RecorderActions& out) {
  tick(frame.at, out);
  if (Exchange* exchange = exchange_for(frame, {})) exchange->promote(out);
}

void TurnRecorder::spoke(const DerivedFrame& frame, const Speech& speech, RecorderActions& out) {
  tick(frame.at, out);
  Exchange* exchange = exchange_for(frame, {});
  if (is_own(speech.skill_id)) {
    if (exchange == nullptr || !exchange->withheld()) ++counts_->own_skill;
    return;
  }
  if (exchange == nullptr) return stray_speech(frame, speech, out);
  exchange->promote(out);
  if (is_blank(speech.text)) return;
  if (exchange->silent()) return exchange->answer_unrecorded();
  if (speech.text.size() > rules_->max_turn_bytes) {
    ++counts_->too_large;
    return;
  }
  exchange->answer(frame, speech, {}, *ids_, out);
}

void TurnRecorder::stray_speech(const DerivedFrame& frame, const Speech& speech, RecorderActions& out) {
  if (is_blank(speech.text)) return;
  Exchange alone(frame, speech.persona);
  if (!speech.store) {
    alone.withhold(out);
    alone.answer_unrecorded();
  } else if (speech.text.size() > rules_->max_turn_bytes) {
    ++counts_->too_large;
  } else if (alone.has_id()) {
    alone.answer(frame, speech, {}, *ids_, out);
  } else {
    ++counts_->unsolicited;
    alone.answer(frame, speech, kUnsolicited, *ids_, out);
  }
  // What else is said under this id joins it.
  if (alone.has_id()) begin(std::move(alone), out);
}

void TurnRecorder::handled(const DerivedFrame& frame, RecorderActions& out) {
  tick(frame.at, out);
  Exchange* exchange = frame.utterance_id.empty() ? exchanges_.newest_to_end() : exchange_for(frame, {});
  if (exchange == nullptr) return;
  exchange->touch(frame.at);
  close(*exchange, out);
}

void TurnRecorder::cancelled(const DerivedFrame& frame, RecorderActions& out) {
  tick(frame.at, out);
  Exchange* exchange = exchange_for(frame, {});
  if (exchange == nullptr) return;
  if (exchange->cancel(out)) ++counts_->cancelled;
  // Without an id it waits for its own `handled`, which would else close another.
  if (exchange->has_id()) close(*exchange, out);
}

// ---- our own skill, and prompts

void TurnRecorder::routed(const DerivedFrame& frame, Exchange* exchange, std::string_view skill_id,
                          RecorderActions& out) {
  const bool own = is_own(skill_id);
  if (exchange == nullptr && own && !frame.utterance_id.empty()) exchange = &begin(Exchange(frame, {}), out);
  if (exchange == nullptr) return;
  exchange->routed_to(skill_id);
  if (!own) return exchange->promote(out);
  if (exchange->withhold(out)) ++counts_->own_skill;
}

void TurnRecorder::delivered(const DerivedFrame& frame, Exchange* exchange, std::string_view skill_id,
                             RecorderActions& out) {
  if (!skill_id.empty()) prompt_released(skill_id);
  if (is_own(skill_id) || !prompts_in_private(skill_id)) return routed(frame, exchange, skill_id, out);
  if (exchange == nullptr && !frame.utterance_id.empty()) exchange = &begin(Exchange(frame, {}), out);
  if (exchange == nullptr) return;
  if (exchange->withhold(out)) ++counts_->prompt_answers;
  if (exchange->answers_prompt_of(skill_id)) silence_reply(skill_id, exchange->number(), out);
}

void TurnRecorder::silence_reply(std::string_view skill_id, Number answer, RecorderActions& out) {
  // The skill that asks from inside a handler replies under the id of the turn that handler belongs to.
  for (auto& outer : exchanges_.open()) {
    if (outer.number() >= answer || !outer.was_routed_to(skill_id)) continue;
    outer.mute(answer, out);
    if (last_ordinary_ > answer) outer.unmute();
  }
}

void TurnRecorder::prompt_held(std::string_view skill_id,
                               std::optional<std::chrono::system_clock::time_point> expires) {
  prompt_.reset();
  if (!skill_id.empty() && prompts_in_private(skill_id)) prompt_ = Prompt{std::string(skill_id), expires};
}

void TurnRecorder::prompt_released(std::string_view skill_id) {
  if (prompt_ && (skill_id.empty() || prompt_->skill == skill_id)) prompt_.reset();
}

// ---- time

void TurnRecorder::gap(Moment at, RecorderActions& out) {
  tick(at, out);
  for (auto one = exchanges_.open().begin(); one != exchanges_.open().end();) {
    Exchange& exchange = *one++;
    exchange.promote(out);
    if (exchange.answered()) close(exchange, out);
  }
}

void TurnRecorder::tick(Moment now, RecorderActions& out) {
  for (auto one = exchanges_.open().begin(); one != exchanges_.open().end();) {
    Exchange& exchange = *one++;
    if (now.steady - exchange.began() >= rules_->provisional_for) exchange.promote(out);
    if (now.steady - exchange.last() >= rules_->close_after) close(exchange, out);
  }
  exchanges_.forget_known(now.steady, rules_->id_known_for);
  if (prompt_ && prompt_->expires && now.wall > *prompt_->expires) prompt_.reset();
}

std::optional<std::chrono::steady_clock::time_point> TurnRecorder::deadline() const {
  std::optional<std::chrono::steady_clock::time_point> earliest;
  for (const auto& one : exchanges_.open()) {
    auto due = one.last() + rules_->close_after;
    if (one.provisional()) due = std::min(due, one.began() + rules_->provisional_for);
    if (!earliest || due < *earliest) earliest = due;
  }
  return earliest;
}

// ---- what is asked

std::optional<Number> TurnRecorder::exchange_of(std::string_view utterance_id, std::string_view utterance) const {
  const auto& open = exchanges_.open();
  auto found = open.rend();
  if (!utterance_id.empty()) {
    found = std::find_if(open.rbegin(), open.rend(),
                         [utterance_id](const Exchange& one) { return one.has_id(utterance_id); });
  }
  if (found == open.rend()) {
    found = std::find_if(open.rbegin(), open.rend(),
                         [utterance](const Exchange& one) { return !one.cancelled() && one.is_about(utterance); });
  }
  if (found == open.rend()) return std::nullopt;
  return found->number();
}

std::optional<Number> TurnRecorder::exchange_with_id(std::string_view utterance_id) const {
  const Exchange* found = exchanges_.with_id(utterance_id);
  if (found == nullptr) return std::nullopt;
  return found->number();
}

std::optional<Number> TurnRecorder::oldest_open() const {
  const auto& open = exchanges_.open();
  return open.empty() ? std::nullopt : std::optional(open.front().number());
}

std::size_t TurnRecorder::open_exchanges() const {
  const auto& open = exchanges_.open();
  return static_cast<std::size_t>(
      std::count_if(open.begin(), open.end(), [](const Exchange& one) { return !one.cancelled(); }));
}

bool TurnRecorder::idle() const {
  return open_exchanges() == 0 && !prompt_;
}

}  // namespace persona
