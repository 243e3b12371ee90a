#include <doctest/doctest.h>

#include <fstream>

#include "tests/system/admin_client.hpp"
#include "tests/system/assistant.hpp"

// ovos.memory.import, and personactl in front of it.

using namespace system_tests;
using nlohmann::json;

namespace {

DaemonSettings settings() {
  DaemonSettings made;
  made.personas["ada"] = {{"name", "Ada"},
                          {"memory_module", "ovos-memory-plugin-recency"},
                          {"ovos-memory-plugin-recency", {{"max_history", 100}}}};
  made.configuration = {{"bus_admin", true}};
  return made;
}

json turn(const std::string& role, const std::string& content, double time) {
  return {{"kind", "turn"}, {"session_id", "kitchen"}, {"persona_id", "Ada"},
          {"role", role},   {"content", content},      {"timestamp", 1700000000 + time}};
}

json with(json record, const json& more) {
  record.update(more);
  return record;
}

json import(Assistant& bus, json records, json more = json::object()) {
  more["records"] = std::move(records);
  return bus.result("ovos.memory.import", std::move(more));
}

const Where kKitchen{"kitchen"};

json rows(Assistant& bus) {
  return bus.result("ovos.memory.history", {{"limit", 1000}}, kKitchen).at("messages");
}

}  // namespace

TEST_CASE("what was imported is history and context at once, with all that its records said") {
  DaemonProcess personad(settings());
  Assistant bus(personad.url());
  CHECK(bus.context(kKitchen, "x") == Lines{"user: x"});
  const json result = import(bus, {with(turn("user", "Hi", 0), {{"id", "q1"}, {"lang", "de"}, {"meta", {{"a", 1}}}}),
                                   with(turn("assistant", "Hello", 1), {{"exchange", "q1"}, {"name", "Ada"}}),
                                   turn("user", "And now?", 2), turn("assistant", "Now this", 3)});
  CHECK(result.at("imported") == 4);
  CHECK(result.at("skipped") == 0);
  REQUIRE(result.at("ids").size() == 4);
  CHECK(result.at("ids")[0] == "q1");
  const Lines said{"user: Hi", "assistant: Hello", "user: And now?", "assistant: Now this"};
  Lines context = said;
  context.emplace_back("user: x");
  CHECK(bus.context(kKitchen, "x") == context);
  CHECK(bus.history(kKitchen, {{"limit", 100}}) == said);
  const json first = rows(bus).at(0);
  CHECK(first.at("meta") == json{{"a", 1}});
  CHECK(first.at("lang") == "de");
  CHECK(first.at("timestamp") == 1700000000);
  CHECK(first.at("exchange") == "q1");
  const json status = bus.result("ovos.memory.status", json::object());
  CHECK(status.at("counts").at("import") == json{{"imported", 4}, {"skipped", 0}});
}

TEST_CASE("records of several owners, sessions and personas go where they say, also to a persona without a file") {
  DaemonProcess personad(settings());
  Assistant bus(personad.url());
  AdminClient admin(personad.admin_socket());
  const json records{turn("user", "a", 0), with(turn("user", "b", 0), {{"owner", "hivemind:hub:3:phone"}}),
                     with(turn("user", "c", 0), {{"session_id", "hall"}}),
                     with(turn("user", "d", 0), {{"persona_id", "Nobody"}})};
  CHECK(admin.ask("ovos.memory.import", {{"records", records}})["result"]["imported"] == 4);
  const json sessions = admin.ask("ovos.memory.sessions")["result"]["sessions"];
  REQUIRE(sessions.size() == 4);
  CHECK(sessions[1]["owner"] == "hivemind:hub:3:phone");
  CHECK(sessions[2]["session_id"] == "hall");
  CHECK(sessions[3]["persona_id"] == "Nobody");
}

TEST_CASE("only administrators import: not a component of the host, and not a satellite, however it asks") {
  DaemonSettings plain = settings();
  plain.configuration = json::object();
  const json data{{"records", {turn("user", "a", 0)}}};
  const json whole{{"op", "import"}, {"records", data["records"]}};
  {
    DaemonProcess personad(plain);
    Assistant bus(personad.url());
    CHECK(bus.error("ovos.memory.import", data).starts_with("forbidden: "));
    CHECK(bus.error("ovos.memory.request", whole).starts_with("forbidden: "));
    CHECK(AdminClient(personad.admin_socket()).ask("ovos.memory.import", data)["result"]["imported"] == 1);
  }
  DaemonProcess personad(settings());
  Assistant bus(personad.url());
  Where phone{"0123456789abcdef:one"};
  phone.context = {{"peer", "HiveMind::3::phone::one"}, {"source", "HiveMind::3::phone::one"}};
  CHECK(bus.error("ovos.memory.import", data, phone).starts_with("forbidden: "));
  CHECK(bus.error("ovos.memory.request", whole, phone).starts_with("forbidden: "));
  CHECK(bus.result("ovos.memory.request", whole).at("imported") == 1);
}

TEST_CASE("one wrong record, named, and nothing of the request is stored") {
  DaemonProcess personad(settings());
  Assistant bus(personad.url());
  const auto refused = [&](const json& record) {
    json records = json::array();
    for (int i = 0; i < 20; ++i) records.push_back(turn("user", "row " + std::to_string(i), i));
    records[17] = record;
    return bus.error("ovos.memory.import", {{"records", records}});
  };
  for (const char* field : {"kind", "session_id", "persona_id", "role", "content", "timestamp"}) {
    json missing = turn("user", "x", 0);
    missing.erase(field);
    CHECK(refused(missing).starts_with("bad_request: records[17]." + std::string(field) + " "));
    CHECK(refused(with(turn("user", "x", 0), {{field, nullptr}}))
              .starts_with("bad_request: records[17]." + std::string(field) + " "));
    CHECK(refused(with(turn("user", "x", 0), {{field, json::array()}}))
              .starts_with("bad_request: records[17]." + std::string(field) + " "));
  }
  for (const char* field : {"owner", "id", "exchange", "name", "type", "lang", "meta", "tool_calls"}) {
    CHECK(refused(with(turn("user", "x", 0), {{field, 3}}))
              .starts_with("bad_request: records[17]." + std::string(field) + " "));
  }
  CHECK(refused(5) == "bad_request: records[17] must be an object");
  CHECK(refused(turn("user", std::string(300000, 'x'), 0)).starts_with("too_large: records[17].content "));
  CHECK(refused(with(turn("user", "x", 0), {{"meta", {{"a", std::string(20000, 'x')}}}}))
            .starts_with("too_large: records[17].meta "));
  for (const json& records : {json(), json("x"), json::array(), json(std::vector<json>(1001, turn("user", "x", 0)))}) {
    CHECK(bus.error("ovos.memory.import", {{"records", records}}).starts_with("bad_request: records must be "));
  }
  for (const json& on_conflict : {json(), json("merge"), json(true)}) {
    CHECK(bus.error("ovos.memory.import", {{"records", {turn("user", "x", 0)}}, {"on_conflict", on_conflict}})
              .starts_with("bad_request: on_conflict "));
  }
  CHECK(rows(bus).empty());
  CHECK(import(bus, std::vector<json>(1000, turn("user", "x", 0))).at("skipped") == 999);
}

TEST_CASE("what is there is skipped, or replaced when that is asked for; the next context shows it") {
  DaemonProcess personad(settings());
  Assistant bus(personad.url());
  const json old{with(turn("user", "Hi", 0), {{"id", "a"}}), turn("assistant", "Hello", 1)};
  const json first = import(bus, old);
  const json again = import(bus, old);
  CHECK(again.at("imported") == 0);
  CHECK(again.at("skipped") == 2);
  CHECK(again.at("ids") == first.at("ids"));
  CHECK(bus.context(kKitchen, "x") == Lines{"user: Hi", "assistant: Hello", "user: x"});
  const json other{with(turn("user", "Good morning", 0), {{"id", "a"}})};
  CHECK(import(bus, other).at("skipped") == 1);
  CHECK(bus.context(kKitchen, "x") == Lines{"user: Hi", "assistant: Hello", "user: x"});
  CHECK(import(bus, other, {{"on_conflict", "replace"}}).at("imported") == 1);
  CHECK(bus.context(kKitchen, "x") == Lines{"user: Good morning", "assistant: Hello", "user: x"});
  // Into another session, out of this one.
  const json moved{with(other[0], {{"session_id", "hall"}})};
  CHECK(import(bus, moved, {{"on_conflict", "replace"}}).at("imported") == 1);
  CHECK(bus.history({"hall"}) == Lines{"user: Good morning"});
  CHECK(rows(bus).size() == 1);
}

TEST_CASE("facts and summaries are imported too") {
  DaemonSettings learning = settings();
  learning.personas["ada"] = {{"name", "Ada"}, {"memory_module", "ovos-memory-plugin-longterm"}};
  DaemonProcess personad(learning);
  Assistant bus(personad.url());
  const json thread{{"session_id", "kitchen"}, {"persona_id", "Ada"}, {"timestamp", 1700000005}};
  const json result =
      import(bus, {with(turn("user", "Hi", 0), {{"id", "a"}}), turn("assistant", "Hello", 1), turn("user", "Later", 9),
                   turn("assistant", "Soon", 10),
                   with(thread, {{"kind", "fact"}, {"fact", "Likes tea"}, {"sources", {"a"}}, {"id", "f"}}),
                   with(thread, {{"kind", "summary"}, {"summary", "They greeted."}})});
  CHECK(result.at("imported") == 6);
  CHECK(result.at("ids")[4] == "f");
  const json facts = bus.result("ovos.memory.facts", json::object(), kKitchen);
  REQUIRE(facts.at("facts").size() == 1);
  CHECK(facts.at("facts")[0] ==
        json{{"id", "f"}, {"fact", "Likes tea"}, {"created", 1700000005}, {"source", "learnt"}});
  const Lines context = bus.context(kKitchen, "x");
  REQUIRE(context.size() == 4);
  CHECK(context[0].find("They greeted.") != std::string::npos);
  CHECK(context[1] == "user: Later");  // the rest is in the summary
}

TEST_CASE("an import that was answered survives kill -9") {
  DaemonProcess personad(settings());
  json before;
  {
    Assistant bus(personad.url());
    json records = json::array();
    for (int i = 0; i < 500; ++i) records.push_back(turn(i % 2 == 0 ? "user" : "assistant", std::to_string(i), i));
    CHECK(import(bus, records).at("imported") == 500);
    personad.kill9();
  }
  personad.start();
  Assistant bus(personad.url());
  const json after = rows(bus);
  REQUIRE(after.size() == 500);
  for (std::size_t i = 0; i < after.size(); ++i) CHECK(after[i].at("content") == std::to_string(i));
  CHECK(import(bus, {turn("user", "0", 0)}).at("skipped") == 1);
}

TEST_CASE("imports between the frames of live exchanges lose nothing, and put nothing out of order") {
  DaemonProcess personad(settings());
  Assistant bus(personad.url());
  Where one = kKitchen;
  one.utterance_id = "u1";
  Where two = kKitchen;
  two.utterance_id = "u2";
  bus.say(one, "Live one");
  bus.speak(one, "first");
  CHECK(import(bus, {turn("user", "Q1", 0), turn("assistant", "A1", 1), turn("user", "Q2", 2)}).at("imported") == 3);
  bus.say(two, "Live two");
  bus.speak(one, "second");
  CHECK(import(bus, {turn("assistant", "A2", 3), turn("user", "Q3", 4), turn("assistant", "A3", 5)}).at("imported") ==
        3);
  bus.speak(two, "third");
  bus.handled(one);
  bus.handled(two);
  const Lines said{"user: Live one", "assistant: first", "assistant: second", "user: Q1", "assistant: A1", "user: Q2",
                   "assistant: A2",  "user: Live two",   "assistant: third",  "user: Q3", "assistant: A3"};
  CHECK(bus.history(kKitchen, {{"limit", 100}}) == said);
  const Lines context{
      "user: Live one", "assistant: first\nsecond", "user: Q1", "assistant: A1", "user: Q2", "assistant: A2",
      "user: Live two", "assistant: third",         "user: Q3", "assistant: A3", "user: x"};
  CHECK(bus.context(kKitchen, "x") == context);
  personad.kill9();
  personad.start();
  Assistant after(personad.url());
  CHECK(after.context(kKitchen, "x") == context);
}

TEST_CASE("personactl imports a file, says what became of it, and names the line that is wrong") {
  DaemonSettings plain = settings();
  plain.configuration = json::object();
  DaemonProcess personad(plain);
  Assistant bus(personad.url());
  const auto file = personad.folder() / "records.jsonl";
  const auto write = [&](int count, const std::string& last) {
    std::ofstream out(file);
    for (int i = 0; i < count; ++i) out << turn(i % 2 == 0 ? "user" : "assistant", std::to_string(i), i).dump() << "\n";
    out << last;
  };
  const auto personactl = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {PERSONACTL_BIN, "--admin-socket", personad.admin_socket().string()});
    return run_to_end(std::move(arguments));
  };
  write(1234, "");
  Ran ran = personactl({"import", file.string()});
  CHECK(ran.out == "1234 imported, 0 skipped\n");
  CHECK(ran.exit_code == 0);
  ran = personactl({"import", file.string(), "--on-conflict", "skip", "--json"});
  CHECK(json::parse(ran.out) == json{{"imported", 0}, {"skipped", 1234}});
  ran = personactl({"import", file.string(), "--on-conflict", "replace"});
  CHECK(ran.out == "1234 imported, 0 skipped\n");
  const json newest = bus.result("ovos.memory.history", {{"limit", 2}}, kKitchen).at("messages");
  CHECK(newest.at(1).at("content") == "1233");

  write(1300, R"({"kind": "turn"})");
  ran = personactl({"import", file.string()});
  CHECK(ran.exit_code == 1);
  CHECK(ran.err.find("(line 1301)") != std::string::npos);
  ran = personactl({"import", file.string(), "--on-conflict", "maybe"});
  CHECK(ran.exit_code != 0);
  ran = personactl({"import", (personad.folder() / "none").string()});
  CHECK(ran.exit_code == 2);
  ran = run_to_end({PERSONACTL_BIN, "--bus", personad.url(), "import", file.string()});
  CHECK(ran.exit_code == 1);
  CHECK(ran.err.find("forbidden") != std::string::npos);
  CHECK(ran.err.find("admin socket") != std::string::npos);
}
