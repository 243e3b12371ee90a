#pragma once
#include <boost/system/result.hpp>
#include <string>

#include "bus/broker.hpp"
#include "bus/client.hpp"
#include "daemon/configuration.hpp"

// From the configuration to the settings of the bus room.
namespace personad {

/// Errors: in words; configuration was checked, so only what a check cannot see.
[[nodiscard]] boost::system::result<bus::ClientSettings, std::string> client_settings(const Configuration::Bus& bus);
[[nodiscard]] boost::system::result<bus::BrokerSettings, std::string> broker_settings(const Configuration::Bus& bus);

}  // namespace personad
