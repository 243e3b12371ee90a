#include "daemon/configuration.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "daemon/configuration_schema.hpp"

namespace {

using personad::CommandLine;
using personad::Configuration;
using personad::load_configuration;
using personad::Places;
namespace fs = std::filesystem;

const fs::path kSource = fs::path(__FILE__).parent_path() / ".." / "..";

/// A folder of its own for one test, with the places of a user who has nothing yet.
class Folder {
 public:
  Folder() {
    auto pattern = (fs::temp_directory_path() / "personad-configuration-XXXXXX").string();
    REQUIRE(mkdtemp(pattern.data()) != nullptr);
    path_ = pattern;
    places.configuration = path_ / "personad.conf";
    places.data = path_ / "data";
    places.personas = path_ / "personas";
    places.admin_socket = path_ / "admin.sock";
    places.home = path_ / "home";
    places.mycroft_conf = {path_ / "system.conf", path_ / "user.conf"};
  }
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  fs::path write(const char* name, std::string_view text) const {
    std::ofstream(path_ / name, std::ios::binary) << text;
    return path_ / name;
  }

  [[nodiscard]] auto load(const CommandLine& line = {}) const { return load_configuration(line, places); }
  [[nodiscard]] auto load_text(std::string_view text) const {
    write("personad.conf", text);
    return load();
  }

  Places places;

 private:
  fs::path path_;
};

std::string only_problem(std::string_view text) {
  const Folder folder;
  const auto loaded = folder.load_text(text);
  REQUIRE(loaded.has_error());
  REQUIRE(loaded.error().size() == 1);
  return loaded.error().front();
}

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

std::string read_text(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

}  // namespace

TEST_CASE("without any file the defaults are in effect") {
  const Folder folder;
  const auto loaded = folder.load();
  REQUIRE(loaded.has_value());
  CHECK(loaded->file.empty());
  CHECK(loaded->bus_url_from == "default");
  CHECK(loaded->configuration.bus.url == "ws://127.0.0.1:8181/core");
  CHECK(loaded->configuration.data_dir == folder.places.data);
  CHECK(loaded->configuration.log_level == "info");
  CHECK_FALSE(loaded->configuration.bus_admin);
  CHECK(loaded->warnings.empty());
}

TEST_CASE("a file with comments sets what it names and leaves the rest") {
  const Folder folder;
  const auto loaded = folder.load_text(R"({
    // a line
    "bus": {"idle_timeout": 7, /* a block */ "allowed_origins": ["https://a.example"]},
    "store": {"durability": "full"}, "record": {"prompt_answers": true}, "bus_admin": true
  })");
  REQUIRE(loaded.has_value());
  const auto& configuration = loaded->configuration;
  CHECK(configuration.bus.idle_timeout == std::chrono::seconds(7));
  CHECK(configuration.bus.allowed_origins == std::vector<std::string>{"https://a.example"});
  CHECK(configuration.store.full_durability);
  CHECK(configuration.record.prompt_answers);
  CHECK(configuration.bus_admin);
  CHECK(configuration.bus.max_connections == Configuration{}.bus.max_connections);
  CHECK(loaded->file == folder.places.configuration);
}

TEST_CASE("a file that turns bus administration on is valid, and warned about") {
  const Folder folder;
  const auto loaded = folder.load_text(R"({"bus_admin": true})");
  REQUIRE(loaded.has_value());
  CHECK(loaded->configuration.bus_admin);
  REQUIRE(loaded->warnings.size() == 1);
  CHECK(has(loaded->warnings.front(), "bus_admin"));
}

TEST_CASE("an ill-typed value is an error that names file, key, what was found and what was expected") {
  const auto problem = only_problem(R"({"bus_admin": "yes"})");
  CHECK(has(problem, "personad.conf: bus_admin: found the text \"yes\", expected true or false"));
  CHECK(
      has(only_problem(R"({"bus": {"max_connections": 1.5}})"), "found the number 1.5, expected a whole number from"));
  CHECK(has(only_problem(R"({"bus": {"max_connections": -1}})"), "found the number -1"));
  CHECK(has(only_problem(R"({"bus": {"max_connections": 0}})"), "from 1 to 65536"));
  CHECK(has(only_problem(R"({"bus": {"max_connections": 65537}})"), "from 1 to 65536"));
  CHECK(has(only_problem(R"({"store": {"durability": "FULL"}})"), R"(expected one of "normal", "full")"));
  CHECK(has(only_problem(R"({"log_level": null})"), "found null, expected one of"));
  CHECK(has(only_problem(R"({"store": []})"), "store: found the list [], expected an object"));
  CHECK(has(only_problem(R"({"persona_skills": ["a", 3]})"), "expected a list of texts (wrong: 3)"));
  CHECK(has(only_problem("[1]"), "found the list [1], expected an object"));
}

TEST_CASE("an unknown key is answered with the nearest known one") {
  CHECK(has(only_problem(R"({"log_levl": "info"})"), "log_levl: found an unknown key, expected log_level perhaps"));
  CHECK(has(only_problem(R"({"bus": {"ulr": ""}})"), "expected bus.url perhaps"));
  CHECK(has(only_problem(R"({"buss": {}})"), "expected bus perhaps"));
  CHECK(has(only_problem(R"({"record": {"durability": "full"}})"), "expected store.durability perhaps"));
  CHECK_FALSE(has(only_problem(R"({"zzzzzzzz": 1})"), "perhaps"));
  CHECK(has(only_problem(R"({"bus.url": ""})"), R"(expected nested objects: "bus": {"url": ...})"));
}

TEST_CASE("a key given twice is an error") {
  CHECK(
      has(only_problem(R"({"store": {"durability": "full", "durability": "full"}})"), "store.durability: given twice"));
  CHECK(has(only_problem(R"({"bus_admin": true, "bus": {}, "bus_admin": true})"), "bus_admin: given twice"));
}

TEST_CASE("broken syntax is reported with line and column") {
  CHECK(has(only_problem("{\n  \"bus\": {\n    \"url\": \n}"), "personad.conf:4:1: not JSON: "));
  CHECK(has(only_problem(""), "personad.conf:1:1: not JSON: "));
  CHECK(has(only_problem("{\"log_level\": \"info\",}"), "personad.conf:1:22: not JSON: "));
}

TEST_CASE("all problems are reported at once") {
  const Folder folder;
  CommandLine line;
  line.log_level = "loud";
  folder.write("personad.conf", R"({"a": 1, "bus_admin": 1, "limits": {"conversations": 1}, "limits": {}})");
  const auto loaded = folder.load(line);
  REQUIRE(loaded.has_error());
  std::string all;
  for (const auto& problem : loaded.error()) all += problem + '\n';
  CHECK(has(all, "a: found an unknown key"));
  CHECK(has(all, "bus_admin: found the number 1"));
  CHECK(has(all, "limits: given twice"));
  CHECK(has(all, "command line: --log-level: found the text \"loud\", expected one of"));
}

TEST_CASE("patterns, addresses and origins are checked") {
  CHECK(has(only_problem(R"({"hivemind": {"remote_sources": ["ok", "("]}})"), "a regular expression"));
  CHECK(has(only_problem(R"({"hivemind": {"peer_pattern": "^(a)$"}})"), "at least three groups"));
  CHECK(has(only_problem(R"({"hivemind": {"peer_pattern": "(a)(?:b)[()](c)\\("}})"), "at least three groups"));
  CHECK(has(only_problem(R"({"hivemind": {"hub_name": "a:b"}})"), "without a colon"));
  CHECK(has(only_problem(R"({"bus": {"url": "http://127.0.0.1"}})"), "expected ws://HOST:PORT/ROUTE"));
  CHECK(has(only_problem(R"({"bus": {"embedded": "127.0.0.1"}})"), "expected HOST:PORT"));
  CHECK(has(only_problem(R"({"bus": {"embedded": "127.0.0.1:70000"}})"), "expected HOST:PORT"));
  CHECK(has(only_problem(R"({"bus": {"embedded": "::1:8181"}})"), "expected HOST:PORT"));
  CHECK(has(only_problem(R"({"bus": {"allowed_origins": ["*"]}})"), "an origin as a browser sends it"));
  CHECK(has(only_problem(R"({"bus": {"url": "ws://a/", "embedded": "127.0.0.1:1"}})"), "both url and embedded"));
}

TEST_CASE("only a loopback address serves a bus without a warning") {
  const auto warnings = [](const char* address) {
    const Folder folder;
    CommandLine line;
    line.embedded_bus = address;
    const auto loaded = folder.load(line);
    REQUIRE(loaded.has_value());
    CHECK(loaded->configuration.bus.url.empty());
    return loaded->warnings.size();
  };
  for (const auto* address : {"", "127.0.0.1:8181", "127.9.9.9:1", "localhost:8181", "[::1]:8181"}) {
    CHECK_MESSAGE(warnings(address) == 0, address);
  }
  for (const auto* address : {"0.0.0.0:8181", "[::]:8181", "192.168.1.2:8181", "example.org:8181", "128.0.0.1:1"}) {
    CHECK_MESSAGE(warnings(address) == 1, address);
  }
}

TEST_CASE("an address is taken apart, brackets around IPv6 are not part of the host") {
  const auto six = personad::parse_host_and_port("[::1]:8181");
  REQUIRE(six);
  CHECK(six->host == "::1");
  CHECK(six->port == 8181);
  CHECK(personad::parse_host_and_port("localhost:0")->port == 0);
  for (const auto* wrong : {"", ":1", "a:", "a", "a:b", "a:-1", "a:1x", "[::1]", "[x]:1", "a b:1"}) {
    CHECK_MESSAGE(!personad::parse_host_and_port(wrong), wrong);
  }
}

TEST_CASE("the command line wins over the file, the file over mycroft.conf") {
  const Folder folder;
  folder.write("system.conf", R"({"websocket": {"port": 1111}})");
  folder.write("personad.conf", R"({"bus": {"url": "ws://file:2/core"}, "log_level": "error"})");
  auto loaded = folder.load();
  REQUIRE(loaded.has_value());
  CHECK(loaded->configuration.bus.url == "ws://file:2/core");
  CHECK(loaded->bus_url_from == "configuration");

  CommandLine line;
  line.bus_url = "ws://line:3/core";
  line.log_level = "trace";
  line.data_dir = "/elsewhere";
  loaded = folder.load(line);
  REQUIRE(loaded.has_value());
  CHECK(loaded->configuration.bus.url == "ws://line:3/core");
  CHECK(loaded->bus_url_from == "command line");
  CHECK(loaded->configuration.log_level == "trace");
  CHECK(loaded->configuration.data_dir == "/elsewhere");

  CommandLine embedded;
  embedded.embedded_bus.emplace();
  loaded = folder.load(embedded);
  REQUIRE(loaded.has_value());
  CHECK(loaded->configuration.bus.url.empty());
  CHECK(loaded->configuration.bus.embedded == "127.0.0.1:8181");
}

TEST_CASE("a bus on the command line replaces an embedded one of the file") {
  const Folder folder;
  folder.write("personad.conf", R"({"bus": {"embedded": "127.0.0.1:9"}})");
  CommandLine line;
  line.bus_url = "ws://line:3/core";
  const auto loaded = folder.load(line);
  REQUIRE(loaded.has_value());
  CHECK(loaded->configuration.bus.embedded.empty());
  CHECK(loaded->configuration.bus.url == "ws://line:3/core");
}

TEST_CASE("mycroft.conf gives the bus and the default persona, the user's over the system's") {
  const Folder folder;
  folder.write("system.conf", R"({
    # OVOS takes such lines as comments
    // and these
    "websocket": {"host": "0.0.0.0", "port": 8182, "route": "/bus", "ssl": false},
    "intents": {"persona": {"default_persona": "System"}}
  })");
  auto loaded = folder.load();
  REQUIRE(loaded.has_value());
  CHECK(loaded->configuration.bus.url == "ws://127.0.0.1:8182/bus");
  CHECK(loaded->bus_url_from == folder.places.mycroft_conf[0].string());
  CHECK(loaded->ovos_default_persona == "System");

  folder.write("user.conf", R"({"websocket": {"host": "10.0.0.5"}, "ssl": true,
                                "intents": {"persona": {"default_persona": "User"}}})");
  loaded = folder.load();
  REQUIRE(loaded.has_value());
  CHECK_MESSAGE(loaded->configuration.bus.url == "ws://10.0.0.5:8182/bus", "websocket.ssl wins over the root's");
  CHECK(loaded->bus_url_from == folder.places.mycroft_conf[1].string());
  CHECK(loaded->ovos_default_persona == "User");
}

TEST_CASE("ssl at the root of mycroft.conf is the older spelling") {
  const Folder folder;
  folder.write("user.conf", R"({"websocket": {"host": "bus.example"}, "ssl": true})");
  const auto loaded = folder.load();
  REQUIRE(loaded.has_value());
  CHECK(loaded->configuration.bus.url == "wss://bus.example:8181/core");
}

TEST_CASE("a broken mycroft.conf is a warning, never an error") {
  for (const std::string text : {"{", "[]", "", "\xff\xfe", R"({"websocket": 3})", R"({"websocket": {"port": "x"}})",
                                 R"({"websocket": {"host": 7}})", R"({"websocket": {"host": "a b"}})",
                                 R"({"intents": {"persona": {"default_persona": 5}}})"}) {
    const Folder folder;
    folder.write("user.conf", text);
    const auto loaded = folder.load();
    CAPTURE(text);
    REQUIRE(loaded.has_value());
    REQUIRE_FALSE(loaded->warnings.empty());
    CHECK(has(loaded->warnings.front(), "user.conf"));
  }
}

TEST_CASE("a named configuration file has to exist, the default one may be missing") {
  const Folder folder;
  CommandLine line;
  line.config = folder.places.data / "none.conf";
  const auto loaded = folder.load(line);
  REQUIRE(loaded.has_error());
  CHECK(has(loaded.error().front(), "none.conf: cannot read"));
}

TEST_CASE("a tilde at the start of a path is the home folder, elsewhere it is a tilde") {
  const Folder folder;
  CommandLine line;
  line.personas_dir = "~";
  folder.write("personad.conf", R"({"data_dir": "~/memory", "admin_socket": "/run/a~/s"})");
  const auto loaded = folder.load(line);
  REQUIRE(loaded.has_value());
  CHECK(loaded->configuration.data_dir == folder.places.home / "memory");
  CHECK(loaded->configuration.admin_socket == "/run/a~/s");
  CHECK(loaded->configuration.personas_dir.lexically_relative(folder.places.home) == ".");
}

TEST_CASE("without a home folder the paths have to be given") {
  const Folder folder;
  const auto loaded = load_configuration({}, Places{});
  REQUIRE(loaded.has_error());
  CHECK(has(loaded.error().front(), "--data-dir DIR"));
}

TEST_CASE("a certificate file that is not there is an error") {
  CHECK(has(only_problem(R"({"bus": {"tls_ca_file": "/nonexistent/ca.pem"}})"), "bus.tls_ca_file: found no file"));
}

TEST_CASE("the effective configuration is itself a valid configuration that means the same") {
  const Folder folder;
  Configuration changed;
  changed.bus.url = "wss://a:1/b";
  changed.bus.idle_timeout = std::chrono::seconds(9);
  changed.bus.allowed_origins = {"https://a", "https://b"};
  changed.store.full_durability = true;
  changed.personas.default_persona = "Zoë \"Z\"";
  changed.hivemind.peer_pattern = R"(^(.*)::([0-9]+)::(.*)$)";
  changed.limits.window_bytes = 2u << 20;
  changed.data_dir = "/d";
  changed.personas_dir = "/p";
  changed.plugins_dir = "/g";
  changed.admin_socket = "/a";
  const auto text = personad::describe(changed);
  const auto loaded = folder.load_text(text);
  REQUIRE(loaded.has_value());
  CHECK(personad::describe(loaded->configuration) == text);
  CHECK(loaded->configuration.personas.default_persona == changed.personas.default_persona);
}

TEST_CASE("every key of the schema reads what it writes") {
  const Configuration defaults;
  for (const auto& setting : personad::schema()) {
    Configuration copy;
    const auto value = personad::written_setting(setting, defaults);
    CAPTURE(setting.key);
    CHECK_FALSE(personad::read_setting(setting, value, copy));
    CHECK(personad::written_setting(setting, copy) == value);
    CHECK_FALSE(setting.doc.empty());
    CHECK(personad::read_setting(setting, nlohmann::json(nullptr), copy));
  }
}

TEST_CASE("a reload takes over what can change while running and names what needs a restart") {
  Configuration running;
  Configuration fresh;
  fresh.bus_admin = true;
  fresh.personas.persona_skills = {"other.skill"};
  fresh.record.max_turn_bytes = 2048;
  fresh.bus.url = "ws://127.0.0.1:1/core";
  fresh.store.full_durability = true;
  CHECK(personad::apply_reload(running, fresh) == std::vector<std::string>{"bus.url", "store.durability"});
  CHECK(running.bus_admin);
  CHECK(running.personas.persona_skills == std::vector<std::string>{"other.skill"});
  CHECK(running.record.max_turn_bytes == 2048);
  CHECK(running.bus.url.empty());
  CHECK_FALSE(running.store.full_durability);
}

TEST_CASE("the shipped configuration holds every key with its default") {
  const auto text = read_text(kSource / "etc" / "personad.conf");
  CHECK(has(text, personad::describe(Configuration{})));
  const Folder folder;
  const auto loaded = folder.load_text(text);
  REQUIRE(loaded.has_value());
  CHECK(loaded->bus_url_from == "default");
}

TEST_CASE("the documentation lists the keys as the schema does") {
  CHECK(has(read_text(kSource / "docs" / "configuration.md"), personad::schema_reference()));
}

TEST_CASE("a model of meanings is a folder or an endpoint with the model's name, and sections nest") {
  Folder folder;
  fs::create_directories(folder.places.home / "potion");
  auto loaded = folder.load_text(R"({"recall": {"recency": true, "embeddings": {"model": "~/potion"}}})");
  REQUIRE(loaded.has_value());
  CHECK(loaded->configuration.recall.recency);
  CHECK(loaded->configuration.recall.embeddings.model == folder.places.home / "potion");
  CHECK(loaded->configuration.recall.embeddings.timeout == std::chrono::seconds(1));
  loaded = folder.load_text(R"({"recall": {"embeddings": {"api_url": "http://127.0.0.1:8/v1", "name": "e5",
      "query_prefix": "query: ", "timeout": 3}}})");
  REQUIRE(loaded.has_value());
  CHECK(loaded->configuration.recall.embeddings.query_prefix == "query: ");
  // What is printed is read again.
  const auto again = folder.load_text(personad::describe(loaded->configuration));
  REQUIRE(again.has_value());
  CHECK(again->configuration.recall.embeddings.name == "e5");
  CHECK(personad::describe(again->configuration) == personad::describe(loaded->configuration));
}

TEST_CASE("a model of meanings that is two, has no name or no folder, or speaks no HTTP is a problem") {
  CHECK(has(only_problem(R"({"recall": {"embeddings": {"model": "/", "api_url": "http://h/v1", "name": "n"}}})"),
            "recall.embeddings: found both model and api_url, expected one"));
  CHECK(has(only_problem(R"({"recall": {"embeddings": {"api_url": "http://h/v1"}}})"),
            "recall.embeddings.name: found none, expected that of the endpoint's model"));
  CHECK(has(only_problem(R"({"recall": {"embeddings": {"model": "/does/not/exist"}}})"),
            "recall.embeddings.model: found no folder /does/not/exist"));
  CHECK(has(only_problem(R"({"recall": {"embeddings": {"api_url": "ftp://h", "name": "n"}}})"),
            "recall.embeddings.api_url: found the text \"ftp://h\", expected http://HOST:PORT/v1"));
  CHECK(has(only_problem(R"({"recall": {"embeddings": {"modle": "/"}}})"), "recall.embeddings.model perhaps"));
  CHECK(has(only_problem(R"({"recall": {"embeddings": 5}})"), "recall.embeddings: found the number 5"));
}
