#pragma once
#include <string_view>

#include "daemon/request.hpp"

namespace personad {

/// What the health topics of OVOS ask: is the process there, does it work, has it loaded everything.
struct Health {
  bool ready = false;       ///< the store works, and no other personad answers on this bus
  bool all_loaded = false;  ///< the personas were read
};

/// Answers `mycroft.personad.is_alive`, `.is_ready` and `.all_loaded` with flat `{status}`.
void answer_health(Request& request, const Health& health);

}  // namespace personad
