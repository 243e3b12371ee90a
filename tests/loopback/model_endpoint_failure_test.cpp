#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "tests/fakes/model_server.hpp"
#include "tests/loopback/running_models.hpp"

// What becomes of a model endpoint that fails, and of one that answers what nobody asked for.
using namespace tests;
using Kind = persona::ModelError::Kind;
using Then = ModelReply::Then;
using nlohmann::json;

namespace {

struct Misbehaviour {
  const char* what;
  ModelReply reply;
  Kind kind;
  const char* words;
};

std::string ok(const std::string& body) {
  return ModelReply::json(body).bytes;
}

std::vector<Misbehaviour> misbehaviours() {
  const auto keep = [](const std::string& bytes) { return ModelReply::raw(bytes, Then::keep); };
  return {
      {"wrong JSON", keep(ok("{\"choices\":[")), Kind::unusable, "the answer is not JSON"},
      {"wrong shape", keep(ok(R"({"choices":{"message":"secret"}})")), Kind::unusable,
       "the answer holds no text of a message"},
      {"invalid UTF-8", keep(ok("{\"choices\":[{\"message\":{\"content\":\"\xC3\x28\"}}]}")), Kind::unusable,
       "the answer is not UTF-8"},
      {"NUL", keep(ok(R"({"choices":[{"message":{"content":"a\u0000b"}}]})")), Kind::unusable,
       "the answer's text holds a NUL"},
      {"empty text", keep(ok(R"({"choices":[{"message":{"content":" \n "}}]})")), Kind::unusable,
       "the answer's text is empty"},
      {"endless", ModelReply::endless(), Kind::unusable, "an answer over 4194304 bytes"},
      {"huge", ModelReply::huge(), Kind::unusable, "an answer over 4194304 bytes"},
      {"endless header", ModelReply::raw("HTTP/1.1 200 OK\r\nX: " + std::string(100000, 'x'), Then::hold),
       Kind::unusable, "a header over 32768 bytes"},
      {"endless chunk header",
       ModelReply::raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4;" + std::string(100000, 'x'),
                       Then::hold),
       Kind::unusable, ""},
      {"no HTTP", ModelReply::raw("220 mail.example ESMTP\r\n\r\n", Then::hold), Kind::unusable, ""},
      {"half an answer", ModelReply::half(), Kind::unreachable, "closed in the middle of the answer"},
      {"half a header", ModelReply::raw("HTTP/1.1 200 O", Then::close), Kind::unreachable,
       "closed in the middle of the answer"},
      {"closed", ModelReply::closed_without_answer(), Kind::unreachable, "closed without an answer"},
      {"reset", ModelReply::raw("", Then::reset), Kind::unreachable, ""},
      {"401", ModelReply::json(R"({"error":"secret"})", 401), Kind::refused, "answered 401"},
      {"404", ModelReply::json(R"({"error":"secret"})", 404), Kind::refused, "answered 404"},
      {"redirect", ModelReply::json("{}", 307, "Location: http://127.0.0.1:1/secret\r\n"), Kind::refused,
       "answered 307; redirects are not followed"},
      {"500", ModelReply::json(R"({"error":"secret"})", 500), Kind::failed, "answered 500"},
      {"503", ModelReply::json("", 503), Kind::overloaded, "answered 503"},
      {"429", ModelReply::json("", 429), Kind::overloaded, "answered 429"},
  };
}

}  // namespace

TEST_CASE("each way to misbehave is an error of its kind, and the next call works") {
  ModelServer server;
  RunningModels models;
  for (auto& [what, reply, kind, words] : misbehaviours()) {
    CAPTURE(what);
    // On a fresh connection: another one is replaced where nothing was read.
    server.drop_connections();
    REQUIRE(server.wait_for_open(0));
    const std::size_t before = server.requests().size();
    server.next(reply);
    const auto error = models.chat(address_of(server.url()), "my secret").error();
    CHECK(error.kind == kind);
    if (*words != '\0') CHECK(error.words == words);
    CHECK(error.words.find("secret") == std::string::npos);
    CHECK(server.requests().size() == before + 1);
    CHECK(models.chat(address_of(server.url())).answer() == "an answer");
  }
}

TEST_CASE("vectors that are not what was asked for are no vectors") {
  ModelServer server;
  RunningModels models;
  for (const char* body : {R"({"data":[{"index":0,"embedding":[1,2]}]})", R"({"data":[]})", R"([])",
                           R"({"data":[{"index":0,"embedding":[1]},{"index":1,"embedding":[1,2]}]})"}) {
    server.next(ModelReply::json(body));
    CAPTURE(body);
    CHECK(models.embed(address_of(server.url()), {"a", "b"}).error().kind == Kind::unusable);
  }
}

TEST_CASE("a server that closes whatever it accepts, and a port where nobody listens, are unreachable") {
  auto server = std::make_unique<ModelServer>();
  const std::string url = server->url();
  RunningModels models;
  server->close_on_accept(1);
  CHECK(models.chat(address_of(url)).error().kind == Kind::unreachable);
  CHECK(models.chat(address_of(url)).answer() == "an answer");
  server.reset();
  CHECK(models.chat(address_of(url)).error().kind == Kind::unreachable);
}

TEST_CASE("an address that is none is misconfigured, and not repeated") {
  RunningModels models;
  for (const char* url : {"", "ftp://host/v1", "http://user:secret@host/v1", "http://host:0/v1",
                          "http://host/v1?secret", "http://ho st/v1", "http:///v1"}) {
    CAPTURE(url);
    const auto error = models.chat(address_of(url)).error();
    CHECK(error.kind == Kind::misconfigured);
    CHECK(error.words.starts_with("api_url must "));
    CHECK(error.words.find("secret") == std::string::npos);
  }
  CHECK(models.status().empty());
}

TEST_CASE("no answer comes from inside the call, however soon it is known") {
  ModelServer server;
  RunningModels models(patient_models());
  server.next(ModelReply::json("", 500));
  auto no_key = address_of(server.url());
  no_key.key_file = "/nonexistent/key";
  CHECK_FALSE(models.is_told_from_inside(no_key));
  CHECK_FALSE(models.is_told_from_inside(address_of("no URL")));
  CHECK(models.chat(address_of(server.url())).error().kind == Kind::failed);
  CHECK_FALSE(models.is_told_from_inside(address_of(server.url())));
  CHECK(models.stop());
  CHECK_FALSE(models.is_told_from_inside(address_of(server.url())));
}

TEST_CASE("while an endpoint is down its calls fail at once, for the reason that is known, without a connection") {
  CapturedLog log;
  {
    ModelServer server;
    RunningModels models(patient_models());
    server.next(ModelReply::json("", 500));
    CHECK(models.chat(address_of(server.url())).error().kind == Kind::failed);
    for (int call = 0; call < 3; ++call) {
      const auto error = models.chat(address_of(server.url())).error();
      CHECK(error.kind == Kind::failed);
      CHECK(error.words == "answered 500");
      REQUIRE(error.retry_after);
      CHECK(*error.retry_after > std::chrono::seconds(3500));
      CHECK(*error.retry_after <= std::chrono::seconds(3600));
    }
    CHECK(server.requests().size() == 1);
    CHECK(server.connections() == 1);
    const json status = models.status().at(0);
    CHECK(status.at("url") == "http://127.0.0.1:" + std::to_string(server.port()));
    CHECK(status.at("state") == "down");
    CHECK(status.at("last_error") == "answered 500");
    CHECK(status.at("calls") == 1);
    CHECK(status.at("failures") == 1);
    CHECK(status.at("turned_away") == 3);
    CHECK(status.at("tried_again_in_s") > 3500);
  }
  CHECK(log.count("is down: answered 500") == 1);
}

TEST_CASE("one endpoint that is down leaves another alone") {
  ModelServer down;
  ModelServer up;
  RunningModels models(patient_models());
  down.next(ModelReply::json("", 500));
  CHECK(models.chat(address_of(down.url())).error().kind == Kind::failed);
  CHECK(models.chat(address_of(up.url())).answer() == "an answer");
  CHECK(models.chat(address_of(down.url())).error().kind == Kind::failed);
}

TEST_CASE("what waits for an endpoint that goes down fails with it") {
  ModelServer server;
  auto settings = patient_models();
  settings.gate.most_running = 1;
  RunningModels models(settings);
  server.next(ModelReply::after_release(ModelReply::json("", 500)));
  auto running = models.chat(address_of(server.url()));
  auto waiting = models.chat(address_of(server.url()));
  REQUIRE(server.wait_for_requests(1));
  server.release();
  CHECK(running.error().words == "answered 500");
  CHECK(waiting.error().words == "answered 500");
  CHECK(server.requests().size() == 1);
}

TEST_CASE("one call tries an endpoint that was down, the others wait for how that ends; it is logged once each way") {
  CapturedLog log;
  {
    ModelServer server;
    RunningModels models;
    server.next(ModelReply::json("", 500), 2);
    CHECK(models.chat(address_of(server.url())).error().kind == Kind::failed);
    CHECK(models.chat(address_of(server.url())).error().kind == Kind::failed);
    server.next(ModelReply::after_release(ModelReply::chat("works")));
    auto trial = models.chat(address_of(server.url()));
    auto other = models.chat(address_of(server.url()));
    REQUIRE(server.wait_for_requests(3));
    CHECK(models.status().at(0).at("waiting") == 1);
    server.release();
    CHECK(trial.answer() == "works");
    CHECK(other.answer() == "an answer");
    CHECK(models.status().at(0).at("state") == "ok");
    CHECK(models.status().at(0).at("last_error") == "answered 500");
  }
  CHECK(log.count("is down") == 1);
  CHECK(log.count("works again") == 1);
}

TEST_CASE("an endpoint that says when to come back is left alone until then") {
  ModelServer server;
  RunningModels models;
  server.next(ModelReply::json("", 429, "Retry-After: 1200\r\n"));
  const auto told = models.chat(address_of(server.url())).error();
  CHECK(told.kind == Kind::overloaded);
  CHECK(told.retry_after == std::chrono::seconds(1200));
  const auto error = models.chat(address_of(server.url())).error();
  CHECK(error.kind == Kind::overloaded);
  REQUIRE(error.retry_after);
  CHECK(*error.retry_after > std::chrono::seconds(1100));
  CHECK(server.requests().size() == 1);
}
