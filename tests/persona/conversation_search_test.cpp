#include <doctest/doctest.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "persona/conversations.hpp"
#include "tests/fakes/ram_archive.hpp"

// Searches of a conversation: what is handed to the archive, and what was erased meanwhile.

using namespace persona;
using namespace std::chrono_literals;
using What = Heard::What;

namespace {

const ConversationKey kKitchen{"local", "kitchen"};

struct World {
  RamArchive archive;
  Personas personas;
  RecordingRules rules;
  IdSource ids{7};
  RecorderCounts counts;
  Moment now{std::chrono::steady_clock::time_point(1000s), std::chrono::system_clock::time_point(1700000000s)};
  Conversations conversations{{&archive, &personas, &rules, &ids, &counts, {}, {}, {}, {}}, {}};

  void hear(What what, std::string text, std::string skill = {}, std::string intent = {}) {
    Heard heard;
    heard.what = what;
    heard.number = conversations.next_number();
    heard.at = now;
    if (what == What::entry) heard.utterances = {text};
    heard.text = std::move(text);
    heard.skill_id = std::move(skill);
    heard.intent = std::move(intent);
    conversations.hear(kKitchen, std::move(heard));
  }
  /// What is found once the archive has run; nothing while nobody answered.
  std::shared_ptr<std::optional<std::vector<std::string>>> search(const std::string& query) {
    auto found = std::make_shared<std::optional<std::vector<std::string>>>();
    RecallAsk ask;
    ask.query = query;
    conversations.open(kKitchen, [ask, found](StoreResult<Conversation*> opened) {
      REQUIRE(opened);
      (*opened)->search((*opened)->persona_id(), ask, [found](StoreResult<std::vector<Hit>> hits) {
        found->emplace();
        if (!hits) return (*found)->push_back("error");
        for (const Hit& hit : *hits) (*found)->push_back(hit.turn->content);
      });
    });
    return found;
  }
};
using Found = std::optional<std::vector<std::string>>;

}  // namespace

TEST_CASE("a search finds what was said before it was asked") {
  World world;
  world.hear(What::entry, "the ferry leaves");
  world.hear(What::spoke, "at seven, the ferry");
  const auto found = world.search("ferry");
  CHECK_FALSE(*found);
  world.archive.run();
  CHECK(*found == Found({"the ferry leaves", "at seven, the ferry"}));
}

TEST_CASE("what is erased while it is looked for is not in what is found") {
  World world;
  world.hear(What::entry, "code 4711");
  world.archive.run();
  world.now.steady += 3s;
  world.conversations.tick(world.now);
  world.archive.run();
  const auto before = world.search("4711");
  world.archive.run();
  REQUIRE(*before == Found({"code 4711"}));
  const auto found = world.search("4711");
  world.hear(What::dispatched, "code 4711", "bank.skill", "response");
  world.archive.run();
  CHECK(*found == Found(std::vector<std::string>()));
  CHECK(world.archive.searched.size() == 3);  // asked again
}

TEST_CASE("a store that fails is told, not an empty list") {
  World world;
  world.hear(What::entry, "the ferry leaves");
  world.archive.run();
  const auto found = world.search("ferry");
  world.archive.broken = true;
  world.archive.run();
  CHECK(*found == Found({"error"}));
}
