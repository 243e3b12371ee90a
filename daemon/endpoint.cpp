#include "daemon/endpoint.hpp"

#include <charconv>

namespace personad {

boost::system::result<bus::ClientSettings, std::string> client_settings(const Configuration::Bus& bus) {
  auto url = bus::Url::parse(bus.url);
  if (!url) return url.error();
  bus::ClientSettings settings;
  settings.url = std::move(*url);
  settings.max_frame_bytes = bus.max_frame_bytes;
  settings.outbox_bytes = bus.outbox_bytes;
  settings.idle_timeout = bus.idle_timeout;
  settings.tls_verify = bus.tls_verify;
  settings.tls_ca_file = bus.tls_ca_file;
  return settings;
}

boost::system::result<bus::BrokerSettings, std::string> broker_settings(const Configuration::Bus& bus) {
  const std::string_view where = bus.embedded;
  const auto colon = where.rfind(':');
  bus::BrokerSettings settings;
  settings.host = where.substr(0, colon);
  if (settings.host.starts_with('[') && settings.host.ends_with(']')) {
    settings.host = settings.host.substr(1, settings.host.size() - 2);
  }
  if (colon != std::string_view::npos) {
    const std::string_view port = where.substr(colon + 1);
    const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), settings.port);
    if (error != std::errc() || end != port.data() + port.size()) {
      return {boost::system::in_place_error, "bus.embedded: no port: " + bus.embedded};
    }
  }
  settings.max_frame_bytes = bus.max_frame_bytes;
  settings.max_queue_bytes = bus.max_queue_bytes;
  settings.max_connections = bus.max_connections;
  settings.allowed_origins = bus.allowed_origins;
  settings.idle_timeout = bus.idle_timeout;
  return settings;
}

std::vector<std::string> apply_reload(Configuration& running, const Configuration& fresh) {
  running.record = fresh.record;
  running.personas = fresh.personas;
  running.bus_admin = fresh.bus_admin;
  running.log_level = fresh.log_level;
  running.hivemind.expose_system_prompt = fresh.hivemind.expose_system_prompt;
  running.bus.clustered = fresh.bus.clustered;
  running.personas_dir = fresh.personas_dir;
  std::vector<std::string> later;
  const auto compare = [&later](const auto& now, const auto& then, const char* key) {
    if (!(now == then)) later.emplace_back(key);
  };
  compare(running.bus.url, fresh.bus.url, "bus.url");
  compare(running.bus.embedded, fresh.bus.embedded, "bus.embedded");
  compare(running.bus.max_frame_bytes, fresh.bus.max_frame_bytes, "bus.max_frame_bytes");
  compare(running.bus.outbox_bytes, fresh.bus.outbox_bytes, "bus.outbox_bytes");
  compare(running.bus.idle_timeout, fresh.bus.idle_timeout, "bus.idle_timeout");
  compare(running.bus.tls_verify, fresh.bus.tls_verify, "bus.tls_verify");
  compare(running.bus.tls_ca_file, fresh.bus.tls_ca_file, "bus.tls_ca_file");
  compare(running.bus.max_queue_bytes, fresh.bus.max_queue_bytes, "bus.max_queue_bytes");
  compare(running.bus.max_connections, fresh.bus.max_connections, "bus.max_connections");
  compare(running.bus.allowed_origins, fresh.bus.allowed_origins, "bus.allowed_origins");
  compare(running.store.full_durability, fresh.store.full_durability, "store.durability");
  compare(running.store.max_waiting_rows, fresh.store.max_waiting_rows, "store.max_waiting_rows");
  compare(running.store.max_waiting_bytes, fresh.store.max_waiting_bytes, "store.max_waiting_bytes");
  compare(running.store.cache_bytes, fresh.store.cache_bytes, "store.cache_bytes");
  compare(running.hivemind.hub_name, fresh.hivemind.hub_name, "hivemind.hub_name");
  compare(running.hivemind.peer_pattern, fresh.hivemind.peer_pattern, "hivemind.peer_pattern");
  compare(running.hivemind.remote_sources, fresh.hivemind.remote_sources, "hivemind.remote_sources");
  compare(running.limits.conversations, fresh.limits.conversations, "limits.conversations");
  compare(running.limits.window_bytes, fresh.limits.window_bytes, "limits.window_bytes");
  compare(running.limits.waiting_requests, fresh.limits.waiting_requests, "limits.waiting_requests");
  compare(running.data_dir, fresh.data_dir, "data_dir");
  compare(running.admin_socket, fresh.admin_socket, "admin_socket");
  return later;
}

}  // namespace personad
