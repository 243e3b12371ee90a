#include "bench/frames.hpp"

#include <charconv>

namespace bench {
namespace {

constexpr std::string_view kIdKey = R"("request_id":")";
constexpr std::size_t kIdDigits = 12;

// What a session of OVOS carries: pipeline, place, formats, skills in use.
constexpr std::string_view kSession =
    R"("active_skills":[["skill-weather.openvoiceos",1760000000.25],["persona.openvoiceos",1760000100.5]],)"
    R"("utterance_states":{},"lang":"en-US","context":{"timeout":120,"frame_stack":[]},"site_id":"kitchen",)"
    R"("pipeline":["ovos-stop-pipeline-plugin-high","ovos-converse-pipeline-plugin","ovos-ocp-pipeline-plugin-high",)"
    R"("ovos-padatious-pipeline-plugin-high","ovos-adapt-pipeline-plugin-high","ovos-persona-pipeline-plugin-high",)"
    R"("ovos-fallback-pipeline-plugin-high","ovos-common-query-pipeline-plugin","ovos-fallback-pipeline-plugin-low"],)"
    R"("location":{"city":{"code":"Springfield","name":"Springfield","state":{"code":"XX","name":"Somewhere",)"
    R"("country":{"code":"YY","name":"Elsewhere"}}},"coordinate":{"latitude":12.345678,"longitude":-12.34567},)"
    R"("timezone":{"code":"Europe/Lisbon","name":"Western European Time","dstOffset":3600000,"offset":0}},)"
    R"("system_unit":"metric","time_format":"full","date_format":"DMY","is_speaking":false,"is_recording":false,)"
    R"("blacklisted_skills":[],"blacklisted_intents":[])";

std::string in_quotes(std::string_view text) {
  return '"' + std::string(text) + '"';
}

}  // namespace

std::string message(std::string_view type, std::string_view data, std::string_view session_id) {
  std::string frame = R"({"type":)" + in_quotes(type) + R"(,"data":{)";
  frame.append(data).append(R"(},"context":{"source":"audio","destination":["skills"],"session":{"session_id":)");
  frame.append(in_quotes(session_id)).append(",").append(kSession).append("}}}");
  return frame;
}

std::string entry(std::string_view session_id, std::string_view text) {
  return message("ovos.utterance.handle", R"("utterances":[)" + in_quotes(text) + R"(],"lang":"en-US")", session_id);
}

std::string speech(std::string_view session_id, std::string_view text) {
  return message("ovos.utterance.speak", R"("utterance":)" + in_quotes(text) + R"(,"lang":"en-US","listen":false)",
                 session_id);
}

std::string handled(std::string_view session_id) {
  return message("ovos.utterance.handled", "", session_id);
}

std::string unread(std::size_t bytes) {
  constexpr std::string_view kType = "gui.value.set";
  constexpr std::string_view kSessionId = "default";
  const std::string empty = message(kType, R"("value":"")", kSessionId);
  const std::size_t padding = bytes > empty.size() ? bytes - empty.size() : 0;
  return message(kType, R"("value":)" + in_quotes(std::string(padding, 'x')), kSessionId);
}

Question::Question(std::string_view type, std::string_view data, std::string_view session_id) {
  std::string fields(kIdKey);
  fields.append(kIdDigits, '0').append("\"");
  if (!data.empty()) fields.append(",").append(data);
  frame_ = message(type, fields, session_id);
  id_at_ = frame_.find(kIdKey) + kIdKey.size();
  answer_begins_ = R"({"type":")" + std::string(type) + R"(.response")";
}

std::string_view Question::with_id(std::uint64_t id) {
  for (std::size_t i = kIdDigits; i-- > 0; id /= 10) frame_[id_at_ + i] = static_cast<char>('0' + id % 10);
  return frame_;
}

std::uint64_t id_in(std::string_view frame) {
  const auto at = frame.find(kIdKey);
  if (at == std::string_view::npos) return 0;
  const char* digits = frame.data() + at + kIdKey.size();
  std::uint64_t id = 0;
  std::from_chars(digits, frame.data() + frame.size(), id);
  return id;
}

}  // namespace bench
