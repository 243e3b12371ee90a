#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <map>

#include "daemon/configuration.hpp"

namespace {

using personad::Places;
using Environment = std::map<std::string, std::string>;

Places places(bool root, const Environment& environment, const char* passwd_home = "") {
  const auto variable = [&](const char* name) -> std::optional<std::string> {
    const auto it = environment.find(name);
    return it == environment.end() ? std::nullopt : std::optional<std::string>(it->second);
  };
  return Places::of({.root = root, .variable = variable, .passwd_home = passwd_home});
}

}  // namespace

TEST_CASE("a user's things are in the XDG folders, the personas in OVOS's own") {
  const auto here = places(false, {{"HOME", "/home/a"}, {"XDG_RUNTIME_DIR", "/run/user/7"}});
  CHECK(here.configuration == "/home/a/.config/personad/personad.conf");
  CHECK(here.data == "/home/a/.local/share/personad");
  CHECK(here.personas == "/home/a/.config/ovos_persona");
  CHECK(here.admin_socket == "/run/user/7/personad/admin.sock");
  CHECK(here.home == "/home/a");
  REQUIRE(here.mycroft_conf.size() == 2);
  CHECK(here.mycroft_conf[0] == "/etc/mycroft/mycroft.conf");
  CHECK(here.mycroft_conf[1] == "/home/a/.config/mycroft/mycroft.conf");
}

TEST_CASE("XDG variables move a user's folders, relative ones are ignored") {
  const auto here = places(
      false,
      {{"HOME", "/home/a"}, {"XDG_CONFIG_HOME", "/c"}, {"XDG_DATA_HOME", "relative"}, {"XDG_RUNTIME_DIR", "/r"}});
  CHECK(here.configuration == "/c/personad/personad.conf");
  CHECK(here.personas == "/c/ovos_persona");
  CHECK(here.mycroft_conf[1] == "/c/mycroft/mycroft.conf");
  CHECK(here.data == "/home/a/.local/share/personad");
}

TEST_CASE("without a runtime folder the admin socket lies beside the memory, never in a shared folder") {
  const auto here = places(false, {{"HOME", "/home/a"}});
  CHECK(here.admin_socket == "/home/a/.local/share/personad/admin.sock");
}

TEST_CASE("without HOME the home folder of the password file is used, without both nothing") {
  CHECK(places(false, {}, "/home/b").data == "/home/b/.local/share/personad");
  CHECK(places(false, {}).data.empty());
  CHECK(places(false, {}).admin_socket.empty());
}

TEST_CASE("root has the system folders, whatever HOME says") {
  const auto here = places(true, {{"HOME", "/root"}, {"XDG_RUNTIME_DIR", "/run/user/0"}});
  CHECK(here.configuration == "/etc/personad/personad.conf");
  CHECK(here.data == "/var/lib/personad");
  CHECK(here.admin_socket == "/run/personad/admin.sock");
  CHECK(here.mycroft_conf.size() == 2);
}

TEST_CASE("a service uses the folders its manager made") {
  const auto here = places(false, {{"STATE_DIRECTORY", "/var/lib/personad:/var/lib/more"},
                                   {"RUNTIME_DIRECTORY", "/run/personad"},
                                   {"CONFIGURATION_DIRECTORY", "/etc/personad"}});
  CHECK(here.data == "/var/lib/personad");
  CHECK(here.configuration == "/etc/personad/personad.conf");
  CHECK(here.admin_socket == "/run/personad/admin.sock");
  CHECK(here.personas == "/etc/personad/personas");
  CHECK(here.mycroft_conf.size() == 1);
}

TEST_CASE("a service user whose home is the root folder has no home") {
  const auto here = places(false, {{"HOME", "/"}, {"CONFIGURATION_DIRECTORY", "/etc/personad"}}, "/");
  CHECK(here.home.empty());
  CHECK(here.personas == "/etc/personad/personas");
  CHECK(here.data.empty());
}

TEST_CASE("a service has personas of its own only where that folder exists, else those of OVOS") {
  auto pattern = (std::filesystem::temp_directory_path() / "personad-places-XXXXXX").string();
  REQUIRE(mkdtemp(pattern.data()) != nullptr);
  const std::filesystem::path folder = pattern;
  const Environment environment{{"HOME", "/home/a"}, {"CONFIGURATION_DIRECTORY", pattern}};
  CHECK(places(false, environment).personas == "/home/a/.config/ovos_persona");
  std::filesystem::create_directory(folder / "personas");
  CHECK(places(false, environment).personas == folder / "personas");
  std::filesystem::remove_all(folder);
}

TEST_CASE("a user's service with only a runtime folder keeps everything else in the XDG folders") {
  const auto here = places(false, {{"HOME", "/home/a"}, {"RUNTIME_DIRECTORY", "/run/user/7/personad"}});
  CHECK(here.data == "/home/a/.local/share/personad");
  CHECK(here.personas == "/home/a/.config/ovos_persona");
  CHECK(here.admin_socket == "/run/user/7/personad/admin.sock");
}
