#include "persona/persona_file.hpp"

#include <doctest/doctest.h>
#include <unistd.h>

#include <fstream>
#include <utility>

namespace persona {
namespace {

std::string error_of(std::string text, const char* file = "/p/ada.json") {
  const auto read = parse_persona(std::move(text), file);
  REQUIRE(read.has_error());
  CHECK(read.error().find(file) != std::string::npos);
  return read.error();
}

Persona persona_of(const char* text) {
  auto read = parse_persona(text, "/p/ada.json");
  REQUIRE(read.has_value());
  return make_persona(std::move(*read));
}

TEST_CASE("a persona file is read as OVOS writes it, with what is not ours left alone") {
  const auto persona = persona_of(R"({"name": "Ada Lovelace", "solvers": ["a"], "handlers": ["b"], "a": {"key": 1},
      "memory_module": "ovos-agents-short-term-memory-plugin",
      "ovos-agents-short-term-memory-plugin": {"max_history": 3}})");
  CHECK(persona.id == "Ada Lovelace");
  CHECK(persona.file == "/p/ada.json");
  REQUIRE(persona.memory);
  CHECK(persona.memory->window_messages() == 3);
  CHECK(persona.warning.empty());
}

TEST_CASE("without a name a persona is called like its file") {
  const auto persona = persona_of("{}");
  CHECK(persona.id == "ada");
  CHECK(persona.memory_module == "ovos-agents-short-term-memory-plugin");
}

TEST_CASE("a memory that does not exist is a warning with the file's name, the persona still loads") {
  const auto persona = persona_of(R"({"memory_module": "elephant"})");
  CHECK(persona.memory == nullptr);
  CHECK(persona.memory_module == "elephant");
  CHECK(persona.warning.find("/p/ada.json") != std::string::npos);
  CHECK(persona.warning.find("elephant") != std::string::npos);
}

TEST_CASE("what is not JSON is reported with line and column") {
  CHECK(error_of("{\n  \"name\": \"Ada\",\n  oops\n}").find("line 3, column 3") != std::string::npos);
  CHECK(error_of("").find("line 1, column 1") != std::string::npos);
  CHECK(error_of("{\"name\": \"\xff\"}").find("line 1") != std::string::npos);
  error_of(std::string(200000, '['));
}

TEST_CASE("a file that is no object, and a name that can be none, are errors") {
  for (const char* text : {"[]", "5", "null", R"({"name": 5})", R"({"name": null})", R"({"name": ""})",
                           R"({"name": "  "})", R"({"name": "a\u0000b"})"}) {
    CAPTURE(text);
    error_of(text);
  }
  const std::string fits(64, 'a');
  CHECK(parse_persona(R"({"name": ")" + fits + "\"}", "/p/a.json").has_value());
  error_of(R"({"name": ")" + fits + "b\"}");
  error_of("{}", "/p/\xff.json");
  error_of(std::string((1u << 20) + 1, ' '));
}

TEST_CASE("a file that cannot be read is an error in words") {
  CHECK(read_persona_file("/nowhere/at/all.json").has_error());
  CHECK(read_persona_file("/dev/zero").has_error());
  CHECK(read_persona_file("/tmp").has_error());
}

}  // namespace
}  // namespace persona
