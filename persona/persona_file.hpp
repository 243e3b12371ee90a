#pragma once
#include <boost/system/result.hpp>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "persona/memory/memory.hpp"

namespace persona {

/// One persona, as its file says.
struct Persona {
  std::string id;                        ///< `name` in the file, else the file's stem
  std::filesystem::path file;            ///< empty: built in, or heard of on the bus only
  std::string memory_module;             ///< empty: none
  std::shared_ptr<const Memory> memory;  ///< null: it remembers nothing, and nothing is recorded for it
  std::string warning;                   ///< what an operator should know; empty: nothing
  std::string text;                      ///< the file, as it was when this was made of it
};

/// A persona file that is in order, before its memory is made (which may start a program).
struct PersonaDraft {
  std::string id;
  std::filesystem::path file;
  std::string text;
  nlohmann::json config;  ///< the file's object, with `name`
};

/// Reads one persona file as OVOS writes it (JSON; unknown keys are kept out of the way, not refused).
///
/// Errors: in words, with file and place: not readable, not JSON (line and column), not an object, a `name` that is no
/// string or empty, longer than 64 bytes or not UTF-8, a file over 1 MiB.
[[nodiscard]] boost::system::result<PersonaDraft, std::string> read_persona_file(const std::filesystem::path& file);
[[nodiscard]] boost::system::result<PersonaDraft, std::string> parse_persona(std::string text,
                                                                             const std::filesystem::path& file);
/// The persona of a draft, with its memory; what is odd about that is a warning.
[[nodiscard]] Persona make_persona(PersonaDraft draft, ForeignMemories* foreign = nullptr);

}  // namespace persona
