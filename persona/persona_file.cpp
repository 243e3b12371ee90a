#include "persona/persona_file.hpp"

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "persona/utf8.hpp"

namespace persona {
namespace {

using nlohmann::json;
template <class T>
using Result = boost::system::result<T, std::string>;

constexpr std::size_t kMostBytes = 1u << 20;
constexpr std::size_t kMostIdBytes = 64;

std::string at(const std::filesystem::path& file, std::string_view what) {
  return file.string().append(": ").append(what);
}

Result<PersonaDraft> flawed(const std::filesystem::path& file, std::string_view what) {
  return {boost::system::in_place_error, at(file, what)};
}

// Where a text stops being JSON; the parser proper does not say.
struct FirstError : nlohmann::json_sax<json> {
  std::size_t position = 0;

  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool string(string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool start_object(std::size_t) override { return true; }
  bool key(string_t&) override { return true; }
  bool end_object() override { return true; }
  bool start_array(std::size_t) override { return true; }
  bool end_array() override { return true; }
  bool parse_error(std::size_t where, const std::string&, const nlohmann::detail::exception&) override {
    position = where;
    return false;
  }
};

std::string place_of_error(std::string_view text) {
  FirstError error;
  json::sax_parse(text, &error);
  const auto before = text.substr(0, error.position == 0 ? 0 : error.position - 1);
  const auto line = static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n')) + 1;
  const auto line_start = before.rfind('\n') == std::string_view::npos ? 0 : before.rfind('\n') + 1;
  return "line " + std::to_string(line) + ", column " + std::to_string(before.size() - line_start + 1);
}

// What is wrong with an id; empty: nothing.
std::string_view flaw_of(std::string_view id) {
  if (id.find_first_not_of(" \t") == std::string_view::npos) return "expected a name that is not empty";
  if (id.size() > kMostIdBytes) return "expected at most 64 bytes";
  if (!is_utf8(id)) return "expected UTF-8";
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; };
  if (std::any_of(id.begin(), id.end(), is_control)) return "expected no control characters";
  return {};
}

}  // namespace

Result<PersonaDraft> parse_persona(std::string text, const std::filesystem::path& file) {
  if (text.size() > kMostBytes) return flawed(file, "larger than 1 MiB");
  json config = json::parse(text, nullptr, false);
  if (config.is_discarded()) return flawed(file, "not JSON: " + place_of_error(text));
  if (!config.is_object()) return flawed(file, "expected a JSON object");
  std::string id;
  const auto name = config.find("name");
  if (name == config.end()) {
    id = file.stem().string();
    if (const auto flaw = flaw_of(id); !flaw.empty()) return flawed(file, "as a name: " + std::string(flaw));
    config["name"] = id;  // what a memory calls it
  } else {
    if (!name->is_string()) return flawed(file, "name: expected a text");
    id = name->get<std::string>();
    if (const auto flaw = flaw_of(id); !flaw.empty()) return flawed(file, "name: " + std::string(flaw));
  }
  return PersonaDraft{std::move(id), file, std::move(text), std::move(config)};
}

Persona make_persona(PersonaDraft draft, ForeignMemories* foreign) {
  MadeMemory made = make_memory(draft.config, foreign);
  Persona persona;
  if (!made.warning.empty()) persona.warning = at(draft.file, made.warning);
  persona.id = std::move(draft.id);
  persona.file = std::move(draft.file);
  persona.memory_module = std::move(made.module);
  persona.memory = std::move(made.memory);
  persona.text = std::move(draft.text);
  return persona;
}

Result<PersonaDraft> read_persona_file(const std::filesystem::path& file) {
  std::error_code error;
  // A pipe or a device would keep us waiting.
  if (!std::filesystem::is_regular_file(file, error)) {
    return flawed(file, error ? error.message() : std::string("not a file"));
  }
  std::ifstream stream(file, std::ios::binary);
  if (!stream) return flawed(file, "cannot be read: " + std::error_code(errno, std::generic_category()).message());
  std::string text(kMostBytes + 1, '\0');
  stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (stream.bad()) return flawed(file, "cannot be read");
  text.resize(static_cast<std::size_t>(stream.gcount()));
  return parse_persona(std::move(text), file);
}

}  // namespace persona
