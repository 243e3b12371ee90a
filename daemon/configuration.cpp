#include "daemon/configuration.hpp"

#include <nlohmann/json.hpp>

#include "bus/client.hpp"
#include "bus/identity.hpp"
#include "daemon/configuration_schema.hpp"
#include "daemon/http_url.hpp"

namespace personad {
namespace {

using nlohmann::json;
using Text = const std::string&;

constexpr std::uint64_t kKiB = 1024;
constexpr std::uint64_t kMiB = 1024 * kKiB;
constexpr std::uint64_t kGiB = 1024 * kMiB;
constexpr std::size_t kMostPatternBytes = 1000;
constexpr std::size_t kMostIdBytes = 64;

std::optional<std::string> check_url(Text text) {
  if (text.empty()) return std::nullopt;
  const auto url = bus::Url::parse(text);
  if (url.has_value()) return std::nullopt;
  return "ws://HOST:PORT/ROUTE or wss://HOST:PORT/ROUTE (" + url.error() + ")";
}

std::optional<std::string> check_endpoint(Text text) {
  if (text.empty()) return std::nullopt;
  const auto url = HttpUrl::parse(text);
  if (url.has_value()) return std::nullopt;
  return "http://HOST:PORT/v1 or https://HOST:PORT/v1 (" + url.error() + ")";
}

std::optional<std::string> check_address(Text text) {
  if (text.empty() || parse_host_and_port(text)) return std::nullopt;
  return "HOST:PORT, such as 127.0.0.1:8181 or [::1]:8181";
}

/// Compiled by those who use it, so that it cannot be right here and wrong there.
std::optional<std::string> check_compiles(const bus::IdentitySettings& settings) {
  try {
    const bus::IdentityRules rules(settings);
  } catch (const std::regex_error& error) {
    return std::string("a regular expression in ECMAScript form (") + error.what() + ")";
  }
  return std::nullopt;
}

std::optional<std::string> check_length(Text pattern) {
  if (pattern.size() <= kMostPatternBytes) return std::nullopt;
  return "a pattern of at most " + std::to_string(kMostPatternBytes) + " bytes";
}

std::optional<std::string> check_pattern(Text text) {
  if (auto wrong = check_length(text)) return wrong;
  bus::IdentitySettings settings;
  settings.remote_sources = {text};
  return check_compiles(settings);
}

/// How many groups of a valid pattern capture.
std::size_t capturing_groups(std::string_view pattern) {
  std::size_t groups = 0;
  bool in_class = false;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const char c = pattern[i];
    if (c == '\\') {
      ++i;
    } else if (in_class) {
      in_class = c != ']';
    } else if (c == '[') {
      in_class = true;
    } else if (c == '(' && pattern.substr(i + 1, 1) != "?") {
      ++groups;
    }
  }
  return groups;
}

std::optional<std::string> check_peer_pattern(Text text) {
  if (text.empty()) return std::nullopt;
  if (auto wrong = check_length(text)) return wrong;
  bus::IdentitySettings settings;
  settings.peer_pattern = text;
  if (auto wrong = check_compiles(settings)) return wrong;
  if (capturing_groups(text) >= 3) return std::nullopt;
  return "a pattern with at least three groups: user agent, client id, client name";
}

std::optional<std::string> check_id(Text text) {
  if (text.size() <= kMostIdBytes) return std::nullopt;
  return "a name of at most " + std::to_string(kMostIdBytes) + " bytes";
}

std::optional<std::string> check_listed_id(Text text) {
  if (text.empty()) return "a skill id";
  return check_id(text);
}

std::optional<std::string> check_hub_name(Text text) {
  const bool right = !text.empty() && text.find(':') == std::string::npos && !check_id(text);
  if (right) return std::nullopt;
  return "a name of 1 to " + std::to_string(kMostIdBytes) + " bytes without a colon";
}

std::optional<std::string> check_origin(Text text) {
  const auto scheme = text.find("://");
  const bool right = scheme != std::string::npos && scheme > 0 && text.size() > scheme + 3 &&
                     text.find('/', scheme + 3) == std::string::npos && text.find(' ') == std::string::npos;
  if (right) return std::nullopt;
  return "an origin as a browser sends it, such as https://assistant.local:8443";
}

template <auto Section, auto Member>
auto& in(Configuration& configuration) {
  return (configuration.*Section).*Member;
}
template <auto Member>
auto& top(Configuration& configuration) {
  return configuration.*Member;
}

using C = Configuration;
template <auto Member>
constexpr auto kBus = &in<&C::bus, Member>;
template <auto Member>
constexpr auto kStore = &in<&C::store, Member>;
template <auto Member>
constexpr auto kRecord = &in<&C::record, Member>;
template <auto Member>
constexpr auto kPersonas = &in<&C::personas, Member>;
template <auto Member>
constexpr auto kHivemind = &in<&C::hivemind, Member>;
template <auto Member>
constexpr auto kContexts = &in<&C::contexts, Member>;
template <auto Member>
constexpr auto kModels = &in<&C::models, Member>;
template <auto Member>
constexpr auto kRecall = &in<&C::recall, Member>;
template <auto Member>
auto& of_embeddings(Configuration& configuration) {
  return configuration.recall.embeddings.*Member;
}
using E = Configuration::Recall::Embeddings;
template <auto Member>
constexpr auto kLimits = &in<&C::limits, Member>;

// The table. Sizes are in bytes.
std::vector<Setting> make_schema() {
  return {
      {.key = "bus.url",
       .field = kBus<&C::Bus::url>,
       .doc = "The message bus to connect to. Empty: the websocket section of mycroft.conf, else "
              "ws://127.0.0.1:8181/core.",
       .check = check_url},
      {.key = "bus.embedded",
       .field = kBus<&C::Bus::embedded>,
       .doc = "HOST:PORT to serve a message bus of our own instead of connecting to one. Empty: connect. A bus has no "
              "authentication: anything but a loopback address opens it to the network.",
       .check = check_address},
      {.key = "bus.max_frame_bytes",
       .field = kBus<&C::Bus::max_frame_bytes>,
       .doc = "A larger frame ends its connection.",
       .least = 64 * kKiB,
       .most = kGiB},
      {.key = "bus.outbox_bytes",
       .field = kBus<&C::Bus::outbox_bytes>,
       .doc = "Frames that wait for the connection; when full the oldest are dropped and counted.",
       .least = 64 * kKiB,
       .most = 4 * kGiB},
      {.key = "bus.idle_timeout",
       .field = kBus<&C::Bus::idle_timeout>,
       .doc = "A ping goes out after half of this without a frame; silence for all of it ends the connection.",
       .least = 2,
       .most = 3600},
      {.key = "bus.tls_verify",
       .field = kBus<&C::Bus::tls_verify>,
       .doc = "Check the server's certificate and name when the URL is wss://."},
      {.key = "bus.tls_ca_file",
       .field = kBus<&C::Bus::tls_ca_file>,
       .doc = "Certificates (PEM) to trust for wss://. Empty: the system's."},
      {.key = "bus.max_queue_bytes",
       .field = kBus<&C::Bus::max_queue_bytes>,
       .doc = "Embedded bus: frames that wait for one reader; a slower one is disconnected.",
       .least = 64 * kKiB,
       .most = 4 * kGiB},
      {.key = "bus.max_connections",
       .field = kBus<&C::Bus::max_connections>,
       .doc = "Embedded bus: more are refused.",
       .least = 1,
       .most = 65536},
      {.key = "bus.allowed_origins",
       .field = kBus<&C::Bus::allowed_origins>,
       .doc = "Embedded bus: web origins whose pages may connect. Empty: no web page may.",
       .check = check_origin},
      {.key = "bus.clustered",
       .field = kBus<&C::Bus::clustered>,
       .doc = "Another personad on this bus is meant to be there; otherwise hearing its answers stops ours.",
       .takes = Setting::Takes::on_reload},
      {.key = "store.durability",
       .field = Setting::Choice{kStore<&C::Store::full_durability>},
       .doc = "What an answered write survives: \"normal\" a crash of the program, \"full\" a power failure as well "
              "(one fsync for each group of writes).",
       .allowed = {"normal", "full"}},
      {.key = "store.max_waiting_rows",
       .field = kStore<&C::Store::max_waiting_rows>,
       .doc = "Rows that wait to be written; beyond that writing requests are answered busy.",
       .least = 100,
       .most = 10000000},
      {.key = "store.max_waiting_bytes",
       .field = kStore<&C::Store::max_waiting_bytes>,
       .doc = "The same bound in bytes.",
       .least = kMiB,
       .most = 16 * kGiB},
      {.key = "store.cache_bytes",
       .field = kStore<&C::Store::cache_bytes>,
       .doc = "Page cache of the database.",
       .least = 64 * kKiB,
       .most = 4 * kGiB},
      {.key = "record.prompt_answers",
       .field = kRecord<&C::Record::prompt_answers>,
       .doc = "Also record what a user answers to a skill's own question; it may be a PIN.",
       .takes = Setting::Takes::on_reload},
      {.key = "record.max_turn_bytes",
       .field = kRecord<&C::Record::max_turn_bytes>,
       .doc = "A longer turn heard on the bus is not recorded; in a request it is refused.",
       .least = kKiB,
       .most = 16 * kMiB,
       .takes = Setting::Takes::on_reload},
      {.key = "default_persona",
       .field = kPersonas<&C::Personas::default_persona>,
       .doc = "Whose memory a conversation without an active persona uses. Empty: that of mycroft.conf, else the only "
              "persona file, else the built-in one.",
       .check = check_id,
       .takes = Setting::Takes::on_reload},
      {.key = "persona_skills",
       .field = kPersonas<&C::Personas::persona_skills>,
       .doc = "Skills that speak for a persona: their waiting for the user is conversation, not a prompt.",
       .check = check_listed_id,
       .takes = Setting::Takes::on_reload},
      {.key = "hivemind.hub_name",
       .field = kHivemind<&C::Hivemind::hub_name>,
       .doc = "Name of the hub in the owner of a satellite's memory, hivemind:<hub>:<client id>:<client name>.",
       .check = check_hub_name},
      {.key = "hivemind.peer_pattern",
       .field = kHivemind<&C::Hivemind::peer_pattern>,
       .doc = "Regular expression of context.peer; groups: user agent, client id, client name, declared session. "
              "Empty: the form of hivemind-core.",
       .check = check_peer_pattern},
      {.key = "hivemind.remote_sources",
       .field = kHivemind<&C::Hivemind::remote_sources>,
       .doc = "Regular expressions of context.source that mark a message as coming from outside this host.",
       .check = check_pattern},
      {.key = "hivemind.expose_system_prompt",
       .field = kHivemind<&C::Hivemind::expose_system_prompt>,
       .doc = "Satellites see the system prompt in the contexts they ask for.",
       .takes = Setting::Takes::on_reload},
      {.key = "contexts.tokens",
       .field = Setting::Choice{kContexts<&C::Contexts::bytes_as_tokens>},
       .doc = "How the tokens of a context are counted: \"estimate\" by kinds of characters, on the safe side for the "
              "usual byte-pair encodings; \"bytes\" one for each byte, which no such encoding exceeds.",
       .allowed = {"estimate", "bytes"},
       .takes = Setting::Takes::on_reload},
      {.key = "models.ca_file",
       .field = kModels<&C::Models::ca_file>,
       .doc = "Certificates (PEM) to trust for model endpoints with https://. Empty: the system's."},
      {.key = "recall.speaker",
       .field = kRecall<&C::Recall::speaker>,
       .doc = "Recall: the name of who said something counts as a word of it, and a turn of the one whom the question "
              "names counts more.",
       .takes = Setting::Takes::on_reload},
      {.key = "recall.question",
       .field = kRecall<&C::Recall::question>,
       .doc = "Recall: a turn that asks something counts less, and the one after it more: what is looked for is the "
              "answer.",
       .takes = Setting::Takes::on_reload},
      {.key = "recall.dates",
       .field = kRecall<&C::Recall::dates>,
       .doc = "Recall: the day, month and year in which something was said count as words of it, and a question for a "
              "time or a number prefers turns that say one.",
       .takes = Setting::Takes::on_reload},
      {.key = "recall.captions",
       .field = kRecall<&C::Recall::captions>,
       .doc = "Recall: the description of a picture that a turn shows counts as words of it.",
       .takes = Setting::Takes::on_reload},
      {.key = "recall.recency",
       .field = kRecall<&C::Recall::recency>,
       .doc = "Recall: newer turns count more; one that is a month old gains half of what one of today does.",
       .takes = Setting::Takes::on_reload},
      {.key = "recall.embeddings.model",
       .field = &of_embeddings<&E::model>,
       .doc = "Folder of a static embedding model (model2vec, potion): what was said is found by its meaning too. "
              "Empty: no such model. Another one: everything is embedded anew, behind."},
      {.key = "recall.embeddings.api_url",
       .field = &of_embeddings<&E::api_url>,
       .doc = "Instead of a folder: an endpoint with /embeddings, such as http://127.0.0.1:8000/v1. What is said and "
              "what is asked goes there. Empty: none.",
       .check = check_endpoint},
      {.key = "recall.embeddings.name",
       .field = &of_embeddings<&E::name>,
       .doc = "The model's name at that endpoint. Another one: everything is embedded anew."},
      {.key = "recall.embeddings.key_file",
       .field = &of_embeddings<&E::key_file>,
       .doc = "File with the bearer key for that endpoint. Empty: none."},
      {.key = "recall.embeddings.query_prefix",
       .field = &of_embeddings<&E::query_prefix>,
       .doc = "Put before what is looked for when it goes to the endpoint, as some models want it (\"query: \")."},
      {.key = "recall.embeddings.passage_prefix",
       .field = &of_embeddings<&E::passage_prefix>,
       .doc = "Put before what was said when it goes to the endpoint (\"passage: \"). Another one: everything is "
              "embedded anew."},
      {.key = "recall.embeddings.timeout",
       .field = &of_embeddings<&E::timeout>,
       .doc = "How long a search or a context waits for the endpoint; then words have to do.",
       .least = 1,
       .most = 30},
      {.key = "limits.conversations",
       .field = kLimits<&C::Limits::conversations>,
       .doc = "Conversations kept in memory; the others are read from the store when somebody asks.",
       .least = 16,
       .most = 10000000},
      {.key = "limits.window_bytes",
       .field = kLimits<&C::Limits::window_bytes>,
       .doc = "Text of recent turns kept in memory, over all conversations.",
       .least = kMiB,
       .most = 64 * kGiB},
      {.key = "limits.waiting_requests",
       .field = kLimits<&C::Limits::waiting_requests>,
       .doc = "Requests that wait for the store; more are answered busy.",
       .least = 16,
       .most = 1000000},
      {.key = "bus_admin",
       .field = &top<&C::bus_admin>,
       .doc = "Answer administrative requests on the bus too, not only on the admin socket. Every client of the bus "
              "can then list all conversations.",
       .takes = Setting::Takes::on_reload},
      {.key = "log_level",
       .field = &top<&C::log_level>,
       .doc = "How much is logged.",
       .allowed = {"trace", "debug", "info", "warning", "error"},
       .takes = Setting::Takes::on_reload},
      {.key = "data_dir",
       .field = &top<&C::data_dir>,
       .doc = "Where the memory is kept. Empty: /var/lib/personad as root or a service, else "
              "$XDG_DATA_HOME/personad."},
      {.key = "personas_dir",
       .field = &top<&C::personas_dir>,
       .doc = "Where the persona files are. Empty: /etc/personad/personas as root or a service, else OVOS's own "
              "folder, $XDG_CONFIG_HOME/ovos_persona.",
       .takes = Setting::Takes::on_reload},
      {.key = "plugins_dir",
       .field = &top<&C::plugins_dir>,
       .doc = "Where the programs of memories that are not built in are, before /usr/local/lib/personad/plugins and "
              "/usr/lib/personad/plugins. Empty: plugins in the data folder."},
      {.key = "admin_socket",
       .field = &top<&C::admin_socket>,
       .doc = "The unix socket personactl talks to. Empty: /run/personad/admin.sock as root or a service, else "
              "$XDG_RUNTIME_DIR/personad/admin.sock."},
  };
}

}  // namespace

const std::vector<Setting>& schema() {
  static const std::vector<Setting> table = make_schema();
  return table;
}

const Setting* find_setting(std::string_view key) {
  for (const auto& setting : schema()) {
    if (setting.key == key) return &setting;
  }
  return nullptr;
}

std::vector<std::string> apply_reload(Configuration& running, const Configuration& fresh) {
  std::vector<std::string> later;
  for (const Setting& setting : schema()) {
    const json value = written_setting(setting, fresh);
    if (value == written_setting(setting, running)) continue;
    if (setting.takes == Setting::Takes::on_reload) {
      (void)read_setting(setting, value, running);  // what was read once reads again
    } else {
      later.emplace_back(setting.key);
    }
  }
  return later;
}

}  // namespace personad
