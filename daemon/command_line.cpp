#include "daemon/command_line.hpp"

#include <CLI/CLI.hpp>

namespace personad {
namespace {

constexpr int kWrongUse = 2;

constexpr const char* kDescription =
    "personad - a memory for voice assistants on an OpenVoiceOS message bus\n"
    "\n"
    "Hears on the bus what is said and what is answered, remembers it for each session and persona, and answers\n"
    "requests for the context of the next answer. Without options it connects to the bus of this host.\n";

constexpr const char* kFooter =
    "\nWithout --bus and --embedded-bus the bus is that of the configuration file, else the websocket section of\n"
    "OVOS's mycroft.conf (/etc/mycroft, then ~/.config/mycroft), else ws://127.0.0.1:8181/core.\n"
    "\n"
    "Where things are when nobody says otherwise\n"
    "                  as root or a service           as a user\n"
    "  configuration   /etc/personad/personad.conf    ~/.config/personad/personad.conf\n"
    "  memory          /var/lib/personad              ~/.local/share/personad\n"
    "  personas        /etc/personad/personas         ~/.config/ovos_persona\n"
    "  admin socket    /run/personad/admin.sock       $XDG_RUNTIME_DIR/personad/admin.sock\n"
    "\n"
    "Examples\n"
    "  personad                                       the memory of the OVOS on this host\n"
    "  personad --bus ws://10.0.0.5:8181/core         of another one\n"
    "  personad --embedded-bus                        with a message bus of its own, ws://127.0.0.1:8181/core\n"
    "  personad --check-config --config my.conf       what would be in effect, and what is wrong with it\n"
    "\n"
    "Signals: SIGTERM and SIGINT write everything and stop, SIGHUP reads the configuration and the personas again.\n"
    "Ask a running personad with personactl (personactl --help).\n";

struct Options {
  CommandLine line;
  std::string config, data_dir, personas, plugins, admin_socket, embedded;
  CLI::Option* embedded_option = nullptr;
};

void add_options(CLI::App& app, Options& into) {
  app.add_option("--config", into.config, "Read this configuration file (it has to exist)")->type_name("FILE");
  app.add_option("--bus", into.line.bus_url, "Connect to this message bus (ws:// or wss://)")->type_name("URL");
  into.embedded_option =
      app.add_option("--embedded-bus", into.embedded, "Serve a message bus instead (default 127.0.0.1:8181)")
          ->type_name("[HOST:PORT]")
          ->expected(0, 1);
  app.add_option("--data-dir", into.data_dir, "Keep the memory in this folder")->type_name("DIR");
  app.add_option("--personas", into.personas, "Read the persona files of this folder")->type_name("DIR");
  app.add_option("--plugins", into.plugins, "Look for memory programs in this folder first")->type_name("DIR");
  app.add_option("--admin-socket", into.admin_socket, "Listen for personactl at this path")->type_name("PATH");
  app.add_option("--log-level", into.line.log_level, "trace, debug, info, warning or error (default info)")
      ->type_name("L");
  app.add_flag("--check-config", into.line.check_config,
               "Check the configuration, print the one in effect with a comment for each key, and exit");
  app.set_version_flag("--version", "personad " PERSONAD_VERSION, "Print the version and exit");
  app.set_help_flag("-h,--help", "Print this help and exit");
}

CommandLine finished(Options& options) {
  auto& line = options.line;
  line.config = options.config;
  line.data_dir = options.data_dir;
  line.personas_dir = options.personas;
  line.plugins_dir = options.plugins;
  line.admin_socket = options.admin_socket;
  if (options.embedded_option->count() > 0) line.embedded_bus = options.embedded;
  return std::move(line);
}

// A value that is there but empty comes from a script whose variable was not set; taking the default would hide that.
std::optional<std::string> empty_value(const CLI::App& app) {
  for (const auto* option : app.get_options()) {
    const bool takes_value = option->get_expected_min() > 0 && option->get_items_expected_max() > 0;
    if (!takes_value || option->count() == 0) continue;
    const auto& values = option->results();
    if (std::find(values.begin(), values.end(), "") != values.end()) return option->get_name();
  }
  return std::nullopt;
}

ParsedCommandLine wrong_use(const std::string& what) {
  return {.command_line = std::nullopt,
          .exit_code = kWrongUse,
          .output = "personad: " + what + "\npersonad --help says what there is.\n",
          .to_stderr = true};
}

}  // namespace

ParsedCommandLine parse_command_line(int argc, const char* const* argv) {
  CLI::App app(kDescription, "personad");
  app.footer(kFooter);
  app.get_formatter()->column_width(34);
  Options options;
  add_options(app, options);
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    return {.command_line = std::nullopt, .exit_code = 0, .output = app.help(), .to_stderr = false};
  } catch (const CLI::CallForVersion& version) {
    return {.command_line = std::nullopt, .exit_code = 0, .output = std::string(version.what()) + '\n'};
  } catch (const CLI::ParseError& error) {
    return wrong_use(error.what());
  }
  if (const auto name = empty_value(app)) return wrong_use(*name + " was given an empty value");
  if (!options.line.bus_url.empty() && options.embedded_option->count() > 0) {
    return wrong_use("--bus connects to a bus and --embedded-bus serves one: give one of them");
  }
  ParsedCommandLine parsed;
  parsed.command_line = finished(options);
  return parsed;
}

}  // namespace personad
