#include <boost/system/result.hpp>
#include <nlohmann/json.hpp>
#include <set>

#include "daemon/configuration.hpp"
#include "daemon/configuration_schema.hpp"
#include "persona/name_match.hpp"

// Reading the configuration: the file against the schema, then the layers over one another.
namespace personad {
namespace {

using nlohmann::json;
using Text = const std::string&;
namespace fs = std::filesystem;

std::string cut(std::string text, std::size_t most = 60) {
  if (text.size() <= most) return text;
  text.resize(most);
  return text + "...";
}

// Escapes everything but printable ASCII, so that a value never does anything to a terminal.
std::string shown(const json& value) {
  return value.dump(-1, ' ', true, json::error_handler_t::replace);
}

std::string found(const json& value) {
  switch (value.type()) {
    case json::value_t::string:
      return "the text " + cut(shown(value));
    case json::value_t::object:
      return "an object";
    case json::value_t::array:
      return "the list " + cut(shown(value));
    case json::value_t::number_integer:
    case json::value_t::number_unsigned:
    case json::value_t::number_float:
      return "the number " + cut(shown(value));
    default:
      return shown(value);
  }
}

// Puts one value of the right type into its member, or returns what was expected.
class Reader {
 public:
  Reader(const Setting& setting, const json& value, Configuration& into)
      : setting_(setting), value_(value), into_(into) {}

  using Wrong = std::optional<std::string>;

  Wrong operator()(Setting::Member<bool> member) const {
    if (!value_.is_boolean()) return expected();
    member(into_) = value_.get<bool>();
    return std::nullopt;
  }
  Wrong operator()(Setting::Choice choice) const {
    if (auto wrong = text_wrong(value_)) return wrong;
    choice.member(into_) = value_.get_ref<Text>() == setting_.allowed.back();
    return std::nullopt;
  }
  Wrong operator()(Setting::Member<std::size_t> member) const {
    const auto number = whole_number();
    if (!number) return expected();
    member(into_) = *number;
    return std::nullopt;
  }
  Wrong operator()(Setting::Member<std::chrono::seconds> member) const {
    const auto number = whole_number();
    if (!number) return expected();
    member(into_) = std::chrono::seconds(*number);
    return std::nullopt;
  }
  Wrong operator()(Setting::Member<std::string> member) const {
    if (auto wrong = text_wrong(value_)) return wrong;
    member(into_) = value_.get<std::string>();
    return std::nullopt;
  }
  Wrong operator()(Setting::Member<std::filesystem::path> member) const {
    if (auto wrong = text_wrong(value_)) return wrong;
    member(into_) = value_.get<std::string>();
    return std::nullopt;
  }
  Wrong operator()(Setting::Member<std::vector<std::string>> member) const {
    if (!value_.is_array()) return expected();
    std::vector<std::string> texts;
    for (const auto& element : value_) {
      if (!element.is_string()) return expected() + " (wrong: " + cut(shown(element)) + ")";
      if (auto wrong = text_wrong(element)) return *wrong + " for each element (wrong: " + cut(shown(element)) + ")";
      texts.push_back(element.get<std::string>());
    }
    member(into_) = std::move(texts);
    return std::nullopt;
  }

 private:
  std::string expected() const { return type_name(setting_).of; }

  std::optional<std::uint64_t> whole_number() const {
    if (!value_.is_number_integer()) return std::nullopt;
    if (!value_.is_number_unsigned() && value_.get<std::int64_t>() < 0) return std::nullopt;
    const auto number = value_.get<std::uint64_t>();
    if (number < setting_.least || number > setting_.most) return std::nullopt;
    return number;
  }

  Wrong text_wrong(const json& text) const {
    if (!text.is_string()) return expected();
    const auto& allowed = setting_.allowed;
    const auto& value = text.get_ref<Text>();
    if (!allowed.empty() && std::find(allowed.begin(), allowed.end(), value) == allowed.end()) return expected();
    if (value.find('\0') != std::string::npos) return "a text without NUL";
    return setting_.check ? setting_.check(value) : std::nullopt;
  }

  const Setting& setting_;
  const json& value_;
  Configuration& into_;
};

/// Walks the text once for what a tree cannot tell any more: keys given twice, and where the syntax breaks.
class TextCheck : public nlohmann::json_sax<json> {
 public:
  explicit TextCheck(std::string_view text) : text_(text) {}

  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool string(string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool start_array(std::size_t) override { return true; }
  bool end_array() override { return true; }

  bool start_object(std::size_t) override {
    open_.push_back({prefix_, {}});
    return true;
  }
  bool key(string_t& name) override {
    auto& object = open_.back();
    prefix_ = object.prefix.empty() ? name : object.prefix + '.' + name;
    if (!object.keys.insert(name).second) duplicates.push_back(prefix_);
    return true;
  }
  bool end_object() override {
    prefix_ = open_.back().prefix;
    open_.pop_back();
    return true;
  }
  bool parse_error(std::size_t position, const std::string&, const json::exception& error) override {
    const auto before = text_.substr(0, position == 0 ? 0 : position - 1);
    const auto line = 1 + std::count(before.begin(), before.end(), '\n');
    const auto newline = before.rfind('\n');
    const auto column = before.size() - (newline == std::string_view::npos ? 0 : newline + 1) + 1;
    const std::string what = error.what();
    const auto details = what.find(": ");
    syntax_error = std::to_string(line) + ":" + std::to_string(column) +
                   ": not JSON: " + (details == std::string::npos ? what : what.substr(details + 2));
    return false;
  }

  std::vector<std::string> duplicates;  ///< dotted
  std::string syntax_error;             ///< LINE:COLUMN: words

 private:
  struct Open {
    std::string prefix;
    std::set<std::string> keys;
  };
  std::string_view text_;
  std::string prefix_;
  std::vector<Open> open_;
};

bool is_section(std::string_view name) {
  const auto prefix = std::string(name) + '.';
  return std::any_of(schema().begin(), schema().end(), [&](const auto& s) { return s.key.starts_with(prefix); });
}

/// How well a wrong key fits a known one; the right word in the wrong section fits well too.
double likeness(std::string_view wrong, std::string_view known) {
  const auto last = [](std::string_view key) { return key.substr(key.rfind('.') + 1); };
  const double whole = persona::similarity(wrong, known);
  return std::max(whole, 0.9 * persona::similarity(last(wrong), last(known)));
}

std::string nearest_key(std::string_view wrong) {
  constexpr double kWorthSaying = 0.6;
  std::string best;
  double best_likeness = kWorthSaying;
  const auto consider = [&](std::string_view known) {
    if (const double now = likeness(wrong, known); now > best_likeness) {
      best = known;
      best_likeness = now;
    }
  };
  for (const auto& setting : schema()) {
    consider(setting.key);
    if (const auto dot = setting.key.find('.'); dot != std::string_view::npos) consider(setting.key.substr(0, dot));
  }
  return best;
}

/// A key of the file as an error shows it.
std::string shown_key(const std::string& key) {
  const auto text = shown(json(key));
  return text.size() == key.size() + 2 ? key : text;
}

class FileReader {
 public:
  FileReader(const fs::path& file, Configuration& into, std::vector<std::string>& problems)
      : file_(file), into_(into), problems_(problems) {}

  void read(const std::string& text) {
    TextCheck check(text);
    if (!json::sax_parse(text, &check, json::input_format_t::json, true, true)) {
      problems_.push_back(file_.string() + ":" + check.syntax_error);
      return;
    }
    for (const auto& key : check.duplicates) problem(key, "given twice, expected once");
    const auto root = json::parse(text, nullptr, false, true);
    if (!root.is_object()) {
      problems_.push_back(file_.string() + ": found " + found(root) + ", expected an object { ... }");
      return;
    }
    read_object(root, "");
    if (!into_.bus.url.empty() && !into_.bus.embedded.empty()) {
      problem("bus", "found both url and embedded, expected one: connect to a bus, or serve one");
    }
    const auto& embeddings = into_.recall.embeddings;
    if (!embeddings.model.empty() && !embeddings.api_url.empty()) {
      problem("recall.embeddings", "found both model and api_url, expected one: a folder, or an endpoint");
    }
    if (!embeddings.api_url.empty() && embeddings.name.empty()) {
      problem("recall.embeddings.name",
              "found none, expected that of the endpoint's model: vectors of two models "
              "must never be mixed");
    }
  }

 private:
  void read_object(const json& object, const std::string& prefix) {
    for (const auto& [name, value] : object.items()) {
      const auto key = prefix + name;
      const bool nested = name.find('.') == std::string::npos;
      if (const auto* setting = nested ? find_setting(key) : nullptr) {
        if (const auto wrong = read_setting(*setting, value, into_)) problem(key, *wrong);
      } else if (nested && is_section(key)) {
        read_section(value, key);
      } else {
        unknown(key);
      }
    }
  }

  void read_section(const json& value, const std::string& name) {
    if (value.is_object()) return read_object(value, name + '.');
    problem(name, "found " + found(value) + ", expected an object { ... } of the keys of this section");
  }

  void unknown(const std::string& key) {
    const auto* setting = find_setting(key);
    if (setting) {
      const auto dot = key.find('.');
      return problem(key, "not a key, expected nested objects: \"" + key.substr(0, dot) + "\": {\"" +
                              key.substr(dot + 1) + "\": ...}");
    }
    const auto nearest = nearest_key(key);
    problem(key, "found an unknown key, expected " +
                     (nearest.empty() ? std::string("one of those that personad --check-config prints")
                                      : nearest + " perhaps (personad --check-config prints them all)"));
  }

  void problem(const std::string& key, const std::string& what) {
    problems_.push_back(file_.string() + ": " + shown_key(key) + ": " + what);
  }

  const fs::path& file_;
  Configuration& into_;
  std::vector<std::string>& problems_;
};

fs::path expanded(const fs::path& path, const fs::path& home) {
  const auto text = path.string();
  if (text.empty()) return {};
  const bool tilde = !home.empty() && (text == "~" || text.starts_with("~/"));
  const fs::path whole = tilde ? home / text.substr(std::min<std::size_t>(2, text.size())) : path;
  std::error_code error;
  const auto absolute = fs::absolute(whole, error);
  return error ? whole : absolute.lexically_normal();
}

/// The layers over one another: defaults, mycroft.conf, the file, the command line.
class Layers {
 public:
  Layers(const CommandLine& command_line, const Places& places) : line_(command_line), places_(places) {}

  boost::system::result<LoadedConfiguration, std::vector<std::string>> load() {
    file();
    command_line();
    mycroft();
    paths();
    advise();
    if (!problems_.empty()) return problems_;
    return loaded_;
  }

 private:
  Configuration& configuration() { return loaded_.configuration; }

  void file() {
    const bool named = !line_.config.empty();
    const auto path = expanded(named ? line_.config : places_.configuration, places_.home);
    std::error_code ignored;
    if (!named && (path.empty() || !fs::exists(path, ignored))) return;
    const auto text = read_small_file(path);
    if (!text.has_value()) {
      problems_.push_back(path.string() + ": cannot read this configuration file: " + text.error());
      return;
    }
    loaded_.file = path;
    FileReader(loaded_.file, configuration(), problems_).read(*text);
    if (!configuration().bus.url.empty() || !configuration().bus.embedded.empty()) {
      loaded_.bus_url_from = "configuration";
    }
  }

  void option(const char* option_name, const char* key, const std::string& value) {
    if (value.empty()) return;
    if (const auto wrong = read_setting(*find_setting(key), value, configuration())) {
      problems_.push_back(std::string("command line: ") + option_name + ": " + *wrong);
    }
  }

  void command_line() {
    if (line_.embedded_bus) {
      configuration().bus.url.clear();
      option("--embedded-bus", "bus.embedded", line_.embedded_bus->empty() ? kEmbeddedBus : *line_.embedded_bus);
      loaded_.bus_url_from = "command line";
    } else if (!line_.bus_url.empty()) {
      configuration().bus.embedded.clear();
      option("--bus", "bus.url", line_.bus_url);
      loaded_.bus_url_from = "command line";
    }
    option("--data-dir", "data_dir", line_.data_dir.string());
    option("--personas", "personas_dir", line_.personas_dir.string());
    option("--plugins", "plugins_dir", line_.plugins_dir.string());
    option("--admin-socket", "admin_socket", line_.admin_socket.string());
    option("--log-level", "log_level", line_.log_level);
  }

  void mycroft() {
    const auto conf = read_mycroft_conf(places_.mycroft_conf);
    loaded_.warnings = conf.warnings;
    loaded_.ovos_default_persona = conf.default_persona;
    if (!loaded_.bus_url_from.empty()) return;
    configuration().bus.url = conf.bus_url.empty() ? kBusUrl : conf.bus_url;
    loaded_.bus_url_from = conf.bus_url.empty() ? "default" : conf.url_from;
  }

  void path(fs::path& member, const fs::path& otherwise, const char* key, const char* option_name) {
    member = expanded(member.empty() ? otherwise : member, places_.home);
    if (member.empty()) {
      problems_.push_back(std::string(key) + ": found no home folder to put it in, expected " + option_name +
                          ", or HOME to be set");
    }
  }

  void paths() {
    auto& into = configuration();
    path(into.data_dir, places_.data, "data_dir", "--data-dir DIR");
    path(into.personas_dir, places_.personas, "personas_dir", "--personas DIR");
    path(into.plugins_dir, into.data_dir / "plugins", "plugins_dir", "--plugins DIR");
    path(into.admin_socket, places_.admin_socket, "admin_socket", "--admin-socket PATH");
    certificates(into.bus.tls_ca_file, "bus.tls_ca_file");
    certificates(into.models.ca_file, "models.ca_file");
    embeddings(into.recall.embeddings);
  }

  void embeddings(Configuration::Recall::Embeddings& into) {
    into.model = expanded(into.model, places_.home);
    into.key_file = expanded(into.key_file, places_.home);
    std::error_code ignored;
    if (into.model.empty() || fs::is_directory(into.model, ignored)) return;
    problems_.push_back(loaded_.file.string() + ": recall.embeddings.model: found no folder " + into.model.string() +
                        ", expected one with the files of a model");
  }

  void certificates(std::string& file, const char* key) {
    file = expanded(file, places_.home).string();
    std::error_code ignored;
    if (file.empty() || fs::is_regular_file(file, ignored)) return;
    problems_.push_back(loaded_.file.string() + ": " + key + ": found no file " + file +
                        ", expected one with certificates (PEM)");
  }

  void advise() {
    const auto& bus = configuration().bus;
    const auto address = parse_host_and_port(bus.embedded);
    if (address && !is_loopback(address->host)) {
      loaded_.warnings.push_back("bus.embedded " + bus.embedded +
                                 " is reachable from outside this host, and a message bus has no authentication: "
                                 "whoever connects reads and says everything");
    }
    if (!bus.tls_verify && bus.url.starts_with("wss://")) {
      loaded_.warnings.push_back("bus.tls_verify is off: the server at " + bus.url + " may be anybody");
    }
    if (configuration().bus_admin) {
      loaded_.warnings.push_back("bus_admin is on: every client of the bus may list all conversations");
    }
  }

  static constexpr const char* kBusUrl = "ws://127.0.0.1:8181/core";
  static constexpr const char* kEmbeddedBus = "127.0.0.1:8181";

  const CommandLine& line_;
  const Places& places_;
  LoadedConfiguration loaded_;
  std::vector<std::string> problems_;
};

}  // namespace

std::optional<std::string> read_setting(const Setting& setting, const json& value, Configuration& into) {
  const auto wrong = std::visit(Reader(setting, value, into), setting.field);
  if (!wrong) return std::nullopt;
  return "found " + found(value) + ", expected " + *wrong;
}

boost::system::result<LoadedConfiguration, std::vector<std::string>> load_configuration(const CommandLine& command_line,
                                                                                        const Places& places) {
  return Layers(command_line, places).load();
}

}  // namespace personad
