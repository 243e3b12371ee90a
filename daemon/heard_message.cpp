#include "daemon/heard_message.hpp"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "bus/session.hpp"
#include "bus/topics.hpp"
#include "daemon/field_reader.hpp"
#include "daemon/request_router.hpp"

namespace personad {
namespace {

using nlohmann::json;
using persona::Heard;
using What = Heard::What;

const std::unordered_map<std::string_view, Reading>& readings() {
  static const std::unordered_map<std::string_view, Reading> kReadings = [] {
    std::unordered_map<std::string_view, Reading> map;
    const auto hear = [&map](std::string_view topic, What what) { map[topic] = {Interest::utterance, what}; };
    hear(bus::topic::kUtterance, What::entry);
    hear(bus::topic::kSpeak, What::spoke);
    hear(bus::topic::kUnmatched, What::unmatched);
    hear(bus::topic::kMatched, What::matched);
    hear(bus::topic::kHandled, What::handled);
    hear(bus::topic::kCancelled, What::cancelled);
    hear(bus::topic::kSessionSync, What::session_synced);
    hear(bus::topic::kSessionUpdateDefault, What::session_updated);
    hear(bus::topic::kSummon, What::summoned);
    hear(bus::topic::kRelease, What::released);
    hear(bus::topic::kActivated, What::activated);
    hear(bus::topic::kDismissed, What::dismissed);
    hear(bus::topic::kResponseEnable, What::prompt_enabled);
    hear(bus::topic::kResponseDisable, What::prompt_disabled);
    for (const std::string_view topic :
         {"mycroft.personad.is_alive", "mycroft.personad.is_ready", "mycroft.personad.all_loaded"}) {
      map[topic] = {Interest::health, {}};
    }
    return map;
  }();
  return kReadings;
}

/// Whether a topic `<skill>:<intent>` can be a dispatch: its context must name the skill, so the frame does.
bool may_be_dispatch(std::string_view topic, std::string_view frame) {
  const auto colon = topic.find(':');
  if (colon == std::string_view::npos || colon == 0) return false;
  std::string quoted;
  quoted.reserve(colon + 2);
  quoted.append("\"").append(topic.substr(0, colon)).append("\"");
  return frame.find(quoted) != std::string_view::npos;
}

std::string take_text(json& object, std::string_view key) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_string()) return {};
  return std::move(found->get_ref<std::string&>());
}

std::string_view text_of(const json& object, std::string_view key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? std::string_view(found->get_ref<const std::string&>())
                                                     : std::string_view();
}

/// Of an id or a name: what is longer is nobody's, and would be kept and compared for long.
std::string_view name_of(const json& object, std::string_view key) {
  const std::string_view name = text_of(object, key);
  return name.size() <= kMaxNameBytes ? name : std::string_view();
}

std::string_view lang_of(const json& data) {
  const std::string_view lang = text_of(data, "lang");
  return lang.size() <= kMaxLangBytes ? lang : std::string_view();
}

constexpr double kLatest = 9e9;  // unix seconds that a clock of nanoseconds still holds

persona::SessionFacts facts_of(const bus::Session& session, bool local_default) {
  persona::SessionFacts facts;
  facts.local_default = local_default;
  if (session.persona_id && session.persona_id->size() <= kMaxNameBytes) facts.persona_id = session.persona_id;
  facts.awaiting = session.awaiting_response;
  if (facts.awaiting) std::erase_if(*facts.awaiting, [](const auto& skill) { return skill.size() > kMaxNameBytes; });
  if (session.response_mode && session.response_mode->skill_id.size() <= kMaxNameBytes) {
    using namespace std::chrono;
    facts.response_mode = persona::HeldPrompt{session.response_mode->skill_id, std::nullopt};
    const duration<double> since_epoch(std::min(session.response_mode->expires_at, kLatest));
    if (since_epoch > 0s) {
      facts.response_mode->expires = system_clock::time_point(duration_cast<system_clock::duration>(since_epoch));
    }
  }
  return facts;
}

/// A snapshot in `data` is the session that counts; where it names one, it is the one it is about (never in a stamped
/// message: there a session id in `data` is only claimed).
bool read_snapshot(const json& data, std::string_view key, const bus::Identity& identity, HeardMessage& out) {
  const auto snapshot = data.find(key);
  if (snapshot == data.end() || !snapshot->is_object()) return false;
  if (identity.is_local() && !name_of(*snapshot, "session_id").empty()) {
    out.where.conversation = name_of(*snapshot, "session_id");
  }
  const bool local_default = identity.is_local() && out.where.conversation == bus::kDefaultSession;
  out.heard.session = facts_of(bus::Session::read(*snapshot), local_default);
  return true;
}

void read_entry(json& data, Heard& heard) {
  const auto utterances = data.find("utterances");
  if (utterances != data.end() && utterances->is_array()) {
    for (json& one : *utterances) {
      if (one.is_string()) heard.utterances.push_back(std::move(one.get_ref<std::string&>()));
    }
  }
  heard.lang = lang_of(data);
}

bool read_dispatch(const bus::Message& message, Heard& heard) {
  const std::string_view topic = message.type;
  const auto colon = topic.find(':');
  const std::string_view skill = name_of(message.context, "skill_id");
  if (skill.empty() || topic.substr(0, colon) != skill) return false;
  heard.skill_id = skill;
  heard.intent = topic.substr(colon + 1);
  heard.text = text_of(message.data, "utterance");
  return true;
}

void read_speech(bus::Message& message, Heard& heard) {
  heard.text = take_text(message.data, "utterance");
  heard.lang = lang_of(message.data);
  heard.skill_id = name_of(message.context, "skill_id");
  const auto meta = message.data.find("meta");
  if (heard.skill_id.empty() && meta != message.data.end() && meta->is_object()) {
    heard.skill_id = name_of(*meta, "skill");
  }
}

bool read_data(bus::Message& message, const bus::Identity& identity, HeardMessage& out) {
  json& data = message.data;
  Heard& heard = out.heard;
  switch (heard.what) {
    case What::entry:
      read_entry(data, heard);
      return true;
    case What::matched:
      heard.skill_id = name_of(data, "skill_id");
      heard.text = take_text(data, "utterance");
      return true;
    case What::dispatched:
      return read_dispatch(message, heard);
    case What::prompt_answered:
      heard.skill_id = message.type.substr(0, message.type.size() - bus::topic::kGetResponseSuffix.size());
      return heard.skill_id.size() <= kMaxNameBytes;
    case What::spoke:
      read_speech(message, heard);
      return identity.peer.empty() || text_of(message.context, "source") != identity.peer;
    case What::session_synced:
      return read_snapshot(data, "session", identity, out);
    case What::session_updated:
      return read_snapshot(data, "session_data", identity, out);
    case What::summoned:
      heard.text = name_of(data, "persona");
      return !heard.text.empty();
    case What::activated:
    case What::dismissed:
      heard.text = name_of(data, "persona_id");
      if (identity.is_local() && !name_of(data, "session_id").empty()) {
        out.where.conversation = name_of(data, "session_id");
      }
      return heard.what == What::dismissed || !heard.text.empty();
    case What::prompt_enabled:
    case What::prompt_disabled:
      heard.skill_id = name_of(data, "skill_id");
      return !heard.skill_id.empty();
    default:
      return true;
  }
}

}  // namespace

Reading reading_of(std::string_view topic, std::string_view frame) {
  const auto found = readings().find(bus::canonical(topic));
  if (found != readings().end()) return found->second;
  if (RequestRouter::is_request(topic)) return {Interest::request, {}};
  if (RequestRouter::is_unknown_request(topic)) return {Interest::unknown_request, {}};
  if (topic.ends_with(bus::topic::kResponseSuffix)) {
    const auto asked = topic.substr(0, topic.size() - bus::topic::kResponseSuffix.size());
    return {RequestRouter::is_request(asked) ? Interest::answer : Interest::none, {}};
  }
  if (topic.ends_with(bus::topic::kGetResponseSuffix)) return {Interest::utterance, What::prompt_answered};
  if (may_be_dispatch(topic, frame)) return {Interest::utterance, What::dispatched};
  return {};
}

std::optional<HeardMessage> heard_of(bus::Message& message, What what, const bus::Identity& identity) {
  HeardMessage out;
  out.where = {identity.owner, identity.conversation};
  out.heard.what = what;
  const bool local_default = identity.is_local() && identity.conversation == bus::kDefaultSession;
  out.heard.session = facts_of(bus::Session::of_context(message.context), local_default);
  out.heard.utterance_id = text_of(message.context, "utterance_id");
  if (!read_data(message, identity, out)) return std::nullopt;
  return out;
}

}  // namespace personad
