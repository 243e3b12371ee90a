#pragma once
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace personad {

class Request;

/// Reads the fields of a request, each checked; remembers the first thing that is wrong.
///
/// An explicit null is wrong-typed, as everywhere in this API. Errors: `error()`, a sentence that names the field; what
/// a reader returns after an error is empty and must not be used. Lifetime: not longer than the data.
class FieldReader {
 public:
  explicit FieldReader(const nlohmann::json& data) : data_(data) {}

  /// A string of at most `max_bytes`; absent is nothing.
  std::optional<std::string> text(std::string_view field, std::size_t max_bytes);
  /// A string that is there and not blank.
  std::string required_text(std::string_view field, std::size_t max_bytes);
  std::optional<std::int64_t> integer(std::string_view field, std::int64_t least, std::int64_t most);
  /// Unix seconds, or an RFC 3339 time.
  std::optional<double> time(std::string_view field);
  /// One of the allowed words.
  std::optional<std::string> word(std::string_view field, const std::vector<std::string_view>& allowed);
  /// An object, or null when absent.
  const nlohmann::json* object(std::string_view field);
  std::optional<bool> flag(std::string_view field);
  /// True when all is well; refuses the request with what is wrong when it is not.
  [[nodiscard]] bool checked(Request& request) const;

  [[nodiscard]] bool ok() const { return error_.empty(); }
  [[nodiscard]] const std::string& error() const { return error_; }
  /// True when the error is that something is too long.
  [[nodiscard]] bool too_large() const { return too_large_; }

 private:
  const nlohmann::json* find(std::string_view field) const;
  void fail(std::string_view field, std::string_view words);
  const nlohmann::json& data_;
  std::string error_;
  bool too_large_ = false;
};

/// Ids, names and cursors: no longer than this.
inline constexpr std::size_t kMaxNameBytes = 512;
/// Ids of rows and facts that others give.
inline constexpr std::size_t kMaxIdBytes = 64;
/// A fact: a few words.
inline constexpr std::size_t kMaxFactBytes = 2000;
/// Language tags.
inline constexpr std::size_t kMaxLangBytes = 64;

}  // namespace personad
