#include "daemon/request_router.hpp"

#include <doctest/doctest.h>

#include <vector>

#include "tests/fakes/ram_archive.hpp"

using namespace personad;
using nlohmann::json;

namespace {

/// A router over an archive that answers only when told to.
struct World {
  persona::RamArchive archive;
  persona::Personas personas;
  persona::RecordingRules rules;
  persona::IdSource ids{7};
  persona::RecorderCounts counts;
  persona::Conversations conversations{{&archive, &personas, &rules, &ids, &counts, {}, {}, {}, {}}, {}};
  bus::WireMap wire_map;
  Access access{wire_map, false};
  Configuration configuration;
  RequestRouter router{Services{conversations, archive, personas, access, configuration, [] {
                                  return json{{"ready", true}};
                                }}};
  std::vector<json> answers;

  void ask(const char* topic, json data = json::object()) {
    bus::Identity identity;
    identity.owner = "local";
    identity.conversation = "s";
    Request::Arrival arrival;
    arrival.number = conversations.next_number();
    router.handle(std::make_shared<Request>(
        bus::Message{topic, std::move(data), json::object()}, identity, Transport::bus, arrival, "me",
        [this](std::string frame) { answers.push_back(json::parse(frame)["data"]); }));
  }
};

}  // namespace

TEST_CASE("requests that wait for the store are bounded, whatever they wait for; more are answered busy") {
  World world;
  world.configuration.limits.waiting_requests = 3;
  world.ask("ovos.memory.context", {{"utterance", "a"}});
  world.ask("ovos.memory.history");
  world.ask("ovos.memory.status");
  CHECK(world.answers.empty());
  world.ask("ovos.memory.status");
  REQUIRE(world.answers.size() == 1);
  CHECK(world.answers[0]["error"].get<std::string>().starts_with("busy: "));

  world.archive.run();
  CHECK(world.answers.size() == 4);
  world.ask("ovos.memory.context", {{"utterance", "a"}});
  REQUIRE(world.answers.size() == 5);
  CHECK(world.answers[4].contains("result"));
}

TEST_CASE("the status is ready only while the store works") {
  World world;
  world.ask("ovos.memory.status");
  world.archive.run();
  REQUIRE(world.answers.size() == 1);
  CHECK(world.answers[0]["result"]["ready"] == true);
  world.archive.broken = true;
  world.ask("ovos.memory.status");
  world.archive.run();
  REQUIRE(world.answers.size() == 2);
  CHECK(world.answers[1]["result"]["ready"] == false);
}

TEST_CASE("the language of a question is the one it says, else its session's, else its context's") {
  const auto language = [](json data, json context) {
    return language_of_question(Request(bus::Message{"ovos.memory.search", std::move(data), std::move(context)}, {},
                                        Transport::bus, {}, "me", [](std::string) {}));
  };
  const json context{{"session", {{"lang", "de-DE"}}}, {"lang", "pt-PT"}};
  CHECK(language({{"lang", "ja-JP"}}, context) == "ja-JP");
  CHECK(language({{"lang", ""}}, context) == "de-DE");
  CHECK(language(json::object(), context) == "de-DE");
  CHECK(language(json::object(), {{"session", {{"lang", 5}}}, {"lang", "pt-PT"}}) == "pt-PT");
  CHECK(language(json::object(), {{"session", json::array()}, {"lang", std::string(65, 'x')}}).empty());
  CHECK(language(json::object(), json::object()).empty());
}
