#pragma once
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "persona/name_match.hpp"
#include "persona/persona_file.hpp"

namespace persona {

/// The personas of this daemon: those with a file, the built-in `default` where there is none, and the rule for those
/// that are only heard of.
///
/// Threading: io thread. A reload replaces what changed: a persona whose file says what it said goes on with the memory
/// that it has (and the program that this may be). Memories in use stay alive through their shared_ptr.
class Personas {
 public:
  /// Starts with the built-in `default` alone.
  Personas();

  /// Where memory modules that are not built in are looked for; null: nowhere. It outlives this.
  void look_for_foreign_memories(ForeignMemories* among) { foreign_ = among; }

  struct Loaded {
    std::size_t count = 0;
    std::vector<std::string> warnings;  ///< a broken file, a duplicate name, a memory that does not exist, ...
  };
  /// Reads every `*.json` of a folder (in name order). A broken file never stops the others: a warning names it, and on
  /// a reload the last good version of it stays. Of two files with one name the second is ignored. A
  /// folder that does not exist is a warning too.
  Loaded load(const std::filesystem::path& folder);

  /// The persona with a file (or built in) of exactly this id, else null.
  [[nodiscard]] const Persona* find(std::string_view id) const;
  /// Like `find`; for an id without a file a persona with the default memory. Never null; valid until the next load.
  [[nodiscard]] const Persona& of_id(std::string_view id) const;
  [[nodiscard]] std::vector<std::string> ids() const;
  [[nodiscard]] const std::map<std::string, Persona, std::less<>>& all() const { return personas_; }

  /// Which persona a conversation without an active one talks to: `configured`, else `from_ovos` (mycroft.conf), else
  /// the only file, else the built-in `default`. Says what was odd (a configured one that has no file, several files).
  void choose_default(std::string_view configured, std::string_view from_ovos, std::vector<std::string>& warnings);
  [[nodiscard]] const std::string& default_id() const { return default_id_; }

 private:
  void load_file(const std::filesystem::path& file, std::map<std::string, Persona, std::less<>>& into,
                 std::vector<std::string>& warnings) const;

  std::map<std::string, Persona, std::less<>> personas_;
  Persona unheard_of_;  // what `of_id` gives for ids without a file: the default memory
  std::string default_id_ = "default";
  ForeignMemories* foreign_ = nullptr;
};

}  // namespace persona
