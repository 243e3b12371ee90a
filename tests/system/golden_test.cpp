#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <map>

#include "tests/fakes/model_server.hpp"
#include "tests/system/assistant.hpp"

// A folder of persona files written for OVOS gives the contexts it gives with the released Python memories. The files
// are told of in tests/golden/README.md.

using namespace system_tests;
using nlohmann::json;

namespace {

// Ids of calls are numbered in order of appearance, as they are in the files.
class CallNames {
 public:
  void rename(json& messages) {
    for (json& message : messages) {
      if (message.contains("tool_call_id")) name(message["tool_call_id"]);
      if (!message.contains("tool_calls")) continue;
      for (json& call : message["tool_calls"]) name(call["id"]);
    }
  }

 private:
  void name(json& id) {
    const auto [at, added] = names_.try_emplace(id.get<std::string>(), "call " + std::to_string(names_.size()));
    id = at->second;
  }
  std::map<std::string, std::string> names_;
};

json with_api_url(json persona, const std::string& url) {
  const std::string module = persona.at("memory_module");
  persona[module]["api_url"] = url;
  return persona;
}

struct Golden {
  std::string name;
  json file;
};

std::vector<Golden> golden_files() {
  std::vector<Golden> all;
  for (const auto& entry : std::filesystem::directory_iterator(GOLDEN_FILES)) {
    if (entry.path().extension() != ".json") continue;
    std::ifstream stream(entry.path());
    all.push_back({entry.path().stem().string(), json::parse(stream)});
  }
  return all;
}

}  // namespace

TEST_CASE("persona files of the Python family give the contexts they give there") {
  std::size_t checked = 0;
  for (const Golden& golden : golden_files()) {
    CAPTURE(golden.name);
    tests::ModelServer model;
    const json asked = golden.file.value("model", json::array());
    for (const json& one : asked) model.next(tests::ModelReply::chat(one.at("answer").get<std::string>()));
    DaemonSettings settings;
    settings.personas[golden.name] =
        asked.empty() ? golden.file.at("persona") : with_api_url(golden.file.at("persona"), model.url());
    DaemonProcess personad(std::move(settings));
    Assistant bus(personad.url());
    json batch = json::array();
    const auto store = [&] {
      if (batch.empty()) return;
      bus.result("ovos.memory.update", {{"messages", batch}}, {golden.name});
      batch = json::array();
      if (asked.empty()) return;
      // What is learnt from it is known before more is said.
      REQUIRE(eventually([&] {
        const json learning = bus.result("ovos.memory.status", json::object()).at("learning");
        return learning.at("waiting") == 0 && learning.at("asking") == 0;
      }));
    };
    for (const json& message : golden.file.at("history")) {
      if (message.at("role") == "user") store();
      batch.push_back(message);
    }
    store();
    if (!asked.empty()) CHECK(model.requests().size() == asked.size());
    std::size_t at = 0;
    for (const tests::ModelRequest& request : model.requests()) {
      if (at == asked.size()) break;
      CHECK(json::parse(request.body).at("messages") == asked[at++].at("request").at("messages"));
    }
    json messages =
        bus.result("ovos.memory.context", {{"utterance", golden.file.at("utterance")}}, {golden.name}).at("messages");
    CallNames().rename(messages);
    CHECK(messages.dump(1) == golden.file.at("messages").dump(1));
    ++checked;
  }
  CHECK(checked >= 18);
}
