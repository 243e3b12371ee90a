#include "daemon/ctl/render.hpp"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

using namespace personad::ctl;
using nlohmann::json;

namespace {

json hit() {
  return {
      {"score", 0.731}, {"timestamp", 1700000000}, {"session_id", "kitchen"}, {"persona_id", "Ada"}, {"owner", "local"},
      {"role", "user"}, {"name", "Olga"},          {"content", "two\nlines"}, {"source", "lexical"}, {"id", "a"}};
}

}  // namespace

TEST_CASE("a hit is shown with its score, its time and where it was said") {
  CHECK(render_hits({{"hits", {hit()}}}) ==
        "0.73  2023-11-14 22:13:20 UTC  session \"kitchen\", persona \"Ada\"\n"
        "    user (Olga): two\n    lines\n");
  json of_guest = hit();
  of_guest["owner"] = "hivemind:hub:9:guest";
  CHECK(render_hits({{"hits", {of_guest}}}).find("of hivemind:hub:9:guest") != std::string::npos);
  CHECK(render_hits({{"hits", json::array()}}) == "nothing was found\n");
}

TEST_CASE("a hit is explained by its words, what changed its score, and its meaning") {
  json explained = hit();
  explained["content"] = "one line";
  explained["why"] = {{"terms",
                       {{{"term", "kite"}, {"score", 1.5}, {"in", {"text", "neighbours"}}},
                        {{"term", "olga"}, {"score", 0.25}, {"in", {"name"}}}}},
                      {"words", 1.75},
                      {"bonuses", {{"speaker", 2.0}, {"question", 0.8}}},
                      {"cosine", 0.5}};
  CHECK(render_hits({{"hits", {explained}}}) ==
        "0.73  2023-11-14 22:13:20 UTC  session \"kitchen\", persona \"Ada\"\n"
        "    user (Olga): one line\n"
        "    words: kite 1.50 (text, neighbours), olga 0.25 (name)\n"
        "    changed by: question x 0.80, speaker x 2.00\n"
        "    meaning: 0.50\n");
}

TEST_CASE("a hit with parts of other types is shown without them, and nothing acts on the terminal") {
  for (const json& odd : {json(5), json("x"), json::array(), json(nullptr)}) {
    CHECK_NOTHROW((void)render_hits({{"hits", {odd}}}));
    json wrong = hit();
    for (const char* field : {"score", "timestamp", "session_id", "role", "content", "why"}) wrong[field] = odd;
    CHECK_NOTHROW((void)render_hits({{"hits", {wrong}}}));
    wrong = hit();
    wrong["why"] = {{"terms", {odd}}, {"bonuses", odd}, {"cosine", odd}};
    CHECK_NOTHROW((void)render_hits({{"hits", {wrong}}}));
  }
  json evil = hit();
  evil["why"] = {{"terms", {{{"term", "\x1b[31m"}, {"score", 1}, {"in", {"\x1b[31m"}}}}}};
  CHECK(render_hits({{"hits", {evil}}}).find('\x1b') == std::string::npos);
}
