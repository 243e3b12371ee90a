#pragma once
#include <doctest/doctest.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <stdlib.h>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>

namespace tests {

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
    std::string pattern = (std::filesystem::temp_directory_path() / "personad-tls-XXXXXX").string();
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
    const auto* common = reinterpret_cast<const unsigned char*>("a server");
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

}  // namespace tests
