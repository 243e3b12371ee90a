#pragma once
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "daemon/configuration.hpp"

// The schema of the configuration: one table that reading, checking, printing and the documentation come from.
namespace personad {

/// One key of the configuration: its type, what it may be, what it means, and the member it fills.
struct Setting {
  template <class T>
  using Member = T& (*)(Configuration&);
  /// A bool that the file spells as one of two words: `allowed[0]` is false, `allowed[1]` is true.
  struct Choice {
    Member<bool> member = nullptr;
  };
  using Field = std::variant<Member<bool>, Member<std::size_t>, Member<std::chrono::seconds>, Member<std::string>,
                             Member<std::vector<std::string>>, Member<std::filesystem::path>, Choice>;
  /// What was expected, in words, when a text is not right; nothing when it is.
  using Check = std::optional<std::string> (*)(const std::string& text);

  /// When a changed value takes effect.
  enum class Takes : std::uint8_t { at_start, on_reload };

  struct TypeName {
    std::string of;        ///< as an error says it: "expected ..."
    std::string in_table;  ///< as the reference says it
  };

  std::string_view key;  ///< dotted path; the file nests objects
  Field field;
  std::string_view doc;
  std::uint64_t least = 0;  ///< of numbers
  std::uint64_t most = 0;
  std::vector<std::string_view> allowed = {};  ///< of texts; empty: any
  Check check = nullptr;                       ///< of a text, or of each text of a list
  Takes takes = Takes::at_start;
};

/// All keys, those of one section side by side.
[[nodiscard]] const std::vector<Setting>& schema();
[[nodiscard]] const Setting* find_setting(std::string_view key);

[[nodiscard]] Setting::TypeName type_name(const Setting& setting);

/// Puts a value of the file into the configuration. Errors: "found ..., expected ...", and nothing is changed.
[[nodiscard]] std::optional<std::string> read_setting(const Setting& setting, const nlohmann::json& value,
                                                      Configuration& into);
[[nodiscard]] nlohmann::json written_setting(const Setting& setting, const Configuration& from);

/// HOST:PORT taken apart; an IPv6 address stands in brackets and is returned without them.
struct HostAndPort {
  std::string host;
  std::uint16_t port = 0;
};
[[nodiscard]] std::optional<HostAndPort> parse_host_and_port(std::string_view text);
/// True for `localhost` and addresses that do not leave this host.
[[nodiscard]] bool is_loopback(const std::string& host);

/// What the configuration of OVOS says that concerns us.
struct MycroftConf {
  std::string bus_url;   ///< empty: no `websocket` section
  std::string url_from;  ///< the last file that had a say in `bus_url`
  std::string default_persona;
  std::vector<std::string> warnings;  ///< files or values that could not be read; never an error
};
/// Reads the files in order; later ones override earlier ones key by key.
[[nodiscard]] MycroftConf read_mycroft_conf(const std::vector<std::filesystem::path>& files);

/// The whole of a small file (at most 1 MiB). Errors: in words, without the file's name.
[[nodiscard]] boost::system::result<std::string, std::string> read_small_file(const std::filesystem::path& file);

}  // namespace personad
