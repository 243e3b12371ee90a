#pragma once
#include <cstddef>
#include <initializer_list>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace persona {

/// Reads the settings of a memory module: what is missing or null has its default, what is wrong has it too and is
/// named in a warning, what is unknown is left alone.
///
/// Lifetime: config and warning outlive it.
class SettingsReader {
 public:
  SettingsReader(const nlohmann::json& config, std::string path, std::string& warning);

  [[nodiscard]] std::size_t count(const char* key, std::size_t or_else, std::size_t most);
  [[nodiscard]] double number(const char* key, double or_else, double least, double most);
  [[nodiscard]] std::optional<double> number(const char* key);
  [[nodiscard]] std::string text(const char* key, std::string or_else = {});
  [[nodiscard]] bool flag(const char* key, bool or_else);
  /// Which of the allowed words; the index of `or_else` when it is none of them.
  [[nodiscard]] std::size_t word(const char* key, std::initializer_list<std::string_view> allowed, std::size_t or_else);
  /// An object in it, or an empty one.
  [[nodiscard]] SettingsReader section(const char* key);
  /// The value of a key, for what is none of the above; null when it is missing or null.
  [[nodiscard]] const nlohmann::json* value(const char* key) const;
  void warn(std::string_view key, std::string_view what);

 private:
  const nlohmann::json& config_;
  std::string path_;
  std::string& warning_;
};

}  // namespace persona
