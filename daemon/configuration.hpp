#pragma once
#include <boost/system/result.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// The configuration: one struct, filled from one schema table (configuration.cpp), checked before anything runs.
namespace personad {

/// Every setting, with its default. The keys of the file are those of the table: `bus.url`, `store.durability`, ...
struct Configuration {
  struct Bus {
    std::string url;       ///< empty: mycroft.conf, else ws://127.0.0.1:8181/core
    std::string embedded;  ///< HOST:PORT to serve a bus of our own; empty: connect to one
    std::size_t max_frame_bytes = 25u << 20;
    std::size_t outbox_bytes = 16u << 20;
    std::chrono::seconds idle_timeout{30};
    bool tls_verify = true;
    std::string tls_ca_file;
    std::size_t max_queue_bytes = 16u << 20;   ///< embedded: for each reader
    std::size_t max_connections = 4096;        ///< embedded
    std::vector<std::string> allowed_origins;  ///< embedded
    bool clustered = false;                    ///< another personad on this bus is meant to be there
  } bus;
  struct Store {
    bool full_durability = false;  ///< `durability`: "normal" or "full"
    std::size_t max_waiting_rows = 100000;
    std::size_t max_waiting_bytes = 64u << 20;
    std::size_t cache_bytes = 2u << 20;
  } store;
  struct Record {
    bool prompt_answers = false;
    std::size_t max_turn_bytes = 256u << 10;
  } record;
  struct Personas {
    std::string default_persona;  ///< key `default_persona`
    std::vector<std::string> persona_skills{"persona.openvoiceos"};
  } personas;
  struct Hivemind {
    std::string hub_name = "hub";
    std::string peer_pattern;  ///< empty: the built-in one
    std::vector<std::string> remote_sources;
    bool expose_system_prompt = false;
  } hivemind;
  struct Contexts {
    bool bytes_as_tokens = false;  ///< `tokens`: "estimate" or "bytes"
  } contexts;
  struct Models {
    std::string ca_file;  ///< empty: the system's
  } models;
  struct Recall {  ///< what shapes the order of what is found, beside the words it shares with the question
    bool speaker = true;
    bool question = true;
    bool dates = true;
    bool captions = true;
    bool recency = false;
    struct Embeddings {             ///< the model of meanings: in a folder, or behind an endpoint; neither: none
      std::filesystem::path model;  ///< a folder
      std::string api_url;
      std::string name;  ///< as the endpoint knows it
      std::filesystem::path key_file;
      std::string query_prefix;
      std::string passage_prefix;
      std::chrono::seconds timeout{1};  ///< for the meaning of a question
    } embeddings;
  } recall;
  struct Limits {
    std::size_t conversations = 20000;     ///< kept in RAM; others are read from the store when needed
    std::size_t window_bytes = 64u << 20;  ///< of windows kept in RAM
    std::size_t waiting_requests = 4096;   ///< requests that wait for the store
  } limits;
  bool bus_admin = false;  ///< administrative requests are answered on the bus as well
  std::string log_level = "info";

  std::filesystem::path data_dir;  ///< from the command line, the file, or the defaults of `Places`
  std::filesystem::path personas_dir;
  std::filesystem::path plugins_dir;
  std::filesystem::path admin_socket;
};

/// Where things are when nobody says otherwise: /etc, /var/lib and /run as root or as a service, XDG folders else.
struct Places {
  std::filesystem::path configuration;  ///< .../personad.conf
  std::filesystem::path data;
  std::filesystem::path personas;  ///< as root /etc/personad/personas where it exists, else OVOS's own folder
  std::filesystem::path admin_socket;
  std::vector<std::filesystem::path> mycroft_conf;  ///< in reading order: system, then user
  std::filesystem::path home;                       ///< what a leading `~` in a path stands for; empty: nothing

  /// From the user id and the environment (HOME, XDG_*, STATE_DIRECTORY, RUNTIME_DIRECTORY, CONFIGURATION_DIRECTORY).
  [[nodiscard]] static Places here();

  /// The value of an environment variable; nothing when it is not set.
  using Variable = std::function<std::optional<std::string>(const char* name)>;
  struct Surroundings {
    bool root = false;
    Variable variable;
    std::filesystem::path passwd_home;  ///< the user's home folder where HOME is not set
  };
  [[nodiscard]] static Places of(const Surroundings& surroundings);
};

/// What the command line says; it wins over the file.
struct CommandLine {
  std::filesystem::path config;  ///< empty: `Places::configuration`, which may be missing; a named one may not
  std::string bus_url;
  std::optional<std::string> embedded_bus;  ///< present without a value: 127.0.0.1:8181
  std::filesystem::path data_dir;
  std::filesystem::path personas_dir;
  std::filesystem::path plugins_dir;
  std::filesystem::path admin_socket;
  std::string log_level;
  bool check_config = false;
};

/// A configuration and where it came from, or everything that is wrong with it.
struct LoadedConfiguration {
  Configuration configuration;
  std::filesystem::path file;        ///< empty: none was there
  std::string bus_url_from;          ///< "command line", "configuration", the path of a mycroft.conf, or "default"
  std::string ovos_default_persona;  ///< `intents.persona.default_persona` of mycroft.conf; empty: none
  std::vector<std::string> warnings;
};

/// Reads, merges (defaults < mycroft.conf < file < command line) and checks.
///
/// Errors: every problem in words, each naming file, key, what was found and what was expected (a type, a range, the
/// allowed values, for an unknown key the nearest known one).
[[nodiscard]] boost::system::result<LoadedConfiguration, std::vector<std::string>> load_configuration(
    const CommandLine& command_line, const Places& places);

/// Takes over what can change while the daemon runs; returns the keys that changed but need a restart.
[[nodiscard]] std::vector<std::string> apply_reload(Configuration& running, const Configuration& fresh);

/// The effective configuration as JSON with the comment of each key, in the form of a configuration file.
[[nodiscard]] std::string describe(const Configuration& configuration);

/// The reference of all keys (name, type, range, default, meaning), one line each, for --help and the documentation.
[[nodiscard]] std::string schema_reference();

}  // namespace personad
