#pragma once
#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>

#include "daemon/ctl/connection.hpp"

namespace personad::ctl {

/// What the command line asks for.
struct Wishes {
  std::string command;  ///< "status", "sessions", ...
  bool json = false;    ///< print results as JSON
  std::string session;
  std::string owner;
  std::string persona;
  std::string utterance;
  std::string query;
  std::string scope;
  std::string mode;
  std::string since;
  std::string until;
  std::string lang;
  std::optional<std::int64_t> top_k;
  std::string fact;
  std::optional<std::int64_t> max_tokens;
  bool explain = false;
  std::string active_since;
  std::string before;
  std::optional<std::int64_t> limit;
  bool all = false;
  bool exact = false;
  std::string file;         ///< of records
  std::string on_conflict;  ///< "skip", "replace"; empty: what personad does by itself
};

/// Runs one command over `connection`, prints its result to `out`, and what went wrong to `err`.
[[nodiscard]] Exit run_command(const Wishes& wishes, Connection& connection, std::ostream& out, std::ostream& err);

/// Prints a failure the way every command does.
void print_failure(const Failure& failure, std::ostream& err);

}  // namespace personad::ctl
