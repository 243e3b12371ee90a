#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

// Text for a terminal. What is stored was said by anybody, so nothing of it may act on the terminal it is shown on.
namespace personad::ctl {

/// `text` with every control character, text-direction override and malformed byte spelled out (`\x1b`, `\u202e`).
/// Line breaks and tabs are spelled out as well: the result is one line.
[[nodiscard]] std::string one_line(std::string_view text);
/// The same, but line breaks stay, each followed by `indent`.
[[nodiscard]] std::string paragraph(std::string_view text, std::string_view indent);
/// JSON text that is safe to show and still means the same.
[[nodiscard]] std::string shown_json(const nlohmann::json& value, int indent);

/// `2026-01-31 12:00:00 UTC`; what is no sensible time is shown as the number it is.
[[nodiscard]] std::string readable_time(double unix_seconds);
/// `3 d 4 h`, `4 h 5 min`, `5 min 6 s`, `6.1 s`.
[[nodiscard]] std::string readable_duration(double seconds);
/// `12 B`, `1.5 KiB`, ...
[[nodiscard]] std::string readable_bytes(double bytes);

/// Rows of cells as aligned columns, the first row being the headings. Columns of numbers are aligned to the right.
class Table {
 public:
  enum class Align { left, right };
  struct Column {
    std::string heading;
    Align align = Align::left;
  };
  explicit Table(std::vector<Column> columns);
  void add(std::vector<std::string> cells);
  [[nodiscard]] std::string text() const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace personad::ctl
