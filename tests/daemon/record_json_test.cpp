#include "daemon/record_json.hpp"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

using namespace personad;
using nlohmann::json;

namespace {

const json kTurn{{"kind", "turn"}, {"session_id", "s"}, {"persona_id", "p"},
                 {"role", "user"}, {"content", "Hi"},   {"timestamp", 12.5}};
const json kFact{{"kind", "fact"}, {"session_id", "s"}, {"persona_id", "p"}, {"fact", " tea "}, {"timestamp", 1}};
const json kSummary{
    {"kind", "summary"}, {"session_id", "s"}, {"persona_id", "p"}, {"summary", "They met."}, {"timestamp", 1}};

json with(json record, const json& more) {
  record.update(more);
  return record;
}

json without(json record, const char* field) {
  record.erase(field);
  return record;
}

/// What is wrong with a record, or "".
std::string wrong(const json& record, bool* too_large = nullptr) {
  const auto read = read_record(record, "records[17]", 1000);
  const auto* bad = std::get_if<BadMessage>(&read);
  if (bad != nullptr && too_large != nullptr) *too_large = bad->too_large;
  return bad == nullptr ? "" : bad->words;
}

template <class T>
T read(const json& record) {
  const auto any = read_record(record, "records[0]", 1000);
  const auto* found = std::get_if<persona::AnyRecord>(&any);
  REQUIRE(found != nullptr);
  return std::get<T>(*found);
}

}  // namespace

TEST_CASE("a record of a turn says all that a turn has, and whose it is") {
  const auto least = read<persona::TurnRecord>(kTurn);
  CHECK(least.thread == persona::ThreadKey{{"local", "s"}, "p"});
  CHECK(least.turn.timestamp == 12.5);
  CHECK(least.turn.id.empty());
  CHECK(least.turn.exchange_id.empty());
  const auto most = read<persona::TurnRecord>(with(kTurn, {{"owner", "hivemind:hub:3:phone"},
                                                           {"id", "i"},
                                                           {"exchange", "e"},
                                                           {"name", "Bob"},
                                                           {"type", "t"},
                                                           {"lang", "de"},
                                                           {"meta", {{"a", 1}}},
                                                           {"timestamp", "1970-01-01T00:01:00Z"},
                                                           {"unknown", 1}}));
  CHECK(most.thread.where.owner == "hivemind:hub:3:phone");
  CHECK(most.turn.id == "i");
  CHECK(most.turn.exchange_id == "e");
  CHECK(most.turn.name == "Bob");
  CHECK(most.turn.type == "t");
  CHECK(most.turn.lang == "de");
  CHECK(most.turn.meta == R"({"a":1})");
  CHECK(most.turn.timestamp == 60);
  const auto call = read<persona::TurnRecord>(
      with(kTurn, {{"role", "assistant"},
                   {"content", nullptr},
                   {"tool_calls", {{{"id", "1"}, {"name", "n"}, {"arguments", json::object()}}}}}));
  CHECK(call.turn.null_content);
  CHECK_FALSE(call.turn.tool_calls.empty());
}

TEST_CASE("a turn as this API shows it is a record once its thread is named") {
  persona::Turn turn;
  turn.id = "i";
  turn.exchange_id = "e";
  turn.role = persona::Role::tool;
  turn.tool_call_id = "c";
  turn.content = "sunny";
  turn.timestamp = 1.25;
  turn.meta = R"({"a":[1]})";
  const auto back =
      read<persona::TurnRecord>(with(to_json(turn), {{"kind", "turn"}, {"session_id", "s"}, {"persona_id", "p"}})).turn;
  CHECK(to_json(back) == to_json(turn));
}

TEST_CASE("facts and summaries say what they come from") {
  const auto fact = read<persona::FactRecord>(with(kFact, {{"id", "f"}, {"sources", {"a", "b"}}, {"source", "asked"}}));
  CHECK(fact.fact.text == "tea");
  CHECK(fact.fact.id == "f");
  CHECK(fact.fact.source == "asked");
  CHECK(fact.sources == std::vector<std::string>{"a", "b"});
  const auto summary =
      read<persona::SummaryRecord>(with(kSummary, {{"upto", "a"}, {"looked", "b"}, {"sources", {"c"}}}));
  CHECK(summary.text == "They met.");
  CHECK(summary.upto == "a");
  CHECK(summary.looked == "b");
  CHECK(summary.sources == std::vector<std::string>{"c"});
}

TEST_CASE("a field that is missing is named") {
  for (const char* field : {"kind", "session_id", "persona_id", "role", "content", "timestamp"}) {
    CHECK(wrong(without(kTurn, field)).starts_with("records[17]." + std::string(field) + " "));
  }
  for (const char* field : {"session_id", "persona_id", "fact", "timestamp"}) {
    CHECK(wrong(without(kFact, field)).starts_with("records[17]." + std::string(field) + " "));
  }
  for (const char* field : {"session_id", "persona_id", "summary", "timestamp"}) {
    CHECK(wrong(without(kSummary, field)).starts_with("records[17]." + std::string(field) + " "));
  }
  CHECK(wrong(kTurn).empty());
  CHECK(wrong(kFact).empty());
  CHECK(wrong(kSummary).empty());
}

TEST_CASE("a field of a wrong type, or that is blank, is named") {
  for (const char* field : {"kind", "owner", "session_id", "persona_id", "role", "content", "timestamp", "id",
                            "exchange", "name", "type", "lang", "meta", "tool_call_id"}) {
    for (const json& value : {json(nullptr), json(true), json(json::array())}) {
      CAPTURE(value.dump());
      CHECK(wrong(with(kTurn, {{field, value}})).starts_with("records[17]." + std::string(field) + " "));
    }
  }
  for (const char* field : {"owner", "session_id", "persona_id", "id", "exchange", "kind"}) {
    CHECK(wrong(with(kTurn, {{field, " "}})).starts_with("records[17]." + std::string(field) + " "));
  }
  for (const char* field : {"id", "fact", "sources", "source", "timestamp"}) {
    CHECK(wrong(with(kFact, {{field, 3.5e300}})).starts_with("records[17]." + std::string(field) + " "));
  }
  CHECK(wrong(with(kFact, {{"sources", {"a", 1}}})).starts_with("records[17].sources "));
  for (const char* field : {"summary", "sources", "upto", "looked", "id"}) {
    CHECK(wrong(with(kSummary, {{field, 3}})).starts_with("records[17]." + std::string(field) + " "));
  }
  for (const json& record : {json(nullptr), json("x"), json(json::array())}) {
    CHECK(wrong(record) == "records[17] must be an object");
  }
}

TEST_CASE("what is too long is told to be too large") {
  const auto is_too_large = [](const json& record) {
    bool too_large = false;
    CHECK_FALSE(wrong(record, &too_large).empty());
    return too_large;
  };
  const std::string long_text(1001, 'x');
  CHECK(is_too_large(with(kTurn, {{"content", long_text}})));
  CHECK(is_too_large(with(kTurn, {{"id", std::string(65, 'x')}})));
  CHECK(is_too_large(with(kTurn, {{"exchange", std::string(65, 'x')}})));
  CHECK(is_too_large(with(kTurn, {{"owner", std::string(513, 'x')}})));
  CHECK(is_too_large(with(kTurn, {{"meta", {{"a", std::string(20000, 'x')}}}})));
  CHECK(is_too_large(with(kFact, {{"fact", std::string(2001, 'x')}})));
  CHECK(is_too_large(with(kSummary, {{"summary", long_text}})));
  CHECK_FALSE(is_too_large(with(kTurn, {{"content", 3}})));
}
