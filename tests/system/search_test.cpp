#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <set>

#include "tests/system/admin_client.hpp"
#include "tests/system/assistant.hpp"

// ovos.memory.search: what is found, whose it is, and what others cannot do to it.

using namespace system_tests;
using nlohmann::json;

namespace {

constexpr const char* kSearch = "ovos.memory.search";
constexpr const char* kPhone = "HiveMessageBusClientV0.0.1::7::phone::hall";
constexpr double kStart = 1700000000;  // unix seconds

DaemonSettings settings() {
  DaemonSettings made;
  made.personas["ada"] = {{"name", "Ada"},
                          {"memory_module", "ovos-memory-plugin-lexical"},
                          {"ovos-memory-plugin-lexical", {{"max_history", 2}}}};
  made.personas["bob"] = {{"name", "Bob"},
                          {"memory_module", "ovos-memory-plugin-lexical"},
                          {"ovos-memory-plugin-lexical", {{"scope", "owner"}}}};
  made.configuration = {{"bus_admin", true}, {"default_persona", "Ada"}};
  return made;
}

struct Said {
  std::string role;
  std::string content;
  json more = json::object();
};

/// Turns of a conversation, one minute apart.
void import(Assistant& bus, const std::vector<Said>& turns, const json& where = json::object()) {
  json records = json::array();
  for (const Said& said : turns) {
    json record{{"kind", "turn"},          {"session_id", "kitchen"},
                {"persona_id", "Ada"},     {"role", said.role},
                {"content", said.content}, {"timestamp", kStart + 60 * static_cast<double>(records.size())}};
    record.update(where);
    record.update(said.more);
    records.push_back(std::move(record));
  }
  REQUIRE(bus.result("ovos.memory.import", {{"records", std::move(records)}}).at("skipped") == 0);
}

const Where kKitchen{"kitchen"};

json search(Assistant& bus, const std::string& query, json more = json::object(), const Where& where = kKitchen) {
  more["query"] = query;
  const json result = bus.result(kSearch, std::move(more), where);
  CHECK(result.size() == 1);
  return result.at("hits");
}

Lines contents(const json& hits) {
  Lines lines;
  for (const json& hit : hits) lines.push_back(hit.at("content"));
  return lines;
}

std::set<std::string> keys(const json& object) {
  std::set<std::string> names;
  for (const auto& [name, unused] : object.items()) names.insert(name);
  return names;
}

/// A message as a hub injects it for a phone.
Where phone(const std::string& session = "hall") {
  Where where{"0123456789abcdef:" + session};
  where.context = {{"peer", kPhone}, {"source", kPhone}, {"destination", "skills"}};
  return where;
}

const std::vector<Said> kTalk{{"user", "When does the ferry to Bergen leave?"},
                              {"assistant", "The ferry leaves at seven in the morning."},
                              {"user", "Bake rye bread for the neighbours, please."},
                              {"assistant", "Noted: rye bread."},
                              {"user", "My cousin paints lighthouses."},
                              {"assistant", "Lighthouses are a fine thing to paint."}};

}  // namespace

TEST_CASE("a search finds what was said, the best first, and says of each whose it is, where, when, and how well") {
  DaemonProcess personad(settings());
  Assistant bus(personad.url());
  import(bus, {{"user",
                "Which boat goes to Bergen?",
                { {"id", "q"},
                  {"lang", "en"},
                  { "name",
                    "Olga" } }},
               {"assistant",
                "The ferry goes to Bergen at seven.",
                { {"id", "a"},
                  { "meta",
                    {
                      { "platform",
                        9 }
                    } } }},
               {"user", "Thank you."},
               { "assistant",
                 "You are welcome." }});
  const json hits = search(bus, "at what time does the ferry go to Bergen", {{"explain", true}});
  REQUIRE(hits.size() >= 2);
  const json best = hits[0];
  CHECK(keys(best) == std::set<std::string>{"id", "session_id", "owner", "persona_id", "role", "content", "timestamp",
                                            "meta", "score", "source", "why"});
  CHECK(best.at("id") == "a");
  CHECK(best.at("session_id") == "kitchen");
  CHECK(best.at("owner") == "local");
  CHECK(best.at("persona_id") == "Ada");
  CHECK(best.at("role") == "assistant");
  CHECK(best.at("content") == "The ferry goes to Bergen at seven.");
  CHECK(best.at("timestamp") == kStart + 60);
  CHECK(best.at("meta") == json{{"platform", 9}});
  CHECK(best.at("source") == "lexical");
  const auto asked = std::ranges::find_if(hits, [](const json& hit) { return hit.at("id") == "q"; });
  REQUIRE(asked != hits.end());
  CHECK(asked->at("name") == "Olga");
  CHECK(asked->at("role") == "user");
  CHECK_FALSE(asked->contains("meta"));
  double before = 1;
  for (const json& hit : hits) {
    const double score = hit.at("score");
    CHECK(score > 0);
    CHECK(score <= before);
    before = score;
  }
}

TEST_CASE("explain says which words were found where, what changed the score, and nothing without being asked") {
  DaemonProcess personad(settings());
  Assistant bus(personad.url());
  import(bus, {{"user",
                "Who owns the red kite?",
                {
                  { "name",
                    "Olga" }
                }},
               {"assistant",
                "Look [shares a picture: a kite on a beach]",
                {
                  { "name",
                    "Piet" }
                }},
               { "user",
                 "It belongs to my cousin.",
                 {
                   { "name",
                     "Olga" }
                 } }});
  const json plain = search(bus, "Olga's kite");
  CHECK_FALSE(plain.at(0).contains("why"));
  const json hits = search(bus, "Olga's kite", {{"explain", true}});
  CHECK(contents(hits) == contents(plain));
  std::set<std::string> parts;
  bool by_speaker = false;
  for (const json& hit : hits) {
    const json& why = hit.at("why");
    CHECK(keys(why) == std::set<std::string>{"terms", "words", "bonuses"});
    CHECK(why.at("words") > 0);
    double sum = 0;
    for (const json& term : why.at("terms")) {
      CHECK(keys(term) == std::set<std::string>{"term", "score", "in"});
      CHECK_FALSE(term.at("in").empty());
      sum += term.at("score").get<double>();
      for (const json& part : term.at("in")) parts.insert(part);
    }
    CHECK(sum == doctest::Approx(why.at("words").get<double>()).epsilon(1e-4));
    by_speaker = by_speaker || why.at("bonuses").contains("speaker");
    CHECK(why.at("bonuses").contains("speaker") == (hit.at("name") == "Olga"));
  }
  CHECK(by_speaker);
  CHECK(parts == std::set<std::string>{"text", "caption", "name", "neighbours"});
}

TEST_CASE("no more hits than asked for, five where nobody says, and none for words that nobody said") {
  DaemonProcess personad(settings());
  Assistant bus(personad.url());
  std::vector<Said> turns;
  for (int i = 0; i < 130; ++i) turns.push_back({"user", "lighthouse number " + std::to_string(i)});
  import(bus, turns);
  CHECK(search(bus, "lighthouse").size() == 5);
  CHECK(search(bus, "lighthouse", {{"top_k", 1}}).size() == 1);
  CHECK(search(bus, "lighthouse", {{"top_k", 100}}).size() == 100);
  CHECK(search(bus, "submarine").empty());
}

TEST_CASE("a session is looked through alone, an owner's sessions or a persona's only where that is asked for") {
  DaemonProcess personad(settings());
  Assistant bus(personad.url());
  import(bus, {{ "user", "the parrot of the kitchen" }});
  import(bus, {{ "user", "the parrot of the hall" }}, {{ "session_id", "hall" }});
  import(bus, {{ "user", "the parrot of a guest" }}, {{ "owner", "hivemind:hub:9:guest" }});
  import(bus, {{ "user", "the parrot of Bob" }}, {{ "persona_id", "Bob" }});
  const auto found = [&](const json& more, const Where& where = kKitchen) {
    const Lines lines = contents(search(bus, "parrot", more, where));
    return std::set<std::string>(lines.begin(), lines.end());
  };
  using Set = std::set<std::string>;
  const Set kitchen{"the parrot of the kitchen"};
  const Set household{"the parrot of the kitchen", "the parrot of the hall"};
  CHECK(found(json::object()) == kitchen);
  CHECK(found({{"scope", "session"}}) == kitchen);
  CHECK(found({{"scope", "owner"}}) == household);
  CHECK(found({{"scope", "owner"}}, {"nowhere"}) == household);
  CHECK(found({{"scope", "persona"}}) ==
        Set{"the parrot of the kitchen", "the parrot of the hall", "the parrot of a guest"});
  CHECK(found({{"persona_id", "Bob"}, {"scope", "persona"}}) == Set{"the parrot of Bob"});
  CHECK(found({{"session_id", "hall"}}) == Set{"the parrot of the hall"});
  CHECK(found({{"owner", "hivemind:hub:9:guest"}}) == Set{"the parrot of a guest"});
  CHECK(found({{"on_behalf_of", {{"session_id", "hall"}}}}) == Set{"the parrot of the hall"});
  CHECK(found({{"session_id", "cellar"}}).empty());
}

TEST_CASE("what a thousand turns of strangers say changes no score by a single bit") {
  DaemonProcess personad(settings());
  Assistant bus(personad.url());
  import(bus, kTalk);
  import(bus, kTalk, {{ "session_id", "hall" }});
  const auto all = [&] {
    json found = json::array();
    for (const char* scope : {"session", "owner"}) {
      for (const char* query : {"ferry to Bergen", "rye bread", "who paints lighthouses in the morning"}) {
        found.push_back(search(bus, query, {{"scope", scope}, {"explain", true}, {"top_k", 100}}));
      }
    }
    return found.dump();
  };
  const std::string before = all();
  std::vector<Said> strangers;
  for (int i = 0; i < 1000; ++i) strangers.push_back({"user", kTalk[i % 6].content + " " + std::to_string(i)});
  import(bus, strangers, {{ "owner", "hivemind:hub:9:guest" }});
  CHECK(all() == before);
  import(bus, strangers, {{ "persona_id", "Bob" }});
  CHECK(all() == before);
}

TEST_CASE("since counts, until does not; both may be written as RFC 3339") {
  DaemonProcess personad(settings());
  Assistant bus(personad.url());
  import(bus, {{"user", "ferry one"}, {"user", "ferry two"}, { "user", "ferry three" }});
  const auto found = [&](const json& more) {
    const Lines lines = contents(search(bus, "ferry", more));
    return std::set<std::string>(lines.begin(), lines.end());
  };
  using Set = std::set<std::string>;
  CHECK(found({{"since", kStart + 60}}) == Set{"ferry two", "ferry three"});
  CHECK(found({{"until", kStart + 60}}) == Set{"ferry one"});
  CHECK(found({{"since", kStart + 60}, {"until", kStart + 61}}) == Set{"ferry two"});
  CHECK(found({{"since", "2023-11-14T22:14:20Z"}}) == Set{"ferry two", "ferry three"});
  CHECK(found({{"since", kStart + 121}}).empty());
}

TEST_CASE("after a restart and after kill -9 the hits are the same, with the same scores") {
  DaemonProcess personad(settings());
  const auto all = [&] {
    Assistant bus(personad.url());
    return json{search(bus, "ferry to Bergen", {{"explain", true}}), search(bus, "bread", {{"scope", "persona"}})}
        .dump();
  };
  {
    Assistant bus(personad.url());
    import(bus, kTalk);
  }
  const std::string before = all();
  REQUIRE(personad.terminate() == 0);
  personad.start();
  CHECK(all() == before);
  personad.kill9();
  personad.start();
  CHECK(all() == before);
}

TEST_CASE("what was said a moment ago is found at once") {
  DaemonProcess personad(settings());
  Assistant bus(personad.url());
  const auto saying = [&](const std::string& word) {  // others are found as well: what was said next to it
    const Lines lines = contents(search(bus, word));
    return std::ranges::count_if(lines, [&](const std::string& line) { return line.find(word) != std::string::npos; });
  };
  for (int i = 10; i < 30; ++i) {
    const std::string word = "parrot" + std::to_string(i);
    bus.exchange(kKitchen, "remember " + word, {"It is called " + word + "."});
    CHECK(saying(word) == 2);
    bus.result("ovos.memory.update", {{"messages", {{{"role", "user"}, {"content", word + " again"}}}}}, kKitchen);
    CHECK(saying(word) == 3);
  }
}

TEST_CASE("what turns out to be the answer to a skill's question is not found any more") {
  constexpr const char* kSkill = "skill-safe.someone";
  DaemonProcess personad(settings());
  Assistant bus(personad.url());
  Where where = kKitchen;
  where.utterance_id = "u1";
  bus.say(where, "the code is tangerine");
  bus.speak(where, "I heard tangerine.");
  CHECK(search(bus, "tangerine").size() == 2);
  bus.emit(std::string(kSkill) + ":response", {{"utterances", {"the code is tangerine"}}}, [&] {
    json context = where.as_context();
    context["skill_id"] = kSkill;
    return context;
  }());
  CHECK(search(bus, "tangerine").empty());
  CHECK(search(bus, "code", {{"scope", "persona"}}).empty());
}

TEST_CASE("questions find other forms of a word, in the language that is said or that the session has") {
  DaemonProcess personad(settings());
  Assistant bus(personad.url());
  import(bus, {{"user",
                "Die Katzen schlafen im Garten.",
                {
                  { "lang",
                    "de-DE" }
                }},
               {"user",
                "我昨天在北京吃了烤鸭。",
                {
                  { "lang",
                    "zh-CN" }
                }},
               {"user",
                "猫が庭で寝ています。",
                {
                  { "lang",
                    "ja-JP" }
                }},
               {"user",
                "اشتريت السيارات الجديدة أمس",
                {
                  { "lang",
                    "ar" }
                }},
               { "user",
                 "Les chevaux mangent une pomme.",
                 {
                   { "lang",
                     "fr-FR" }
                 } }});
  const auto best = [&](const std::string& query, const std::string& lang) {
    const json hits = search(bus, query, {{"lang", lang}, {"top_k", 1}});
    return hits.empty() ? "" : hits[0].at("content").get<std::string>();
  };
  CHECK(best("Wo schläft die Katze?", "de-DE") == "Die Katzen schlafen im Garten.");
  CHECK(best("北京烤鸭好吃吗", "zh-CN") == "我昨天在北京吃了烤鸭。");
  CHECK(best("庭で寝る猫", "ja-JP") == "猫が庭で寝ています。");
  CHECK(best("سيارة", "ar") == "اشتريت السيارات الجديدة أمس");
  CHECK(best("des pommes", "fr-FR") == "Les chevaux mangent une pomme.");
  Where german = kKitchen;
  german.session_fields = {{"lang", "de-DE"}};
  CHECK(contents(search(bus, "die Katze", {{"top_k", 1}}, german)) == Lines{"Die Katzen schlafen im Garten."});
}

TEST_CASE("the shaping of the order is changed by a reload") {
  DaemonSettings made = settings();
  DaemonProcess personad(made);
  Assistant bus(personad.url());
  import(bus, {{"user",
                "The old harbour is near the harbour bridge.",
                {
                  { "name",
                    "Piet" }
                }},
               {"user", "Something else entirely was on my mind that day."},
               {"user", "Nobody asked about it for a while."},
               {"user", "So we talked about the weather instead."},
               { "user",
                 "I walked to the harbour with a friend.",
                 {
                   { "name",
                     "Olga" }
                 } }});
  const auto first = [&] { return search(bus, "What did Olga say of the harbour").at(0).at("name"); };
  const auto configure = [&](bool speaker) {
    json fresh = made.configuration;
    fresh["recall"] = {{"speaker", speaker}};
    std::ofstream(personad.configuration_file()) << fresh.dump();
    personad.reload();
  };
  CHECK(first() == "Olga");
  configure(false);
  CHECK(first() == "Piet");
  configure(true);
  CHECK(first() == "Olga");
}

TEST_CASE("contexts of a lexical memory recall what a search finds, in whichever form the word was said") {
  DaemonProcess personad(settings());
  Assistant bus(personad.url());
  bus.exchange(kKitchen, "Where are the bicycles of the children?", {"They stand behind the barn."});
  bus.exchange(kKitchen, "What is for dinner?", {"Soup."});
  bus.exchange(kKitchen, "Is the oven hot?", {"It is."});
  CHECK(search(bus, "a child's bicycle").at(0).at("content") == "Where are the bicycles of the children?");
  const Lines context = bus.context(kKitchen, "I need a bicycle");
  REQUIRE(context.size() == 4);
  CHECK(context[0].starts_with("system: "));
  CHECK(context[0].find("Q: Where are the bicycles of the children?\nA: They stand behind the barn.") !=
        std::string::npos);
  CHECK(context[0].find("oven") == std::string::npos);
}

TEST_CASE("a context recalls in the language that its request says, or its session, or its exchange was said in") {
  DaemonProcess personad(settings());
  Assistant bus(personad.url());
  import(bus, {{"user", "Heroes die young."}, {"assistant", "So they say."}, {"user", "x"}, { "assistant", "y" }});
  const auto recalls = [&](const json& more, const Where& where) {  // what says nothing in German
    return bus.context(where, "die Katze", more).front().find("Heroes die young.") != std::string::npos;
  };
  CHECK(recalls({{"lang", "en-US"}}, kKitchen));
  CHECK_FALSE(recalls({{"lang", "de-DE"}}, kKitchen));
  Where german = kKitchen;
  german.session_fields = {{"lang", "de-DE"}};
  CHECK_FALSE(recalls(json::object(), german));
  CHECK(recalls({{"lang", "en-US"}}, german));
  CHECK(recalls(json::object(), kKitchen));  // English, where nobody says
  bus.emit("ovos.utterance.handle", {{"utterances", {"die Katze"}}, {"lang", "de-DE"}}, kKitchen.as_context());
  bus.speak(kKitchen, "Welche?");
  CHECK_FALSE(recalls(json::object(), kKitchen));
}

TEST_CASE("without a model for meanings, auto looks for words, and semantic says which key to set") {
  DaemonProcess personad(settings());
  Assistant bus(personad.url());
  import(bus, kTalk);
  CHECK(search(bus, "ferry", {{"mode", "auto"}}) == search(bus, "ferry", {{"mode", "lexical"}}));
  CHECK(search(bus, "ferry", {{"mode", "auto"}}).at(0).at("source") == "lexical");
  const std::string error = bus.error(kSearch, {{"query", "ferry"}, {"mode", "semantic"}}, kKitchen);
  CHECK(error.starts_with("unavailable: "));
  CHECK(error.find("recall.embeddings") != std::string::npos);
}

TEST_CASE("a satellite searches its own conversation, whatever it claims, and is not told whose it is") {
  DaemonProcess personad(settings());
  Assistant bus(personad.url());
  import(bus, {{ "user", "the parrot of the household" }}, {{ "session_id", "hall" }});
  import(bus,
         {{ "user",
            "the parrot of another phone" }},
         {{"owner", "hivemind:hub:8:other"},
          { "session_id",
            "hall" }});
  const json mine{{"owner", "hivemind:hub:7:phone"}};
  import(bus, {{ "user", "the parrot of my hall" }}, {{"owner", mine["owner"]}, { "session_id", "hall" }});
  import(bus, {{ "user", "the parrot of my attic" }}, {{"owner", mine["owner"]}, { "session_id", "attic" }});
  for (const json& claims : {json::object(), json{{"owner", "local"}}, json{{"session_id", "attic"}},
                             json{{"on_behalf_of", {{"session_id", "hall"}}}},
                             json{{"on_behalf_of", {{"session_id", "x"}, {"peer", "y"}}}}}) {
    const json hits = search(bus, "parrot", claims, phone());
    CHECK(contents(hits) == Lines{"the parrot of my hall"});
    CHECK_FALSE(hits.at(0).contains("owner"));
    json asked = claims;
    asked["op"] = "search";
    asked["query"] = "parrot";
    CHECK(bus.result("ovos.memory.request", asked, phone()).at("hits") == hits);
  }
}

TEST_CASE("a satellite does not widen what the persona recalls from, and no setting lets it search others' words") {
  DaemonSettings made = settings();
  made.personas["wide"] = {{"name", "Wide"},
                           {"memory_module", "ovos-memory-plugin-lexical"},
                           {"ovos-memory-plugin-lexical", {{"scope", "persona"}}}};
  DaemonProcess personad(made);
  Assistant bus(personad.url());
  for (const char* persona : {"Ada", "Bob", "Wide"}) {
    for (const char* session : {"hall", "attic"}) {
      import(bus,
             {{ "user",
                std::string("the parrot of my ") + session }},
             {{"owner", "hivemind:hub:7:phone"},
              {"session_id", session},
              { "persona_id",
                persona }});
    }
    import(bus, {{ "user", "the parrot of others" }}, {{ "persona_id", persona }});
  }
  const auto asked = [&](const char* persona, const char* scope) {
    return bus.ask(kSearch, {{"query", "parrot"}, {"persona_id", persona}, {"scope", scope}}, phone());
  };
  for (const char* persona : {"Ada", "Bob", "Wide"}) {
    CHECK(asked(persona, "session").at("result").at("hits").size() == 1);
    CHECK(asked(persona, "persona").value("error", "").starts_with("forbidden: "));
  }
  CHECK(asked("Ada", "owner").value("error", "").starts_with("forbidden: "));
  for (const char* persona : {"Bob", "Wide"}) {  // whose operator lets it recall from all of an owner's
    const Lines lines = contents(asked(persona, "owner").at("result").at("hits"));
    CHECK(std::set<std::string>(lines.begin(), lines.end()) ==
          std::set<std::string>{"the parrot of my hall", "the parrot of my attic"});
  }
  Where strange{"hall"};
  strange.context = {{"peer", "no such form"}};
  CHECK(bus.ask(kSearch, {{"query", "parrot"}, {"scope", "persona"}}, strange)
            .value("error", "")
            .starts_with("forbidden: "));
  CHECK(search(bus, "parrot", json::object(), strange).empty());
}

TEST_CASE("personactl search shows what was found, and why where that is asked for") {
  DaemonProcess personad(settings());
  Assistant bus(personad.url());
  import(bus, kTalk);
  const auto personactl = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {PERSONACTL_BIN, "--admin-socket", personad.admin_socket().string(), "search"});
    return run_to_end(std::move(arguments));
  };
  Ran ran = personactl({"rye bread", "--session", "kitchen", "--top-k", "1"});
  CHECK(ran.exit_code == 0);
  CHECK(ran.out.find("bread") != std::string::npos);
  CHECK(ran.out.find("session \"kitchen\", persona \"Ada\"") != std::string::npos);
  CHECK(ran.out.find("words:") == std::string::npos);
  ran = personactl({"rye bread", "--session", "kitchen", "--top-k", "2", "--explain", "--scope", "owner", "--mode",
                    "lexical", "--since", "2023-11-14T22:13:20Z", "--until", "9000000000", "--lang", "en"});
  CHECK(ran.out.find("words: ") != std::string::npos);
  CHECK(ran.out.find("(text") != std::string::npos);
  ran = personactl({"rye bread", "--session", "kitchen", "--json"});
  CHECK(json::parse(ran.out).at("hits") == search(bus, "rye bread"));
  CHECK(personactl({"submarine"}).out == "nothing was found\n");
  ran = personactl({"bread", "--scope", "everything"});
  CHECK(ran.exit_code == 1);
  CHECK(ran.err.find("scope") != std::string::npos);
  ran = run_to_end({PERSONACTL_BIN, "--bus", personad.url(), "search", "ferry", "--session", "kitchen"});
  CHECK(ran.out.find("ferry") != std::string::npos);
}
