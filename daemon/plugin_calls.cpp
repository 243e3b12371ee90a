#include "daemon/plugin_calls.hpp"

#include <algorithm>
#include <utility>

#include "bus/json_cursor.hpp"

namespace personad {

using nlohmann::json;

namespace {

constexpr std::size_t kMaxNesting = 64;

// One line that can be shown, cut between characters so that it stays UTF-8.
std::string shown(std::string text, std::size_t most) {
  if (text.size() > most) {
    while (most > 0 && (static_cast<unsigned char>(text[most]) & 0xC0u) == 0x80u) --most;
    text.resize(most);
  }
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < ' ' || c == '\x7f') c = ' ';
  }
  return text;
}

std::optional<PluginAnswer> answer_in(json& object) {
  const auto result = object.find("result");
  const auto error = object.find("error");
  // Some libraries write the other one too, as null.
  const bool failed = error != object.end() && !error->is_null();
  if (failed && result != object.end() && !result->is_null()) return std::nullopt;
  PluginAnswer answer;
  if (!failed) {
    if (result == object.end()) return std::nullopt;
    answer.end = PluginAnswer::End::result;
    answer.result = std::move(*result);
    return answer;
  }
  if (!error->is_object()) return std::nullopt;
  const auto code = error->find("code");
  const auto message = error->find("message");
  if (code == error->end() || !code->is_number_integer()) return std::nullopt;
  answer.end = PluginAnswer::End::error;
  answer.code = code->get<std::int64_t>();
  if (message != error->end() && message->is_string()) {
    answer.message = shown(message->get<std::string>(), PluginAnswer::kMaxMessageBytes);
  }
  return answer;
}

}  // namespace

std::string PluginCalls::begin(std::string_view method, json params, Time deadline, Done done) {
  const std::uint64_t id = ++last_id_;
  json request{{"jsonrpc", "2.0"}, {"id", id}, {"method", method}};
  request["params"] = std::move(params);
  waiting_.emplace(id, Waiting{deadline, std::move(done)});
  return request.dump(-1, ' ', false, json::error_handler_t::replace) + '\n';
}

PluginCalls::Done PluginCalls::cancel_newest() {
  const auto newest = waiting_.find(last_id_);
  if (newest == waiting_.end()) return {};
  Done done = std::move(newest->second.done);
  waiting_.erase(newest);
  return done;
}

PluginCalls::Taken PluginCalls::take(std::string_view line) {
  Taken taken;
  if (bus::nests_deeper_than(line, kMaxNesting)) return taken;
  json object = json::parse(line, nullptr, false);
  if (!object.is_object()) return taken;
  const auto version = object.find("jsonrpc");
  if (version == object.end() || *version != "2.0") return taken;
  if (object.contains("method")) {
    taken.line = Line::unasked;
    return taken;
  }
  auto answer = answer_in(object);
  const auto id = object.find("id");
  if (!answer || id == object.end()) return taken;
  taken.line = Line::unasked;
  if (!id->is_number_unsigned()) return taken;
  const auto waiting = waiting_.find(id->get<std::uint64_t>());
  if (waiting == waiting_.end()) return taken;
  taken = Taken{Line::answer, std::move(waiting->second.done), std::move(*answer)};
  waiting_.erase(waiting);
  return taken;
}

std::vector<PluginCalls::Done> PluginCalls::expire(Time now) {
  std::vector<Done> over;
  for (auto at = waiting_.begin(); at != waiting_.end();) {
    if (at->second.deadline > now) {
      ++at;
      continue;
    }
    over.push_back(std::move(at->second.done));
    at = waiting_.erase(at);
  }
  return over;
}

std::optional<PluginCalls::Time> PluginCalls::next_deadline() const {
  std::optional<Time> next;
  for (const auto& [id, waiting] : waiting_) next = next ? std::min(*next, waiting.deadline) : waiting.deadline;
  return next;
}

std::vector<PluginCalls::Done> PluginCalls::abandon() {
  std::vector<Done> all;
  for (auto& [id, waiting] : waiting_) all.push_back(std::move(waiting.done));
  waiting_.clear();
  return all;
}

}  // namespace personad
