#include "daemon/ctl/import.hpp"

#include <doctest/doctest.h>

#include <deque>
#include <sstream>

using namespace personad::ctl;
using nlohmann::json;

namespace {

/// Takes all records, unless it was told to answer something else.
class FakeImports : public Connection {
 public:
  Reply ask(std::string_view type, json data) override {
    CHECK(type == "ovos.memory.import");
    requests.push_back(std::move(data));
    if (!failures.empty()) {
      Failure failure = std::move(failures.front());
      failures.pop_front();
      if (!failure.words.empty()) return {.result = {}, .failure = std::move(failure)};
    }
    return {.result = {{"imported", requests.back()["records"].size() - 1}, {"skipped", 1}, {"ids", json::array()}}};
  }
  Failure tail(const std::string&, const OnTurn&) override { return {}; }

  std::deque<Failure> failures;
  std::vector<json> requests;
};

struct Ran {
  Exit exit = Exit::ok;
  std::string out;
  std::string err;
};

Ran import(FakeImports& connection, const std::string& text, const Wishes& wishes = {}) {
  std::istringstream in(text);
  std::ostringstream out;
  std::ostringstream err;
  const Exit exit = import_records(in, wishes, connection, out, err);
  return {exit, out.str(), err.str()};
}

std::string lines(int from, int to) {
  std::string text;
  for (int i = from; i <= to; ++i) text += R"({"n": )" + std::to_string(i) + "}\n";
  return text;
}

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("records go in batches, in order, and are counted together") {
  FakeImports connection;
  const Ran ran = import(connection, lines(1, 700) + "\n  \r\n" + R"({"n": 701})");
  CHECK(ran.exit == Exit::ok);
  CHECK(ran.out == "699 imported, 2 skipped\n");
  CHECK(ran.err.empty());
  REQUIRE(connection.requests.size() == 2);
  CHECK(connection.requests[0]["records"].size() == 500);
  CHECK_FALSE(connection.requests[0].contains("on_conflict"));
  int n = 0;
  for (const json& request : connection.requests) {
    for (const json& record : request["records"]) CHECK(record["n"] == ++n);
  }
  CHECK(n == 701);
}

TEST_CASE("long records go in smaller batches") {
  FakeImports connection;
  std::string text;
  for (int i = 0; i < 10; ++i) text += json(std::string(1u << 20, 'x')).dump() + "\n";
  CHECK(import(connection, text).exit == Exit::ok);
  CHECK(connection.requests.size() == 4);
  for (const json& request : connection.requests) CHECK(request["records"].size() <= 3);
}

TEST_CASE("what is there already is treated as it was told, and an empty file is no error") {
  FakeImports connection;
  Wishes wishes;
  wishes.on_conflict = "replace";
  wishes.json = true;
  CHECK(json::parse(import(connection, lines(1, 3), wishes).out) == json({{"imported", 2}, {"skipped", 1}}));
  CHECK(connection.requests.at(0)["on_conflict"] == "replace");
  CHECK(import(connection, "").out == "0 imported, 0 skipped\n");
  CHECK(connection.requests.size() == 1);
}

TEST_CASE("the line that is refused is named, with what was stored before it") {
  FakeImports connection;
  connection.failures = {{}, {Exit::error_answer, "bad_request: records[1].content is missing"}};
  const Ran ran = import(connection, "\n" + lines(1, 700));
  CHECK(ran.exit == Exit::error_answer);
  CHECK(ran.out.empty());
  CHECK(has(ran.err, "bad_request: records[1].content is missing (line 503)"));
  CHECK(has(ran.err, "499 imported, 1 skipped"));

  const Ran junk = import(connection, lines(1, 2) + "{\n");
  CHECK(junk.exit == Exit::error_answer);
  CHECK(has(junk.err, "line 3 is not JSON"));
}

TEST_CASE("a busy personad is asked again") {
  FakeImports connection;
  connection.failures = {{Exit::error_answer, "busy: too much is waiting"}};
  const Ran ran = import(connection, lines(1, 2));
  CHECK(ran.exit == Exit::ok);
  REQUIRE(connection.requests.size() == 2);
  CHECK(connection.requests[0] == connection.requests[1]);
}

TEST_CASE("a file that is not there is wrong use") {
  FakeImports connection;
  Wishes wishes;
  wishes.command = "import";
  wishes.file = "/does/not/exist.jsonl";
  std::ostringstream out, err;
  CHECK(run_command(wishes, connection, out, err) == Exit::wrong_use);
  CHECK(has(err.str(), "/does/not/exist.jsonl cannot be read"));
  wishes.file = "/";
  CHECK(run_command(wishes, connection, out, err) != Exit::ok);
}
