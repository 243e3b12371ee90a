#include <doctest/doctest.h>

#include <csignal>

#include "tests/system/admin_client.hpp"
#include "tests/system/assistant.hpp"

// What must not be remembered is in no answer, and in no file.

using namespace system_tests;
using nlohmann::json;

namespace {

constexpr const char* kPin = "pin 8403917265";
constexpr const char* kSkill = "skill-bank.openvoiceos";

/// True when the PIN is in no file of the data folder, while what was said openly is.
void check_not_on_disk(DaemonProcess& personad) {
  CHECK(personad.terminate() == 0);
  CHECK(any_file_holds(personad.data_dir(), "show my balance"));
  CHECK_FALSE(any_file_holds(personad.data_dir(), "8403917265"));
}

json held_by_skill() {
  const double later = 4000000000;
  return {{"response_mode", {{"skill_id", kSkill}, {"expires_at", later}}}};
}

}  // namespace

TEST_CASE("a cancelled utterance is in no answer and in no file") {
  DaemonProcess personad;
  Assistant bus(personad.url());
  Where where{"hall"};
  bus.exchange(where, "show my balance", {"Done."});
  bus.say(where, "oh 8403917265 never mind");
  bus.emit("ovos.utterance.cancelled", json::object(), where.as_context());
  bus.handled(where);
  CHECK(bus.history(where) == Lines{"user: show my balance", "assistant: Done."});
  check_not_on_disk(personad);
}

TEST_CASE("an answer to a skill's own question is in no answer and in no file") {
  DaemonProcess personad;
  Assistant bus(personad.url());
  Where where{"hall"};
  bus.exchange(where, "show my balance", {"What is your PIN?"});

  SUBCASE("where the session says that the skill holds it") {
    Where held = where;
    held.session_fields = held_by_skill();
    bus.say(held, kPin);
  }
  SUBCASE("where the legacy event says so") {
    bus.emit("skill.converse.get_response.enable", {{"skill_id", kSkill}}, where.as_context());
    bus.say(where, kPin);
    bus.emit("skill.converse.get_response.disable", {{"skill_id", kSkill}}, where.as_context());
  }
  SUBCASE("where the session of an earlier frame says so, on the default session") {
    where = {};
    Where held;
    held.session_fields = held_by_skill();
    bus.speak(held, "Your PIN, please.");
    bus.say(where, kPin);
  }
  for (const std::string& line : bus.history(where)) CHECK(line.find("8403917265") == std::string::npos);
  check_not_on_disk(personad);
}

TEST_CASE("an answer to a skill's question that is found out only afterwards is erased from every file") {
  DaemonProcess personad;
  Assistant bus(personad.url());
  const Where hall{"hall"};
  bus.exchange(hall, "show my balance", {"What is your PIN?"});
  Where where{"hall"};
  where.utterance_id = "u-9";
  bus.say(where, kPin);
  bus.emit("ovos.intent.matched", {{"skill_id", kSkill}, {"utterance", kPin}}, where.as_context());
  CHECK(bus.history(hall).back() == "user: " + std::string(kPin));
  Where dispatched = where;
  dispatched.context["skill_id"] = kSkill;
  bus.emit(std::string(kSkill) + ":response", {{"utterances", {kPin}}}, dispatched.as_context());
  CHECK(bus.history(hall) == Lines{"user: show my balance", "assistant: What is your PIN?"});
  CHECK(eventually([&] { return !any_file_holds(personad.data_dir(), "8403917265"); }));
  check_not_on_disk(personad);
}

TEST_CASE("with record.prompt_answers an answer to a skill's question is conversation") {
  DaemonSettings settings;
  settings.configuration = {{"record", {{"prompt_answers", true}}}};
  DaemonProcess personad(std::move(settings));
  Assistant bus(personad.url());
  Where held{"hall"};
  held.session_fields = held_by_skill();
  bus.say(held, kPin);
  bus.speak({"hall"}, "Thank you.");
  CHECK(bus.history({"hall"}).size() == 2);
}

TEST_CASE("a persona without a memory module remembers nothing, and its context is the utterance") {
  DaemonSettings settings;
  settings.personas["goldfish"] = {{"name", "goldfish"}, {"memory_module", nullptr}};
  DaemonProcess personad(std::move(settings));
  Assistant bus(personad.url());
  bus.exchange({"bowl"}, "8403917265", {"Blub 8403917265."});
  CHECK(bus.context({"bowl"}, "and?") == Lines{"user: and?"});
  CHECK(bus.history({"bowl"}).empty());
  CHECK(bus.error("ovos.memory.update", {{"messages", {{{"role", "user"}, {"content", "x"}}}}}, {"bowl"})
            .starts_with("bad_request"));
  CHECK(personad.terminate() == 0);
  CHECK_FALSE(any_file_holds(personad.data_dir(), "8403917265"));
}

TEST_CASE("only this user can read what is kept") {
  DaemonProcess personad;
  Assistant bus(personad.url());
  bus.exchange({"hall"}, "hello", {"hi"});
  (void)bus.history({"hall"});
  namespace fs = std::filesystem;
  constexpr fs::perms kOthers = fs::perms::group_all | fs::perms::others_all;
  for (const auto& entry : fs::recursive_directory_iterator(personad.data_dir())) {
    INFO(entry.path().string());
    CHECK((entry.status().permissions() & kOthers) == fs::perms::none);
  }
  CHECK((fs::status(personad.admin_socket()).permissions() & kOthers) == fs::perms::none);
}
