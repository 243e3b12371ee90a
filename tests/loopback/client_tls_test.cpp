#include <doctest/doctest.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>

#include "bus/client.hpp"
#include "tests/fakes/bus_peer.hpp"
#include "tests/loopback/running_client.hpp"

using namespace tests;
using std::chrono::milliseconds;

namespace {

template <auto Free>
struct Freed {
  template <typename T>
  void operator()(T* object) const {
    Free(object);
  }
};

/// A self-signed certificate for some names, and its key, in a folder that goes with it.
class Certificate {
 public:
  explicit Certificate(const char* names) {
    std::string pattern = (std::filesystem::temp_directory_path() / "bus-tls-XXXXXX").string();
    REQUIRE(::mkdtemp(pattern.data()) != nullptr);
    folder_ = pattern;
    const std::unique_ptr<EVP_PKEY, Freed<EVP_PKEY_free>> key(EVP_EC_gen("P-256"));
    const std::unique_ptr<X509, Freed<X509_free>> certificate(X509_new());
    REQUIRE(key != nullptr);
    fill(certificate.get(), key.get(), names);
    write(file(), [&](std::FILE* out) { return PEM_write_X509(out, certificate.get()); });
    write(key_file(),
          [&](std::FILE* out) { return PEM_write_PrivateKey(out, key.get(), nullptr, nullptr, 0, nullptr, nullptr); });
  }
  ~Certificate() { std::filesystem::remove_all(folder_); }
  Certificate(const Certificate&) = delete;
  Certificate& operator=(const Certificate&) = delete;

  [[nodiscard]] std::string file() const { return folder_ / "certificate.pem"; }
  [[nodiscard]] std::string key_file() const { return folder_ / "key.pem"; }

 private:
  static void fill(X509* certificate, EVP_PKEY* key, const char* names) {
    X509_set_version(certificate, X509_VERSION_3);
    ASN1_INTEGER_set(X509_get_serialNumber(certificate), 1);
    X509_gmtime_adj(X509_getm_notBefore(certificate), -3600);
    X509_gmtime_adj(X509_getm_notAfter(certificate), 3600);
    X509_NAME* name = X509_get_subject_name(certificate);
    const auto* common = reinterpret_cast<const unsigned char*>("a bus");
    X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, common, -1, -1, 0);
    X509_set_issuer_name(certificate, name);
    X509_set_pubkey(certificate, key);
    const std::unique_ptr<X509_EXTENSION, Freed<X509_EXTENSION_free>> extension(
        X509V3_EXT_conf_nid(nullptr, nullptr, NID_subject_alt_name, names));
    REQUIRE(extension != nullptr);
    X509_add_ext(certificate, extension.get(), -1);
    REQUIRE(X509_sign(certificate, key, EVP_sha256()) != 0);
  }

  template <typename Write>
  static void write(const std::string& path, Write write) {
    std::FILE* out = std::fopen(path.c_str(), "w");
    REQUIRE(out != nullptr);
    CHECK(write(out) == 1);
    std::fclose(out);
  }

  std::filesystem::path folder_;
};

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
