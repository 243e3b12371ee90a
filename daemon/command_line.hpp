#pragma once
#include <optional>
#include <string>

#include "daemon/configuration.hpp"

namespace personad {

/// What came of the command line: the wishes in it, or a text to print and the code to leave with.
struct ParsedCommandLine {
  std::optional<CommandLine> command_line;  ///< empty: print `output`, then exit with `exit_code`
  int exit_code = 0;                        ///< 0 after --help and --version, 2 when the command line is wrong
  std::string output;
  bool to_stderr = false;
};

/// Reads the command line of `personad`. Never exits, prints nothing.
[[nodiscard]] ParsedCommandLine parse_command_line(int argc, const char* const* argv);

}  // namespace personad
