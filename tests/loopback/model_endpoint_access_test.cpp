#include <doctest/doctest.h>
#include <sys/stat.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

#include "tests/fakes/certificate.hpp"
#include "tests/fakes/model_server.hpp"
#include "tests/loopback/running_models.hpp"

// How a model endpoint is reached: keys, TLS and proxies.
using namespace tests;
using Kind = persona::ModelError::Kind;

namespace {

/// A file with a key, which goes with it.
class KeyFile {
 public:
  KeyFile(const std::string& text, mode_t mode) {
    std::string pattern = (std::filesystem::temp_directory_path() / "personad-key-XXXXXX").string();
    const int descriptor = ::mkstemp(pattern.data());
    REQUIRE(descriptor >= 0);
    ::close(descriptor);
    path_ = pattern;
    std::ofstream(path_) << text;
    REQUIRE(::chmod(path_.c_str(), mode) == 0);
  }
  ~KeyFile() { std::filesystem::remove(path_); }
  KeyFile(const KeyFile&) = delete;
  KeyFile& operator=(const KeyFile&) = delete;
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

ModelServerSettings with(const Certificate& certificate) {
  ModelServerSettings settings;
  settings.certificate_file = certificate.file();
  settings.key_file = certificate.key_file();
  return settings;
}

personad::ModelEndpointSettings trusting(const Certificate& certificate) {
  auto settings = quick_models();
  settings.http.ca_file = certificate.file();
  return settings;
}

std::string at(const ModelServer& server) {
  return "127.0.0.1:" + std::to_string(server.port());
}

}  // namespace

TEST_CASE("the key goes into the header and nowhere else, and a file that everybody can read is warned of once") {
  CapturedLog log;
  {
    ModelServer server;
    RunningModels models;
    const KeyFile secret(" sk-secret\n", 0600);
    const KeyFile open("sk-secret", 0644);
    auto address = address_of(server.url());
    address.key_file = secret.path();
    CHECK(models.chat(address, "said in confidence").answer() == "an answer");
    CHECK(server.requests().back().header("authorization") == "Bearer sk-secret");
    server.next(ModelReply::json(R"({"error":"sk-secret is no key"})", 401));
    const auto error = models.chat(address, "said in confidence").error();
    CHECK(error.words == "answered 401");
    server.next(ModelReply::json(R"({"error":"sk-secret"})", 500));
    CHECK(models.chat(address, "said in confidence").error().kind == Kind::failed);
    CHECK(models.status().dump().find("secret") == std::string::npos);
    address.key_file = open.path();
    CHECK(models.chat(address).answer() == "an answer");
    CHECK(models.chat(address).answer() == "an answer");
  }
  CHECK(log.count("can read the key file") == 1);
  CHECK(log.count("secret") == 0);
  CHECK(log.count("confidence") == 0);
}

TEST_CASE("a key comes from the environment where no file is named") {
  ModelServer server;
  auto settings = quick_models();
  settings.environment = environment_of({{"MODEL_KEY", "from-there"}});
  RunningModels models(settings);
  auto address = address_of(server.url());
  address.key_variable = "MODEL_KEY";
  CHECK(models.chat(address).answer() == "an answer");
  CHECK(server.requests().back().header("authorization") == "Bearer from-there");
  address.key_variable = "NO_SUCH_KEY";
  const auto error = models.chat(address).error();
  CHECK(error.kind == Kind::misconfigured);
  CHECK(error.words == "the environment variable NO_SUCH_KEY is not set");
  CHECK(models.status().at(0).at("state") == "ok");
}

TEST_CASE("a key that cannot be one is not sent, and the next call reads it again") {
  ModelServer server;
  RunningModels models;
  auto address = address_of(server.url());
  for (const char* text : {"", " \n", "two words", "sk\r\nX-Other: 1"}) {
    const KeyFile file(text, 0600);
    address.key_file = file.path();
    CHECK(models.chat(address).error().kind == Kind::misconfigured);
  }
  address.key_file = "/nonexistent/key";
  CHECK(models.chat(address).error().kind == Kind::misconfigured);
  address.key_file = std::filesystem::temp_directory_path().string();
  CHECK(models.chat(address).error().kind == Kind::misconfigured);
  CHECK(server.connections() == 0);
  const KeyFile file("good", 0600);
  address.key_file = file.path();
  CHECK(models.chat(address).answer() == "an answer");
}

TEST_CASE("an endpoint speaks TLS when its authority is known, and its connection is kept too") {
  const Certificate certificate("IP:127.0.0.1,DNS:localhost");
  ModelServer server(with(certificate));
  RunningModels models(trusting(certificate));
  CHECK(models.chat(address_of(server.url())).answer() == "an answer");
  CHECK(models.chat(address_of(server.url())).answer() == "an answer");
  CHECK(server.connections() == 1);
  CHECK(models.chat(address_of("https://localhost:" + std::to_string(server.port()) + "/v1")).answer() == "an answer");
  server.next(ModelReply::closed_without_answer());
  CHECK(models.chat(address_of(server.url())).answer() == "an answer");
}

TEST_CASE("a server whose authority is unknown, or whose certificate is for another host, is told nothing") {
  const Certificate certificate("IP:127.0.0.1");
  ModelServer server(with(certificate));
  {
    RunningModels models;
    const auto error = models.chat(address_of(server.url())).error();
    CHECK(error.kind == Kind::unreachable);
    CHECK(error.words.find("certificate verify failed") != std::string::npos);
  }
  RunningModels models(trusting(certificate));
  const auto error = models.chat(address_of("https://localhost:" + std::to_string(server.port()) + "/v1")).error();
  CHECK(error.kind == Kind::unreachable);
  CHECK(server.requests().empty());
}

TEST_CASE("a file of authorities that does not exist is said in words") {
  auto settings = quick_models();
  settings.http.ca_file = "/nonexistent/authorities.pem";
  ModelServer server;
  RunningModels models(settings);
  const auto error = models.chat(address_of("https://" + at(server) + "/v1")).error();
  CHECK(error.kind == Kind::misconfigured);
  CHECK(error.words.find("/nonexistent/authorities.pem") != std::string::npos);
}

TEST_CASE("a server that never answers the TLS handshake is given up") {
  ModelServer silent;  // it speaks in the clear, and waits for a request that never ends
  auto settings = quick_models();
  settings.http.connect_timeout = std::chrono::milliseconds(100);
  RunningModels models(settings);
  const auto error = models.chat(address_of("https://" + at(silent) + "/v1")).error();
  CHECK(error.kind == Kind::unreachable);
  CHECK(error.words == "no answer to the TLS handshake");
}

TEST_CASE("http goes through the proxy of the environment with the whole target, and to no_proxy's hosts directly") {
  ModelServer proxy;
  ModelServer direct;
  auto settings = quick_models();
  settings.environment =
      environment_of({{"http_proxy", "http://me:pass%20word@" + at(proxy)}, {"no_proxy", "example.com, 127.0.0.0/8"}});
  RunningModels models(settings);
  CHECK(models.chat(address_of("http://models.example.net:8080/v1")).answer() == "an answer");
  const auto requests = proxy.requests();
  REQUIRE(requests.size() == 1);
  CHECK(requests[0].target == "http://models.example.net:8080/v1/chat/completions");
  CHECK(requests[0].header("host") == "models.example.net:8080");
  CHECK(requests[0].header("proxy-authorization") == "Basic bWU6cGFzcyB3b3Jk");
  CHECK(models.chat(address_of(direct.url())).answer() == "an answer");
  CHECK(direct.requests().size() == 1);
  CHECK(direct.requests()[0].headers.count("proxy-authorization") == 0);
  CHECK(proxy.requests().size() == 1);
}

TEST_CASE("https goes through a tunnel, at whose end the server proves who it is") {
  const Certificate certificate("IP:127.0.0.1");
  ModelServer server(with(certificate));
  ModelServer proxy;
  auto settings = trusting(certificate);
  settings.environment = environment_of({{"HTTPS_PROXY", at(proxy)}});
  RunningModels models(settings);
  auto address = address_of(server.url());
  CHECK(models.chat(address).answer() == "an answer");
  CHECK(models.chat(address).answer() == "an answer");
  REQUIRE(proxy.requests().size() == 1);
  CHECK(proxy.requests()[0].method == "CONNECT");
  CHECK(proxy.requests()[0].target == at(server));
  CHECK(proxy.requests()[0].body.empty());
  CHECK(server.requests().size() == 2);
}

TEST_CASE("a proxy that refuses or fails is told from the endpoint") {
  ModelServer proxy;
  auto settings = quick_models();
  settings.environment = environment_of({{"https_proxy", at(proxy)}});
  RunningModels models(settings);
  const auto address = address_of("https://models.example.net/v1");
  proxy.next(ModelReply::json("", 407));
  const auto refused = models.chat(address).error();
  CHECK(refused.kind == Kind::refused);
  CHECK(refused.words == "the proxy answered 407");
  proxy.next(ModelReply::json("", 502));
  CHECK(models.chat(address).error().words == "the proxy answered 502");
  proxy.next(ModelReply::closed_without_answer());
  CHECK(models.chat(address).error().words == "the proxy: closed without an answer");
  proxy.next(ModelReply::raw("HTTP/1.1 200 OK\r\n\r\nsmuggled", ModelReply::Then::hold));
  CHECK(models.chat(address).error().kind == Kind::unusable);
}

TEST_CASE("a proxy that cannot be spoken to is misconfigured, and its password is not repeated") {
  auto settings = quick_models();
  settings.environment = environment_of({{"all_proxy", "socks5://me:secret@127.0.0.1:1"}});
  RunningModels models(settings);
  const auto error = models.chat(address_of("http://models.example.net/v1")).error();
  CHECK(error.kind == Kind::misconfigured);
  CHECK(error.words.find("secret") == std::string::npos);
}
