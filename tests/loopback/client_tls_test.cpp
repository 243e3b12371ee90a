#include <doctest/doctest.h>

#include <string>

#include "bus/client.hpp"
#include "tests/fakes/bus_peer.hpp"
#include "tests/fakes/certificate.hpp"
#include "tests/loopback/running_client.hpp"

using namespace tests;
using std::chrono::milliseconds;

namespace {

FakeServerSettings server_settings(const Certificate& certificate) {
  FakeServerSettings settings;
  settings.certificate_file = certificate.file();
  settings.key_file = certificate.key_file();
  return settings;
}

bus::ClientSettings tls_settings(std::uint16_t port, std::string host = "127.0.0.1") {
  auto settings = quick_settings(port);
  settings.url.tls = true;
  settings.url.host = std::move(host);
  return settings;
}

}  // namespace

TEST_CASE("a client speaks TLS to a server whose authority it was given, by address and by name") {
  const Certificate certificate("IP:127.0.0.1,DNS:localhost");
  FakeBusServer server(server_settings(certificate));
  server.start();
  for (const char* host : {"127.0.0.1", "localhost"}) {
    auto settings = tls_settings(server.port(), host);
    settings.tls_ca_file = certificate.file();
    RunningClient client(settings);
    CAPTURE(host);
    REQUIRE(client.eventually_up());
    const std::string large(1u << 20, 'x');
    client.send(large);
    client.send("over TLS");
    CHECK(client.eventually_hears("over TLS"));
    CHECK(client.heard().frames.at(1) == large);
    CHECK(client.stop());
  }
}

TEST_CASE("a server whose authority is unknown is refused, unless nobody wants to verify it") {
  const Certificate certificate("IP:127.0.0.1");
  FakeBusServer server(server_settings(certificate));
  server.start();
  auto settings = tls_settings(server.port());
  {
    RunningClient client(settings);
    REQUIRE(client.eventually_down(2));
    CHECK(client.heard().ups == 0);
    CHECK(client.heard().downs.front().find("certificate verify failed") != std::string::npos);
  }
  settings.tls_verify = false;
  RunningClient client(settings);
  CHECK(client.eventually_up());
}

TEST_CASE("a certificate for another host is refused") {
  const Certificate certificate("DNS:other.example");
  FakeBusServer server(server_settings(certificate));
  server.start();
  for (const char* host : {"127.0.0.1", "localhost"}) {
    auto settings = tls_settings(server.port(), host);
    settings.tls_ca_file = certificate.file();
    RunningClient client(settings);
    REQUIRE(client.eventually_down(2));
    CHECK(client.heard().ups == 0);
  }
}

TEST_CASE("a file of authorities that does not exist is said in words") {
  auto settings = tls_settings(1);
  settings.tls_ca_file = "/nonexistent/authorities.pem";
  RunningClient client(settings);
  REQUIRE(client.eventually_down());
  CHECK(client.heard().downs.front().find("/nonexistent/authorities.pem") != std::string::npos);
}

TEST_CASE("a server that never answers the TLS handshake is given up and tried again") {
  FakeBusServer server;
  server.start_mute();
  auto settings = tls_settings(server.port());
  settings.handshake_timeout = milliseconds(100);
  RunningClient client(settings);
  REQUIRE(client.eventually_down(2));
  CHECK(client.heard().downs.front() == "no answer to the TLS handshake");
}
