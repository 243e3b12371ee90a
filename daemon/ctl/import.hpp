#pragma once
#include <iosfwd>

#include "daemon/ctl/commands.hpp"

namespace personad::ctl {

/// Gives records, one JSON object a line, to personad in batches, says how far it is to `err` and what became of them
/// to `out`.
///
/// Errors: the first line that is refused ends it, named; what was given before it is stored, and giving all of it
/// again is no harm.
[[nodiscard]] Exit import_records(std::istream& in, const Wishes& wishes, Connection& connection, std::ostream& out,
                                  std::ostream& err);
/// The same from the file that the command line names; "-" is the standard input.
[[nodiscard]] Exit import_file(const Wishes& wishes, Connection& connection, std::ostream& out, std::ostream& err);

}  // namespace personad::ctl
