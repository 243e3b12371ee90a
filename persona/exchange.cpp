#include "persona/exchange.hpp"

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>

#include "persona/white_space.hpp"

namespace persona {
namespace {

constexpr std::size_t kLongestId = 256;      // ids come from outside and are kept for an hour: more of one is not
constexpr std::size_t kMostSkills = 16;      // that one exchange is remembered to have been routed to
constexpr std::size_t kLargestMeta = 16384;  // bytes of a row's meta

std::string_view clipped(std::string_view id) noexcept {
  return id.substr(0, kLongestId);
}

// As many alternatives, from the front, as fit: they are compared with, not recorded.
std::vector<std::string> that_fit(std::vector<std::string>&& texts, std::size_t bytes) {
  const auto fits = [&bytes](const std::string& text) {
    if (text.size() > bytes) return false;
    bytes -= text.size();
    return true;
  };
  texts.erase(std::find_if_not(texts.begin(), texts.end(), fits), texts.end());
  texts.shrink_to_fit();
  return std::move(texts);
}

}  // namespace

Exchange::Exchange(EntryHeard&& heard, std::string_view text, std::size_t max_bytes, IdSource& ids)
    : number_(heard.number),
      began_(heard.at.steady),
      last_(heard.at.steady),
      persona_(std::move(heard.persona)),
      withheld_(!heard.store) {
  if (heard.store && text.size() <= max_bytes) {
    auto turn = std::make_shared<Turn>();
    turn->id = exchange_id_ = ids.next(heard.at.wall);
    turn->number = turn->exchange = number_;
    turn->exchange_id = exchange_id_;
    turn->timestamp = heard.at.unix_seconds();
    turn->role = Role::user;
    turn->content = text;
    turn->lang = std::move(heard.lang);
    entry_ = std::move(turn);
    provisional_ = true;
  }
  texts_ = that_fit(std::move(heard.utterances), max_bytes);
}

Exchange::Exchange(const DerivedFrame& first, std::string_view persona)
    : number_(first.number),
      began_(first.at.steady),
      last_(first.at.steady),
      persona_(persona),
      utterance_id_(clipped(first.utterance_id)) {}

void Exchange::bind(std::string_view utterance_id) {
  utterance_id_ = clipped(utterance_id);
}

bool Exchange::has_id(std::string_view utterance_id) const {
  return has_id() && utterance_id_ == clipped(utterance_id);
}

bool Exchange::is_about(std::string_view text) const {
  const auto wanted = trimmed(text);
  if (wanted.empty()) return false;
  const auto same = [wanted](const std::string& one) { return trimmed(one) == wanted; };
  return same(matched_) || std::any_of(texts_.begin(), texts_.end(), same);
}

void Exchange::routed_to(std::string_view skill_id) {
  if (skill_id.empty() || was_routed_to(skill_id) || skills_.size() >= kMostSkills) return;
  skills_.emplace_back(clipped(skill_id));
}

bool Exchange::was_routed_to(std::string_view skill_id) const {
  return std::find(skills_.begin(), skills_.end(), clipped(skill_id)) != skills_.end();
}

bool Exchange::answers_prompt_of(std::string_view skill_id) {
  if (prompt_of_ == clipped(skill_id)) return false;
  prompt_of_ = clipped(skill_id);
  return true;
}

void Exchange::record(TurnPtr turn, RecorderActions& out) {
  rows_.push_back(turn->number);
  out.push_back(Record{persona_, std::move(turn)});
}

void Exchange::promote(RecorderActions& out) {
  if (!provisional_) return;
  provisional_ = false;
  record(entry_, out);
}

void Exchange::matched(std::string_view text, RecorderActions& out) {
  if ((!entry_ && texts_.empty()) || is_blank(text) || text == matched_) return;  // no texts: none yet, or no longer
  if (entry_ && text == entry_->content) return;
  matched_ = text;
  if (!entry_) return;
  const nlohmann::json meta = {{"matched", text}};
  auto dumped = meta.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  if (dumped.size() > kLargestMeta) return;
  auto corrected = std::make_shared<Turn>(*entry_);
  corrected->meta = std::move(dumped);
  entry_ = std::move(corrected);
  if (!provisional_) out.push_back(Record{persona_, entry_, true});
}

void Exchange::answer(const DerivedFrame& frame, const Speech& speech, std::string_view meta, IdSource& ids,
                      RecorderActions& out) {
  auto turn = std::make_shared<Turn>();
  turn->id = ids.next(frame.at.wall);
  turn->number = frame.number;
  turn->exchange = number_;
  if (exchange_id_.empty()) exchange_id_ = turn->id;
  turn->exchange_id = exchange_id_;
  turn->timestamp = frame.at.unix_seconds();
  turn->role = Role::assistant;
  turn->content = speech.text;
  turn->lang = speech.lang;
  turn->meta = meta;
  answered_ = true;
  record(std::move(turn), out);
}

void Exchange::answer_unrecorded() {
  answered_ = answered_ || withheld_;
}

bool Exchange::withhold(RecorderActions& out) {
  if (withheld_) return false;
  withheld_ = true;
  provisional_ = false;
  entry_.reset();
  if (!rows_.empty()) out.push_back(Erase{persona_, std::exchange(rows_, {})});
  return true;
}

void Exchange::mute(Number from, RecorderActions& out) {
  muted_ = true;
  // Rows are made in the order of their numbers.
  const auto later = std::upper_bound(rows_.begin(), rows_.end(), from);
  if (later == rows_.end()) return;
  out.push_back(Erase{persona_, std::vector<Number>(later, rows_.end())});
  rows_.erase(later, rows_.end());
}

bool Exchange::cancel(RecorderActions& out) {
  cancelled_ = true;
  return withhold(out);
}

void Exchange::drop_texts() {
  entry_.reset();
  texts_ = {};
  matched_ = {};
}

}  // namespace persona
