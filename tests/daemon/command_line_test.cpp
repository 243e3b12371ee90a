#include "daemon/command_line.hpp"

#include <doctest/doctest.h>

namespace {

personad::ParsedCommandLine parsed(std::vector<const char*> arguments) {
  arguments.insert(arguments.begin(), "personad");
  return personad::parse_command_line(static_cast<int>(arguments.size()), arguments.data());
}

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("an empty command line wishes for nothing") {
  const auto result = parsed({});
  REQUIRE(result.command_line);
  CHECK(result.command_line->config.empty());
  CHECK(result.command_line->bus_url.empty());
  CHECK_FALSE(result.command_line->embedded_bus);
  CHECK_FALSE(result.command_line->check_config);
}

TEST_CASE("each option reaches its wish") {
  const auto result = parsed({"--config", "c", "--bus", "ws://b:1/core", "--data-dir", "d", "--personas", "p",
                              "--admin-socket=s", "--log-level", "debug", "--check-config"});
  REQUIRE(result.command_line);
  const auto& line = *result.command_line;
  CHECK(line.config == "c");
  CHECK(line.bus_url == "ws://b:1/core");
  CHECK(line.data_dir == "d");
  CHECK(line.personas_dir == "p");
  CHECK(line.admin_socket == "s");
  CHECK(line.log_level == "debug");
  CHECK(line.check_config);
}

TEST_CASE("the address of the embedded bus may be left out, also before another option") {
  auto result = parsed({"--embedded-bus"});
  REQUIRE(result.command_line);
  REQUIRE(result.command_line->embedded_bus);
  CHECK(result.command_line->embedded_bus->empty());
  result = parsed({"--embedded-bus", "--config", "c"});
  REQUIRE(result.command_line);
  CHECK(result.command_line->embedded_bus->empty());
  CHECK(result.command_line->config == "c");
  result = parsed({"--embedded-bus", "[::1]:9"});
  REQUIRE(result.command_line);
  CHECK(*result.command_line->embedded_bus == "[::1]:9");
}

TEST_CASE("help and version go to standard output and end well") {
  const auto help = parsed({"--help"});
  CHECK_FALSE(help.command_line);
  CHECK(help.exit_code == 0);
  CHECK_FALSE(help.to_stderr);
  for (const auto* option : {"--config", "--bus", "--embedded-bus", "--data-dir", "--personas", "--admin-socket",
                             "--log-level", "--check-config", "--version", "/var/lib/personad", "mycroft.conf"}) {
    CHECK_MESSAGE(has(help.output, option), option);
  }
  const auto version = parsed({"--version"});
  CHECK(version.exit_code == 0);
  CHECK(version.output == "personad " PERSONAD_VERSION "\n");
}

TEST_CASE("a wrong command line says what is wrong and where help is") {
  const std::vector<std::vector<const char*>> wrong{
      {"--nothing"}, {"word"},         {"--config"},       {"--bus"},
      {"--bus", ""}, {"--config", ""}, {"--data-dir", ""}, {"--bus", "ws://a", "--embedded-bus"}};
  for (const auto& arguments : wrong) {
    const auto result = parsed(arguments);
    CAPTURE(arguments.front());
    CHECK_FALSE(result.command_line);
    CHECK(result.exit_code == 2);
    CHECK(result.to_stderr);
    CHECK(has(result.output, "personad: "));
    CHECK(has(result.output, "--help"));
  }
}
