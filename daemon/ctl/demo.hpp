#pragma once
#include <iosfwd>

#include "daemon/ctl/bus_connection.hpp"

namespace personad::ctl {

/// Plays a short conversation in two sessions at once on the bus, as a voice assistant would say it, asks personad for
/// the context of the next question in each, prints both, and checks them.
///
/// Errors: `Exit::error_answer` when a context is not what was said in its session.
[[nodiscard]] Exit play_demo(BusConnection& connection, std::ostream& out, std::ostream& err);

}  // namespace personad::ctl
