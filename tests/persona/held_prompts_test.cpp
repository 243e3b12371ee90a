#include <doctest/doctest.h>

#include "persona/conversation.hpp"
#include "tests/fakes/ram_archive.hpp"

// Several skills may wait for the user at once; a persona that does makes the others' answers no conversation.

using namespace persona;
using namespace std::chrono_literals;
using What = Heard::What;

namespace {

constexpr const char* kPersona = "persona.openvoiceos";
constexpr const char* kBank = "skill-bank.openvoiceos";

/// One conversation of a named session, and what of it was recorded.
struct Hall {
  RamArchive archive;
  Personas personas;
  RecordingRules rules;
  IdSource ids{7};
  RecorderCounts counts;
  std::vector<std::string> recorded;
  Surroundings around;
  std::shared_ptr<Conversation> conversation;
  Number number = 0;

  Hall() {
    around.archive = &archive;
    around.personas = &personas;
    around.rules = &rules;
    around.ids = &ids;
    around.counts = &counts;
    around.on_turn = [this](const ThreadKey&, const TurnPtr& turn) { recorded.push_back(turn->content); };
    conversation = std::make_shared<Conversation>(around, ConversationKey{"local", "hall"}, ActivePersona::State{});
  }

  Heard heard(What what) {
    Heard one;
    one.what = what;
    one.number = ++number;
    one.at = {std::chrono::steady_clock::time_point(1000s), std::chrono::system_clock::time_point(1700000000s)};
    return one;
  }
  void user(const std::string& text, SessionFacts session = {}) {
    Heard one = heard(What::entry);
    one.utterances = {text};
    one.session = std::move(session);
    conversation->hear(one);
  }
  void handled() { conversation->hear(heard(What::handled)); }
};

}  // namespace

TEST_CASE("a skill's prompt is private although a persona waits for the user too") {
  Hall hall;
  SessionFacts session;
  SUBCASE("both in the map of states, the persona first") {
    session.awaiting = {kPersona, kBank};
  }
  SUBCASE("both in the map of states, the skill first") {
    session.awaiting = {kBank, kPersona};
  }
  SUBCASE("the persona in the session, the skill by the legacy event") {
    Heard enabled = hall.heard(What::prompt_enabled);
    enabled.skill_id = kBank;
    hall.conversation->hear(enabled);
    session.response_mode = HeldPrompt{kPersona, {}};
  }
  SUBCASE("the persona in the session, the skill in the map of states") {
    session.response_mode = HeldPrompt{kPersona, {}};
    session.awaiting = {kBank};
  }
  hall.user("8403917265", session);
  hall.handled();
  CHECK(hall.recorded.empty());
  CHECK(hall.counts.prompt_answers == 1);
}

TEST_CASE("what is said to a persona that waits is recorded") {
  Hall hall;
  SessionFacts session;
  session.response_mode = HeldPrompt{kPersona, {}};
  session.awaiting = {kPersona};
  hall.user("yes please", session);
  hall.handled();
  CHECK(hall.recorded == std::vector<std::string>{"yes please"});
}
