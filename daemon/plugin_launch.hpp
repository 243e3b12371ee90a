#pragma once
#include <sys/types.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/system/result.hpp>
#include <filesystem>
#include <string>

namespace personad {

/// A program that was just started: our ends of its standard streams.
///
/// It leads a process group of its own, has no other descriptor of ours, works in `/`, has no signal blocked or
/// ignored, knows nothing of our service manager, and is killed when the thread that started it ends.
struct LaunchedPlugin {
  using Descriptor = boost::asio::posix::stream_descriptor;
  pid_t pid;
  Descriptor input;   ///< to write to
  Descriptor output;  ///< to read from
  Descriptor errors;  ///< to read from
  Descriptor exit;    ///< readable once it has ended; whoever has this reaps it
};

/// Errors: in words; nothing is left running then.
[[nodiscard]] boost::system::result<LaunchedPlugin, std::string> launch_plugin(boost::asio::io_context& io,
                                                                               const std::filesystem::path& program);

}  // namespace personad
