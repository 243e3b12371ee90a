#include "daemon/plugin_messages.hpp"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

using nlohmann::json;
using persona::ContextMessage;
using persona::Role;
using personad::plugin_messages;
using personad::read_plugin_context;
using personad::read_plugin_messages;

namespace {

ContextMessage message(Role role, std::string content) {
  ContextMessage made;
  made.role = role;
  made.content = std::move(content);
  return made;
}

}  // namespace

TEST_CASE("messages go to a plugin and come back the same, tool calls as JSON") {
  ContextMessage call = message(Role::assistant, "");
  call.null_content = true;
  call.tool_calls = R"([{"arguments":{"city":"Bonn"},"id":"c1","name":"weather"}])";
  ContextMessage result = message(Role::tool, "rain");
  result.tool_call_id = "c1";
  ContextMessage user = message(Role::user, "and you?");
  user.name = "Bob";
  const std::vector<ContextMessage> all{message(Role::system, "s"), call, result, user};
  const json written = plugin_messages(all);
  CHECK(written[1]["tool_calls"][0]["arguments"]["city"] == "Bonn");
  CHECK(written[1]["content"].is_null());
  CHECK_FALSE(written[0].contains("name"));
  const auto read = read_plugin_context(written, 10);
  CHECK(read.wrong.empty());
  CHECK(read.messages == all);
}

TEST_CASE("a null where a plugin has nothing to say is as good as nothing") {
  const auto read = read_plugin_context(
      json::parse(R"([{"role":"user","content":"hi","name":null,"tool_calls":null,"tool_call_id":null}])"), 10);
  CHECK(read.wrong.empty());
  CHECK(read.messages == std::vector<ContextMessage>{message(Role::user, "hi")});
}

TEST_CASE("a context of a plugin that is no list of messages up to the user's is nothing, and nobody's text is told") {
  for (const char* text :
       {"null", "{}", "7", R"("secret")", "[]", R"(["secret"])", R"([{"role":"user","content":7}])",
        R"([{"role":"secret","content":"a"}])", R"([{"role":"user"}])", R"([{"content":"secret"}])",
        R"([{"role":"user","content":null}])", R"([{"role":"user","content":"secret","name":1}])",
        R"([{"role":"user","content":"secret"},{"role":"assistant","content":"b"}])",
        R"([{"role":"assistant","content":"a","tool_calls":"secret"},{"role":"user","content":"b"}])",
        R"([{"role":"tool","content":"secret"},{"role":"user","content":"b"}])",
        R"([{"role":"user","content":"1"},{"role":"user","content":"2"},{"role":"user","content":"3"}])"}) {
    CAPTURE(text);
    const auto read = read_plugin_context(json::parse(text), 2);
    CHECK_FALSE(read.wrong.empty());
    CHECK(read.wrong.find("secret") == std::string::npos);
    CHECK(read.messages.empty());
  }
}

TEST_CASE("a history of a plugin may be empty, and need not end with the user") {
  CHECK(read_plugin_messages(json::array(), 2).wrong.empty());
  CHECK(read_plugin_messages(json::parse(R"([{"role":"assistant","content":"a"}])"), 2).wrong.empty());
}
