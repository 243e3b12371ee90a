#include "daemon/model_answers.hpp"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <string>

using namespace personad;
using nlohmann::json;
using persona::ModelError;
using Kind = ModelError::Kind;
using std::chrono::seconds;
using std::chrono::system_clock;

namespace {

std::string chat_of(const std::string& content_as_json) {
  return R"({"choices":[{"message":{"role":"assistant","content":)" + content_as_json + "}}]}";
}

/// The error's words; the answer in brackets when it is one.
std::string outcome(const persona::ModelResult<std::string>& result) {
  if (const auto* error = std::get_if<ModelError>(&result)) {
    CHECK(error->kind == Kind::unusable);
    return error->words;
  }
  return '[' + std::get<std::string>(result) + ']';
}

std::string words_of(const persona::ModelResult<persona::LanguageModels::Vectors>& result) {
  const auto* error = std::get_if<ModelError>(&result);
  if (error == nullptr) return {};
  CHECK(error->kind == Kind::unusable);
  return error->words;
}

const auto kNow = system_clock::from_time_t(784111777);  // Sun, 06 Nov 1994 08:49:37 GMT

}  // namespace

TEST_CASE("a request is JSON whatever was said, bytes that are not UTF-8 included") {
  const json request = json::parse(chat_request("m", "a\xFF\"b\\\n", 7));
  CHECK(request.at("messages").at(0).at("content") == "a\xEF\xBF\xBD\"b\\\n");
  CHECK(request.at("messages").size() == 1);
  CHECK(request.at("max_tokens") == 7);
  CHECK(request.at("stream") == false);
  CHECK(json::parse(embeddings_request("m", {"one\xFF"})) == json::parse(R"({"model":"m","input":["one�"]})"));
}

TEST_CASE("only a text in the first choice's message is an answer") {
  CHECK(outcome(read_chat(chat_of(R"(" yes \n")"), 10)) == "[yes]");
  CHECK(outcome(read_chat(chat_of(R"("grüße 🙂")"), 10)) == "[grüße 🙂]");
  CHECK(outcome(read_chat(chat_of("\"\""), 10)) == "the answer's text is empty");
  CHECK(outcome(read_chat(chat_of(R"("a\u0000")"), 10)) == "the answer's text holds a NUL");
  CHECK(outcome(read_chat(chat_of("\"\xC0\xAF\""), 10)) == "the answer is not UTF-8");
  CHECK(outcome(read_chat("", 10)) == "the answer is not JSON");
  CHECK(outcome(read_chat("[]", 10)) == "the answer is no JSON object");
  CHECK(outcome(read_chat(chat_of("\"\\ud800\""), 10)) == "the answer is not JSON");
  for (const char* content : {"null", "7", "[\"parts\"]", "{\"text\":\"x\"}", "true"}) {
    CHECK(outcome(read_chat(chat_of(content), 10)) == "the answer holds no text of a message");
  }
  for (const char* body : {"{}", R"({"choices":null})", R"({"choices":[]})", R"({"choices":[7]})",
                           R"({"choices":[{"message":"x"}]})", R"({"choices":{"message":{"content":"x"}}})"}) {
    CHECK(outcome(read_chat(body, 10)) == "the answer holds no text of a message");
  }
}

TEST_CASE("an answer is cut to sixteen bytes a token, between two characters") {
  CHECK(outcome(read_chat(chat_of('"' + std::string(40, 'x') + '"'), 2)) == '[' + std::string(32, 'x') + ']');
  CHECK(outcome(read_chat(chat_of('"' + std::string(15, 'x') + "ü\""), 1)) == '[' + std::string(15, 'x') + ']');
  CHECK(outcome(read_chat(chat_of('"' + std::string(14, 'x') + "ü\""), 1)) == '[' + std::string(14, 'x') + "ü]");
  CHECK(outcome(read_chat(chat_of('"' + std::string(14, 'x') + "  more\""), 1)) == '[' + std::string(14, 'x') + ']');
  CHECK(outcome(read_chat(chat_of("\"text\""), 0)) == "the answer's text is empty");
  CHECK(outcome(read_chat(chat_of("\"text\""), static_cast<std::size_t>(-1))) == "[text]");
}

TEST_CASE("deep nesting is read without a deep stack") {
  const std::string deep(100000, '[');
  CHECK(outcome(read_chat(deep, 10)) == "the answer is not JSON");
  CHECK(outcome(read_chat(deep + std::string(100000, ']'), 10)) == "the answer is no JSON object");
}

TEST_CASE("vectors are put in the order of the texts by their index") {
  const auto result =
      read_embeddings(R"({"data":[{"index":1,"embedding":[3,-4.5]},{"index":0,"embedding":[1e-3,2]}]})", 2);
  REQUIRE(words_of(result).empty());
  const persona::LanguageModels::Vectors expected{{0.001F, 2.0F}, {3.0F, -4.5F}};
  CHECK(std::get<persona::LanguageModels::Vectors>(result) == expected);
  const auto plain = read_embeddings(R"({"data":[{"embedding":[1]},{"embedding":[2]}]})", 2);
  REQUIRE(words_of(plain).empty());
  CHECK(std::get<persona::LanguageModels::Vectors>(plain)[1] == std::vector<float>{2.0F});
}

TEST_CASE("vectors that are too few, too many, twice, not numbers, infinite or of two lengths are none") {
  const auto words = [](const std::string& data, std::size_t many) {
    return words_of(read_embeddings(R"({"data":)" + data + "}", many));
  };
  CHECK(words(R"([{"index":0,"embedding":[1]}])", 2) == "1 vectors for 2 texts");
  CHECK(words(R"([{"index":0,"embedding":[1]},{"index":1,"embedding":[1]}])", 1) == "2 vectors for 1 texts");
  for (const char* index : {"0", "2", "-1", "\"1\"", "1.0", "18446744073709551615"}) {
    CAPTURE(index);
    CHECK(words(R"([{"index":0,"embedding":[1]},{"index":)" + std::string(index) + R"(,"embedding":[1]}])", 2) ==
          "the vectors are not numbered as the texts are");
  }
  for (const char* vector : {"[]", "null", "\"AAAA\"", "[null]", "[\"1\"]", "[true]", "[1e39]", "[[1]]"}) {
    CAPTURE(vector);
    CHECK(words(R"([{"index":0,"embedding":)" + std::string(vector) + "}]", 1) == "a vector is not all numbers");
  }
  CHECK(words(R"([{"index":0,"embedding":[1e400]}])", 1) == "the answer is not JSON");
  CHECK(words(R"([{"embedding":[1]},{"embedding":[1,2]}])", 2) == "the vectors are not of one length");
  CHECK(words("7", 1) == "the answer holds no vectors");
  CHECK(words("[7]", 1) == "a vector is not all numbers");
}

TEST_CASE("the first model is found in data or models, by id or name") {
  CHECK(outcome(read_models(R"({"data":[{"id":"a"},{"id":"b"}]})")) == "[a]");
  CHECK(outcome(read_models(R"({"models":[{"name":"a"}]})")) == "[a]");
  CHECK(outcome(read_models(R"({"data":[],"models":[{"id":"b"}]})")) == "[b]");
  for (const char* body : {"{}", R"({"data":[]})", R"({"data":["a"]})", R"({"data":[{"id":7}]})"}) {
    CHECK(outcome(read_models(body)) == "no model is listed");
  }
  for (const char* name : {"", "a\\nb", "\\u0000"}) {
    CHECK(outcome(read_models(R"({"data":[{"id":")" + std::string(name) + R"("}]})")) ==
          "no model with a name is listed");
  }
}

TEST_CASE("a status is an error of its kind, and only a busy one says when to come back") {
  const auto kind = [](unsigned status) {
    const auto error = error_of(status, "9", kNow);
    REQUIRE(error);
    CHECK(error->words.starts_with("answered " + std::to_string(status)));
    CHECK(error->retry_after.has_value() == (error->kind == Kind::overloaded));
    return error->kind;
  };
  CHECK_FALSE(error_of(200, "9", kNow));
  CHECK_FALSE(error_of(201, "", kNow));
  for (const unsigned status : {400U, 413U, 422U}) CHECK(kind(status) == Kind::rejected);
  for (const unsigned status : {401U, 403U, 404U, 301U, 302U, 307U})
    CHECK(kind(status) == Kind::refused);
  for (const unsigned status : {429U, 503U}) CHECK(kind(status) == Kind::overloaded);
  for (const unsigned status : {500U, 502U, 504U, 599U}) CHECK(kind(status) == Kind::failed);
  for (const unsigned status : {101U, 600U, 999U}) CHECK(kind(status) == Kind::unusable);
}

TEST_CASE("when to come back is seconds or a date, an hour at most, and nothing when it is neither") {
  CHECK(parse_retry_after("120", kNow) == seconds(120));
  CHECK(parse_retry_after(" 0 ", kNow) == seconds(0));
  CHECK(parse_retry_after("86400", kNow) == seconds(3600));
  CHECK(parse_retry_after("99999999999999999999999", kNow) == seconds(3600));
  CHECK(parse_retry_after("Sun, 06 Nov 1994 08:50:37 GMT", kNow) == seconds(60));
  CHECK(parse_retry_after("Sun, 06 Nov 1994 08:49:00 GMT", kNow) == seconds(0));
  CHECK(parse_retry_after("Sun, 06 Nov 2094 08:49:00 GMT", kNow) == seconds(3600));
  CHECK(parse_retry_after("Sun, 06 Nov 1994 08:50:37 GMT", kNow + std::chrono::milliseconds(500)) == seconds(60));
  for (const char* text : {"", "soon", "-5", "1.5", "Sun, 06 Nov 1994", "Sun, 06 Nov 1994 08:50:37 CET"}) {
    CHECK_FALSE(parse_retry_after(text, kNow));
  }
}
