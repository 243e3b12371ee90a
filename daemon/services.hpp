#pragma once
#include <functional>
#include <nlohmann/json_fwd.hpp>

#include "daemon/access.hpp"
#include "daemon/configuration.hpp"
#include "persona/conversations.hpp"

namespace personad {

/// What the request handlers work with. Each outlives every request.
struct Services {
  persona::Conversations& conversations;
  persona::Archive& archive;
  const persona::Personas& personas;
  const Access& access;
  const Configuration& configuration;
  /// What the daemon itself knows for `status`; completes with the store's part.
  std::function<nlohmann::json()> describe;
  bool finds_meanings = false;  ///< there is a model of meanings
};

}  // namespace personad
