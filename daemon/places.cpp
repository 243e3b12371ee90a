#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <charconv>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "daemon/configuration.hpp"
#include "daemon/configuration_schema.hpp"

// What surrounds us: our own folders, and the configuration of the OVOS installation.
namespace personad {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

std::string value_of(const Places::Surroundings& surroundings, const char* name) {
  return surroundings.variable(name).value_or("");
}

/// The first folder of a variable of systemd, which may hold several separated by colons.
fs::path service_folder(const Places::Surroundings& surroundings, const char* name) {
  const auto value = value_of(surroundings, name);
  return value.substr(0, value.find(':'));
}

/// An XDG folder; a value that is not absolute is to be ignored (XDG Base Directory Specification).
fs::path xdg(const Places::Surroundings& surroundings, const char* name, const fs::path& home, const char* fallback) {
  const fs::path value = value_of(surroundings, name);
  if (value.is_absolute()) return value;
  return home.empty() ? fs::path{} : home / fallback;
}

fs::path under(const fs::path& folder, const char* name) {
  return folder.empty() ? fs::path{} : folder / name;
}

fs::path first_of(const fs::path& wanted, const fs::path& otherwise) {
  return wanted.empty() ? otherwise : wanted;
}

fs::path home_from_passwd() {
  const passwd* entry = getpwuid(geteuid());
  return entry && entry->pw_dir ? fs::path(entry->pw_dir) : fs::path{};
}

// OVOS allows lines that start with # beside the usual comments.
std::string without_hash_lines(const std::string& text) {
  std::istringstream in(text);
  std::string out;
  for (std::string line; std::getline(in, line); out += '\n') {
    const auto first = line.find_first_not_of(" \t");
    if (first == std::string::npos || line[first] != '#') out += line;
  }
  return out;
}

/// The values of `websocket` as far as they are known; each file overrides the ones before it.
struct Websocket {
  std::optional<std::string> host;
  std::optional<std::uint16_t> port;
  std::optional<std::string> route;
  std::optional<bool> ssl;
  std::optional<bool> root_ssl;  // the older spelling, at the root of the file

  [[nodiscard]] std::string url() const {
    auto where = host.value_or("127.0.0.1");
    // A server that listens everywhere is reached on this host.
    if (where == "0.0.0.0") where = "127.0.0.1";
    if (where == "::") where = "::1";
    if (where.find(':') != std::string::npos && where.front() != '[') where = '[' + where + ']';
    auto path = route.value_or("/core");
    if (path.empty() || path.front() != '/') path = '/' + path;
    const bool tls = ssl.value_or(root_ssl.value_or(false));
    return (tls ? "wss://" : "ws://") + where + ':' + std::to_string(port.value_or(8181)) + path;
  }
};

class MycroftReader {
 public:
  void read(const fs::path& file) {
    std::error_code ignored;
    if (file.empty() || !fs::exists(file, ignored)) return;
    const auto read = read_small_file(file);
    if (!read.has_value()) return warn(file, "not read: " + read.error());
    const auto root = json::parse(without_hash_lines(*read), nullptr, false, true);
    if (!root.is_object()) return warn(file, "not read: it is not a JSON object");
    read_persona(file, root);
    if (const auto it = root.find("ssl"); it != root.end()) read_flag(file, "ssl", *it, websocket_.root_ssl);
    if (const auto it = root.find("websocket"); it != root.end()) read_websocket(file, *it);
  }

  [[nodiscard]] MycroftConf result() && {
    if (conf_.url_from.empty()) return std::move(conf_);
    const auto url = websocket_.url();
    Configuration scratch;
    if (const auto wrong = read_setting(*find_setting("bus.url"), url, scratch)) {
      warn(conf_.url_from, "websocket: " + *wrong);
      conf_.url_from.clear();
    } else {
      conf_.bus_url = url;
    }
    return std::move(conf_);
  }

 private:
  void read_persona(const fs::path& file, const json& root) {
    const json* at = &root;
    for (const char* key : {"intents", "persona", "default_persona"}) {
      const auto it = at->find(key);
      if (it == at->end()) return;
      at = &*it;
      if (!at->is_object()) break;
    }
    if (at->is_null()) return;
    if (!at->is_string()) return warn(file, "intents.persona.default_persona: ignored, not a text");
    conf_.default_persona = at->get<std::string>();
  }

  void read_websocket(const fs::path& file, const json& section) {
    if (!section.is_object()) return warn(file, "websocket: ignored, not an object");
    conf_.url_from = file.string();
    for (const auto& [key, value] : section.items()) {
      if (key == "host") read_text(file, key, value, websocket_.host);
      if (key == "route") read_text(file, key, value, websocket_.route);
      if (key == "ssl") read_flag(file, key, value, websocket_.ssl);
      if (key == "port") read_port(file, value);
    }
  }

  void read_text(const fs::path& file, const std::string& key, const json& value, std::optional<std::string>& into) {
    const auto text = value.is_string() ? value.get<std::string>() : std::string{};
    const auto* unfit = key == "host" ? " /?#@" : " ";
    if (text.empty() || text.find_first_of(unfit) != std::string::npos) {
      return warn(file, "websocket." + key + ": ignored, not a " + key);
    }
    into = text;
  }

  void read_flag(const fs::path& file, const std::string& key, const json& value, std::optional<bool>& into) {
    if (!value.is_boolean()) return warn(file, key + ": ignored, neither true nor false");
    into = value.get<bool>();
  }

  void read_port(const fs::path& file, const json& value) {
    std::uint16_t port = 0;
    const auto text = value.is_string() ? value.get<std::string>() : value.dump();
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
    if (error != std::errc{} || end != text.data() + text.size() || port == 0) {
      return warn(file, "websocket.port: ignored, not a port number");
    }
    websocket_.port = port;
  }

  void warn(const fs::path& file, const std::string& what) { conf_.warnings.push_back(file.string() + ": " + what); }

  Websocket websocket_;
  MycroftConf conf_;
};

}  // namespace

Places Places::here() {
  const auto variable = [](const char* name) -> std::optional<std::string> {
    const char* value = std::getenv(name);
    return value ? std::optional<std::string>(value) : std::nullopt;
  };
  return of({.root = geteuid() == 0, .variable = variable, .passwd_home = home_from_passwd()});
}

Places Places::of(const Surroundings& surroundings) {
  Places places;
  const fs::path home = value_of(surroundings, "HOME");
  places.home = home.is_absolute() ? home : surroundings.passwd_home;
  if (places.home == "/") places.home.clear();  // what a service user without a home has
  const auto config_home = xdg(surroundings, "XDG_CONFIG_HOME", places.home, ".config");
  const auto data_home = xdg(surroundings, "XDG_DATA_HOME", places.home, ".local/share");
  const auto runtime_home = xdg(surroundings, "XDG_RUNTIME_DIR", {}, "");

  const auto own_data = surroundings.root ? fs::path("/var/lib/personad") : under(data_home, "personad");
  const auto own_config = surroundings.root ? fs::path("/etc/personad") : under(config_home, "personad");
  // Without a runtime folder the socket goes into the data folder: a place in /tmp could be taken by somebody else.
  const auto own_runtime =
      surroundings.root ? fs::path("/run/personad") : first_of(under(runtime_home, "personad"), own_data);

  const auto state_folder = service_folder(surroundings, "STATE_DIRECTORY");
  const auto config_folder = service_folder(surroundings, "CONFIGURATION_DIRECTORY");
  places.data = first_of(state_folder, own_data);
  places.configuration = under(first_of(config_folder, own_config), "personad.conf");
  places.admin_socket = under(first_of(service_folder(surroundings, "RUNTIME_DIRECTORY"), own_runtime), "admin.sock");

  const auto of_ovos = under(config_home, "ovos_persona");
  const auto of_service = under(first_of(config_folder, own_config), "personas");
  const bool service = surroundings.root || !config_folder.empty();
  std::error_code ignored;
  const bool take_own = service && (fs::is_directory(of_service, ignored) || of_ovos.empty());
  places.personas = take_own ? of_service : of_ovos;

  places.mycroft_conf.emplace_back("/etc/mycroft/mycroft.conf");
  if (!config_home.empty()) places.mycroft_conf.push_back(config_home / "mycroft" / "mycroft.conf");
  return places;
}

MycroftConf read_mycroft_conf(const std::vector<fs::path>& files) {
  MycroftReader reader;
  for (const auto& file : files) reader.read(file);
  return std::move(reader).result();
}

boost::system::result<std::string, std::string> read_small_file(const fs::path& file) {
  using Read = boost::system::result<std::string, std::string>;
  const auto failed = [](const char* why) { return Read(boost::system::in_place_error, why); };
  constexpr std::size_t kMostBytes = 1u << 20;
  struct stat about {};
  if (::stat(file.c_str(), &about) != 0) return failed(std::strerror(errno));
  if (!S_ISREG(about.st_mode)) return failed("not a regular file");
  if (static_cast<std::size_t>(about.st_size) > kMostBytes) return failed("larger than 1 MiB");
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  if (in && about.st_size > 0) text << in.rdbuf();
  if (!in) return failed(std::strerror(errno));
  return Read(boost::system::in_place_value, std::move(text).str());
}

}  // namespace personad
