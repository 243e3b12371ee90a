#include <doctest/doctest.h>

#include "tests/system/admin_client.hpp"
#include "tests/system/assistant.hpp"

// A wrong request is answered, changes nothing and closes nothing.

using namespace system_tests;
using nlohmann::json;

namespace {

struct Wrong {
  const char* topic;
  json data;
  const char* names;  ///< what the words of the error must name
};

json messages(json one) {
  return {{"messages", json::array({std::move(one)})}};
}

json context_with(const char* field, json value) {
  json data{{"utterance", "hello"}};
  data[field] = std::move(value);
  return data;
}

std::vector<Wrong> wrong_contexts() {
  const char* topic = "ovos.memory.context";
  std::vector<Wrong> all{{topic, json::object(), "utterance"}};
  for (const json& value :
       {json(nullptr), json(5), json(true), json::array(), json::object(), json(""), json(" \n\t")}) {
    all.push_back({topic, {{"utterance", value}}, "utterance"});
  }
  for (const char* field : {"session_id", "persona_id", "owner", "lang", "format"}) {
    for (const json& value : {json(nullptr), json(5), json(true), json::array(), json::object()}) {
      all.push_back({topic, context_with(field, value), field});
    }
  }
  all.push_back({topic, context_with("format", "xml"), "format"});
  all.push_back({topic, context_with("owner", ""), "owner"});
  all.push_back({topic, context_with("max_tokens", "many"), "max_tokens"});
  all.push_back({topic, context_with("session_id", std::string(1000, 's')), "session_id"});
  for (const json& value : {json(nullptr), json("x"), json::array(), json::object(), json{{"session_id", 5}},
                            json{{"session_id", "s"}, {"peer", 5}}}) {
    all.push_back({topic, context_with("on_behalf_of", value), "on_behalf_of"});
  }
  return all;
}

std::vector<Wrong> wrong_searches() {
  const char* topic = "ovos.memory.search";
  std::vector<Wrong> all{{topic, json::object(), "query"}, {topic, {{"query", ""}}, "query"}};
  const auto with = [](const char* field, json value) {
    json data{{"query", "hello"}};
    data[field] = std::move(value);
    return data;
  };
  for (const char* field : {"query", "top_k", "scope", "mode", "since", "until", "explain", "lang", "persona_id",
                            "session_id", "owner", "on_behalf_of"}) {
    for (const json& value : {json(nullptr), json::array(), json(json::array({1}))}) {
      all.push_back({topic, with(field, value), field});
    }
  }
  for (const char* field : {"query", "scope", "mode", "lang", "persona_id"}) {
    for (const json& value : {json(5), json(true), json::object()}) all.push_back({topic, with(field, value), field});
  }
  for (const json& value : {json("5"), json(1.5), json(0), json(-1), json(101), json(18446744073709551615u)}) {
    all.push_back({topic, with("top_k", value), "top_k"});
  }
  for (const char* word : {"", "site", "global", "Session"}) all.push_back({topic, with("scope", word), "scope"});
  for (const char* word : {"", "words", "Auto"}) all.push_back({topic, with("mode", word), "mode"});
  for (const char* field : {"since", "until"}) {
    for (const json& value : {json("yesterday"), json(-1), json(true), json::object()}) {
      all.push_back({topic, with(field, value), field});
    }
  }
  for (const json& value : {json(1), json("true")}) all.push_back({topic, with("explain", value), "explain"});
  return all;
}

std::vector<Wrong> wrong_histories() {
  const char* topic = "ovos.memory.history";
  std::vector<Wrong> all;
  for (const json& value : {json(nullptr), json("5"), json(1.5), json(0), json(-1), json(10001), json(true),
                            json(18446744073709551615u), json::array()}) {
    all.push_back({topic, {{"limit", value}}, "limit"});
  }
  for (const json& value : {json(nullptr), json(5), json::object()})
    all.push_back({topic, {{"before", value}}, "before"});
  all.push_back({topic, {{"before", "no-such-id"}}, "turn"});
  for (const json& value : {json(nullptr), json(5)}) all.push_back({topic, {{"persona_id", value}}, "persona_id"});
  return all;
}

std::vector<Wrong> wrong_updates() {
  const char* topic = "ovos.memory.update";
  std::vector<Wrong> all{{topic, json::object(), "messages"}};
  for (const json& value : {json(nullptr), json("x"), json(5), json::object(), json::array()}) {
    all.push_back({topic, {{"messages", value}}, "messages"});
  }
  all.push_back({topic, {{"messages", json(1001, {{"role", "user"}, {"content", "x"}})}}, "1000"});
  for (const json& value : {json(nullptr), json("x"), json(5), json::array()}) {
    all.push_back({topic, messages(value), "messages[0]"});
  }
  const auto with = [](const char* field, json value) {
    json message{{"role", "user"}, {"content", "x"}};
    message[field] = std::move(value);
    return messages(message);
  };
  for (const json& value : {json(nullptr), json(5), json("robot"), json("")}) {
    all.push_back({topic, with("role", value), "messages[0].role"});
  }
  for (const json& value : {json(nullptr), json(5), json::array(), json::object()}) {
    all.push_back({topic, with("content", value), "messages[0].content"});
  }
  for (const char* field : {"name", "type", "lang", "tool_call_id", "timestamp", "meta", "tool_calls"}) {
    for (const json& value : {json(nullptr), json(true), json::array()}) {
      all.push_back({topic, with(field, value), field});
    }
  }
  all.push_back({topic, with("timestamp", "yesterday"), "timestamp"});
  all.push_back({topic, with("timestamp", -1), "timestamp"});
  all.push_back({topic, messages({{"content", "x"}}), "messages[0].role"});
  all.push_back({topic, messages({{"role", "user"}}), "messages[0].content"});
  all.push_back({topic, messages({{"role", "tool"}, {"content", "x"}}), "tool_call_id"});
  all.push_back({topic, messages({{"role", "assistant"}, {"tool_calls", {{{"id", "1"}}}}}), "tool_calls"});
  const json fine{{"role", "user"}, {"content", "never stored"}};
  all.push_back({topic, {{"messages", {fine, {{"role", "user"}}}}}, "messages[1].content"});
  return all;
}

std::vector<Wrong> wrong_switches_and_others() {
  std::vector<Wrong> all;
  for (const json& value : {json(nullptr), json(5), json(""), json("  "), json::array()}) {
    all.push_back({"ovos.persona.activate", {{"persona_id", value}}, "persona_id"});
    all.push_back({"ovos.memory.request", {{"op", value}}, "op"});
  }
  all.push_back({"ovos.persona.activate", json::object(), "persona_id"});
  for (const json& value : {json(nullptr), json(5), json("close")}) {
    all.push_back({"ovos.persona.activate", {{"persona_id", "butler"}, {"match", value}}, "match"});
  }
  all.push_back({"ovos.memory.request", json::object(), "op"});
  all.push_back({"ovos.memory.request", {{"op", "eat"}}, "op"});
  all.push_back({"ovos.memory.request", {{"op", "context"}}, "utterance"});
  for (const char* topic :
       {"ovos.persona.dismiss", "ovos.persona.active", "ovos.memory.status", "ovos.memory.personas"}) {
    for (const json& value : {json(nullptr), json(5), json::array()}) {
      all.push_back({topic, {{"session_id", value}}, "session_id"});
      all.push_back({topic, {{"owner", value}}, "owner"});
    }
  }
  return all;
}

DaemonSettings with_butler() {
  DaemonSettings settings;
  settings.personas["butler"] = {{"name", "butler"}};
  return settings;
}

}  // namespace

TEST_CASE("each wrong or missing field of each request is named in a bad_request, and nothing is changed") {
  DaemonProcess personad(with_butler());
  Assistant bus(personad.url());
  for (const auto& wrongs :
       {wrong_contexts(), wrong_searches(), wrong_histories(), wrong_updates(), wrong_switches_and_others()}) {
    for (const Wrong& wrong : wrongs) {
      const std::string error = bus.error(wrong.topic, wrong.data);
      INFO(wrong.topic, " ", wrong.data.dump().substr(0, 300), " was answered ", error);
      CHECK(error.starts_with("bad_request: "));
      CHECK(error.find(wrong.names) != std::string::npos);
    }
  }
  CHECK(bus.history({}).empty());
  CHECK(bus.result("ovos.persona.active", json::object())["persona_id"].is_null());
}

TEST_CASE("wrong fields of an administrative request are named too") {
  DaemonProcess personad;
  AdminClient admin(personad.admin_socket());
  const std::vector<Wrong> wrongs{{"", {{"limit", 0}}, "limit"},
                                  {"", {{"limit", "ten"}}, "limit"},
                                  {"", {{"cursor", 5}}, "cursor"},
                                  {"", {{"cursor", "made up"}}, "cursor"},
                                  {"", {{"active_since", "yesterday"}}, "active_since"},
                                  {"", {{"active_since", nullptr}}, "active_since"},
                                  {"", {{"owner", 5}}, "owner"}};
  for (const Wrong& wrong : wrongs) {
    const json answer = admin.ask("ovos.memory.sessions", wrong.data);
    INFO(wrong.data.dump(), " was answered ", answer.dump());
    REQUIRE(answer.contains("error"));
    const auto error = answer["error"].get<std::string>();
    CHECK(error.starts_with("bad_request: "));
    CHECK(error.find(wrong.names) != std::string::npos);
  }
}

TEST_CASE("data that is no object is a bad_request on a request, and dropped elsewhere") {
  DaemonProcess personad;
  Assistant bus(personad.url());
  for (const json& data : {json::array(), json(5), json("x"), json(nullptr)}) {
    const auto answer = bus.ask_whole("ovos.memory.context", data, {{"source", "a"}, {"kept", 1}});
    INFO(data.dump(), " was answered ", answer.dump());
    REQUIRE(answer.data.contains("error"));
    CHECK(answer.data["error"].get<std::string>().starts_with("bad_request: data "));
    CHECK(answer.context["kept"] == 1);
    CHECK(answer.context["destination"] == "a");
    bus.emit("ovos.utterance.handle", data);
    bus.emit("ovos.utterance.speak", data);
  }
  CHECK(bus.history({}).empty());
}

TEST_CASE("a request that does not exist is refused, so that nobody waits; what is no request is not answered") {
  DaemonProcess personad;
  Assistant bus(personad.url());
  CHECK(bus.error("ovos.memory.eat", {{"what", "last"}}) ==
        "bad_request: there is no request ovos.memory.eat in this version");
  for (const json& data : {json::array(), json(5), json("x"), json(nullptr)}) bus.emit("ovos.memory.drink", data);
  bus.emit("ovos.memory.drink", json::object(), {{"instance", "another personad"}});
  bus.emit("ovos.memory.swallow.response", json::object());
  bus.emit("ovos.persona.drink", json::object());
  bus.emit("mycroft.personad.is_alive", json::object());
  for (const std::string& topic : bus.topics_until("mycroft.personad.is_alive.response")) {
    CHECK_FALSE(topic.starts_with("ovos.memory.drink.response"));
    CHECK_FALSE(topic.starts_with("ovos.memory.swallow.response.response"));
    CHECK_FALSE(topic.starts_with("ovos.persona.drink.response"));
  }
}

TEST_CASE("a frame that is no message is dropped, counted, and closes nothing") {
  DaemonProcess personad;
  Assistant bus(personad.url());
  for (const char* frame :
       {"", "x", "[]", "null", "5", "{", R"({"type":5})", R"({"data":{}})",
        R"({"type":"ovos.memory.context","context":[]})", R"({"type":"ovos.memory.context","context":null})",
        R"({"type":"ovos.utterance.handle","data":)",
        R"({"type":"ovos.utterance.handle","data":{"utterances":["cut off"])",
        R"({"type":"ovos.memory.context","data":{"utterance":"x"},"context":{"session":5}})"}) {
    bus.send(frame);
  }
  CHECK(bus.history({}).empty());
  CHECK(bus.result("ovos.memory.status", json::object())["counts"]["not_messages"] >= 4);
}

TEST_CASE("an unknown persona is refused with those that are near it") {
  DaemonProcess personad(with_butler());
  Assistant bus(personad.url());
  for (const char* topic : {"ovos.memory.context", "ovos.memory.search", "ovos.memory.history", "ovos.memory.update"}) {
    const json data{{"utterance", "x"},
                    {"query", "x"},
                    {"persona_id", "buttler"},
                    {"messages", {{{"role", "user"}, {"content", "x"}}}}};
    const std::string error = bus.error(topic, data);
    CHECK(error.starts_with("unknown_persona: "));
    CHECK(error.find("\"butler\"") != std::string::npos);
  }
}

TEST_CASE("request_id comes back in results and errors, and one that is wrong is an error itself") {
  DaemonProcess personad;
  Assistant bus(personad.url());
  CHECK(bus.ask("ovos.memory.context", {{"utterance", "x"}, {"request_id", "mine"}})["request_id"] == "mine");
  CHECK(bus.ask("ovos.memory.context", {{"request_id", "mine"}})["request_id"] == "mine");
  for (const json& id : {json(5), json::array(), json(true)}) {
    const auto answer = bus.ask_whole("ovos.memory.context", {{"utterance", "x"}, {"request_id", id}}, json::object());
    CHECK(answer.data.value("error", "").find("request_id") != std::string::npos);
    CHECK_FALSE(answer.data.contains("request_id"));
  }
  CHECK(bus.error("ovos.memory.context", {{"utterance", "x"}, {"request_id", std::string(129, 'r')}})
            .find("request_id") != std::string::npos);
}

TEST_CASE("an answer goes back where its request came from, with its context and its session untouched") {
  DaemonProcess personad;
  Assistant bus(personad.url());
  const json session{{"session_id", "s"}, {"lang", "pt"}, {"unknown_field", {1, 2, {{"deep", nullptr}}}}};
  const json context{
      {"source", "asker"}, {"destination", {"memory", "others"}}, {"session", session}, {"unknown_key", {{"a", 1}}}};
  const auto answer = bus.ask_whole("ovos.memory.context", {{"utterance", "x"}}, context);
  CHECK(answer.context["session"] == session);
  CHECK(answer.context["unknown_key"] == context["unknown_key"]);
  CHECK(answer.context["source"] == "memory");
  CHECK(answer.context["destination"] == "asker");
  CHECK(answer.context["instance"].is_string());
  const auto refused = bus.ask_whole("ovos.memory.context", json::object(), context);
  CHECK(refused.context["session"] == session);
  CHECK(refused.context["unknown_key"] == context["unknown_key"]);
}

TEST_CASE("health topics are answered in the form that OVOS asks for") {
  DaemonProcess personad;
  Assistant bus(personad.url());
  for (const char* topic : {"mycroft.personad.is_alive", "mycroft.personad.is_ready", "mycroft.personad.all_loaded"}) {
    bus.emit(topic, json::object());
    const auto answer = bus.peer().wait_for(std::string(topic) + ".response", {}, kPatience);
    REQUIRE(answer.has_value());
    CHECK(answer->data == json{{"status", true}});
  }
}
