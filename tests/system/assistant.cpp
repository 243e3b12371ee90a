#include "tests/system/assistant.hpp"

#include <doctest/doctest.h>

#include <charconv>
#include <utility>

namespace system_tests {

using nlohmann::json;

json Where::as_context() const {
  json made = context;
  if (session != "default" || !session_fields.empty()) {
    made["session"] = session_fields;
    made["session"]["session_id"] = session;
  }
  if (!utterance_id.empty()) made["utterance_id"] = utterance_id;
  return made;
}

tests::FakeServerSettings on_free_port() {
  tests::FakeServerSettings settings;
  settings.port = free_port();
  return settings;
}

std::vector<std::string> lines_of(const json& messages) {
  Lines lines;
  for (const json& message : messages) {
    const json& content = message.at("content");
    lines.push_back(message.at("role").get<std::string>() + ": " +
                    (content.is_string() ? content.get<std::string>() : content.dump()));
  }
  return lines;
}

Assistant::Assistant(const std::string& url) {
  const auto host = url.find("://") + 3;
  const auto colon = url.find(':', host);
  std::uint16_t port = 0;
  std::from_chars(url.data() + colon + 1, url.data() + url.size(), port);
  REQUIRE(peer_.connect(url.substr(host, colon - host), port) == 101);
}

void Assistant::send(const std::string& frame) {
  REQUIRE(peer_.send(frame));
}

void Assistant::emit(std::string_view type, json data, json context) {
  const json message{{"type", type}, {"data", std::move(data)}, {"context", std::move(context)}};
  send(message.dump());
}

void Assistant::say(const Where& where, const std::string& text) {
  Where entry = where;
  entry.utterance_id.clear();  // the orchestrator stamps it after this frame
  emit("ovos.utterance.handle", {{"utterances", {text}}, {"lang", "en-US"}}, entry.as_context());
}

void Assistant::speak(const Where& where, const std::string& text) {
  emit("ovos.utterance.speak", {{"utterance", text}, {"lang", "en-US"}}, where.as_context());
}

void Assistant::handled(const Where& where) {
  emit("ovos.utterance.handled", json::object(), where.as_context());
}

void Assistant::exchange(const Where& where, const std::string& question, const std::vector<std::string>& answers) {
  say(where, question);
  for (const std::string& answer : answers) speak(where, answer);
  handled(where);
}

bus::Message Assistant::ask_whole(std::string_view topic, json data, json context) {
  if (data.is_object() && !data.contains("request_id")) data["request_id"] = "r" + std::to_string(++asked_);
  const json id = data.is_object() && data["request_id"].is_string() ? data["request_id"] : json(nullptr);
  emit(topic, std::move(data), std::move(context));
  const std::string wanted = std::string(topic) + ".response";
  auto answer = peer_.wait_for(
      wanted, [&id](const bus::Message& one) { return one.data.value("request_id", json(nullptr)) == id; }, kPatience);
  INFO("no answer to ", topic);
  REQUIRE(answer.has_value());
  return std::move(*answer);
}

json Assistant::ask(std::string_view topic, json data, const Where& where) {
  json answer = ask_whole(topic, std::move(data), where.as_context()).data;
  CHECK(answer.contains("result") != answer.contains("error"));
  return answer;
}

json Assistant::result(std::string_view topic, json data, const Where& where) {
  json answer = ask(topic, std::move(data), where);
  INFO(topic, " was answered ", answer.dump());
  REQUIRE(answer.contains("result"));
  return std::move(answer["result"]);
}

std::string Assistant::error(std::string_view topic, json data, const Where& where) {
  const json answer = ask(topic, std::move(data), where);
  INFO(topic, " was answered ", answer.dump());
  REQUIRE(answer.contains("error"));
  return answer["error"];
}

std::vector<std::string> Assistant::topics_until(std::string_view topic) {
  std::vector<std::string> topics;
  while (topics.empty() || topics.back() != topic) {
    const auto frame = peer_.receive(kPatience);
    INFO("waiting for ", topic);
    REQUIRE(frame.has_value());
    const auto message = bus::Message::parse(*frame);
    if (message) topics.push_back(message->type);
  }
  return topics;
}

Lines Assistant::context(const Where& where, const std::string& utterance, json more) {
  more["utterance"] = utterance;
  return lines_of(result("ovos.memory.context", std::move(more), where)["messages"]);
}

Lines Assistant::history(const Where& where, json more) {
  if (!more.contains("limit")) more["limit"] = 10000;
  return lines_of(result("ovos.memory.history", std::move(more), where)["messages"]);
}

}  // namespace system_tests
