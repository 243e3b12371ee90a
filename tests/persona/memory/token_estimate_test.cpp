#include "persona/memory/token_estimate.hpp"

#include <doctest/doctest.h>

#include <string>
#include <utility>

using namespace persona;

TEST_CASE("an estimate is never below the real count, nor far above it") {
  // The larger of the counts of cl100k_base and o200k_base.
  const std::pair<const char*, std::size_t> counted[] = {
      {"What did I say about the garden hose yesterday evening?", 11},
      {"The quick brown fox jumps over the lazy dog, doesn't it?", 14},
      {"Donaudampfschifffahrtsgesellschaftskapitän", 17},
      {"Könntest du mir bitte sagen, wann die Müllabfuhr nächste Woche kommt?", 21},
      {"for (int i = 0; i < n; ++i) { sum += values[i] * 0.5; }", 28},
      {"def remember(self, fact: str) -> None:\n    self.facts.append(fact)\n", 19},
      {"今天晚上我想吃火锅,你有什么推荐吗?", 25},
      {"明日の朝七時に起こしてください。", 14},
      {"كم الساعة الآن في القاهرة؟", 20},
      {"😀🎉👍🏽🚀", 14},
      {"👨‍👩‍👧‍👦❤️‍🔥🇩🇪", 32},
      {"4711 0815 1234567890", 10},
      {"https://example.org/a/b?c=d&e=f#g", 12},
      {"aGVsbG8gd29ybGQgdGhpcyBpcyBiYXNlNjQ=", 27},
      {"Ξέρεις τι ώρα φεύγει το τρένο;", 28},
      {"Во сколько отходит поезд на Москву?", 17},
      {"내일 아침 일곱 시에 깨워 주세요.", 18},
      {R"({"role": "user", "content": null})", 11},
      {"XKCD PNG HTTPS NASA UNESCO", 7},
  };
  for (const auto& [text, real] : counted) {
    CAPTURE(text);
    CHECK(estimated_tokens(text) >= real);
    CHECK(estimated_tokens(text) <= real * 4 + 3);
  }
}

TEST_CASE("an estimate takes any bytes") {
  const std::string junk("A\xff\0\xc3(\xf0\x9f\x98\x80\x80 ", 11);
  for (std::size_t length = 1; length <= junk.size(); ++length) CHECK(estimated_tokens(junk.substr(0, length)) > 0);
  CHECK(estimated_tokens("") == 0);
}

TEST_CASE("a message counts its role, name and tool calls as well") {
  ContextMessage message;
  message.content = "hello";
  const std::size_t bare = tokens_of(message);
  CHECK(bare > estimated_tokens("hello"));
  message.tool_calls = R"([{"id":"c","name":"clock","arguments":{}}])";
  CHECK(tokens_of(message) > bare + estimated_tokens(message.tool_calls));
  CHECK(tokens_of(message, bytes_as_tokens) > message.content.size() + message.tool_calls.size());
}
