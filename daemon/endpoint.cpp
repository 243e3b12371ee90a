#include "daemon/endpoint.hpp"

#include <utility>

#include "daemon/configuration_schema.hpp"

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
  auto where = parse_host_and_port(bus.embedded);
  if (!where) return {boost::system::in_place_error, "bus.embedded is no HOST:PORT: " + bus.embedded};
  bus::BrokerSettings settings;
  settings.host = std::move(where->host);
  settings.port = where->port;
  settings.max_frame_bytes = bus.max_frame_bytes;
  settings.max_queue_bytes = bus.max_queue_bytes;
  settings.max_connections = bus.max_connections;
  settings.allowed_origins = bus.allowed_origins;
  settings.idle_timeout = bus.idle_timeout;
  return settings;
}

}  // namespace personad
