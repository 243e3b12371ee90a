#include "daemon/ctl/terminal_text.hpp"

#include <cmath>
#include <cstdio>
#include <ctime>
#include <nlohmann/json.hpp>

namespace personad::ctl {
namespace {

/// One character of a text: its code point and bytes, or one malformed byte.
struct Character {
  char32_t code = 0;
  std::string_view bytes;
  bool malformed = false;
};

Character next_character(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const auto first = byte(0);
  if (first < 0x80) return {first, text.substr(0, 1)};
  const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  const Character malformed{first, text.substr(0, 1), true};
  if (first < 0xC2 || first > 0xF4 || text.size() < length) return malformed;
  char32_t code = first & (0xFFu >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return malformed;
    code = code << 6 | (byte(i) & 0x3Fu);
  }
  const bool overlong = (length == 3 && code < 0x800) || (length == 4 && code < 0x10000);
  if (overlong || code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF)) return malformed;
  return {code, text.substr(0, length)};
}

/// Characters that act on a terminal or reorder the line they stand in.
bool acts(char32_t code) {
  return code < 0x20 || (code >= 0x7F && code <= 0x9F) || (code >= 0x202A && code <= 0x202E) ||
         (code >= 0x2066 && code <= 0x2069) || code == 0x200E || code == 0x200F || code == 0x061C || code == 0x2028 ||
         code == 0x2029;
}

std::string formatted(const char* format, auto... values) {
  char text[64];
  const int size = std::snprintf(text, sizeof text, format, values...);
  return {text, static_cast<std::size_t>(std::max(size, 0))};
}

std::string spelled_out(const Character& character) {
  const auto code = static_cast<unsigned>(character.code);
  if (character.malformed || code < 0x80) {
    switch (code) {
      case '\n':
        return "\\n";
      case '\r':
        return "\\r";
      case '\t':
        return "\\t";
      default:
        return formatted("\\x%02x", code);
    }
  }
  return formatted("\\u%04x", code);
}

bool is_wide(char32_t code) {
  return (code >= 0x1100 && code <= 0x115F) || (code >= 0x2E80 && code <= 0xA4CF) ||
         (code >= 0xAC00 && code <= 0xD7A3) || (code >= 0xF900 && code <= 0xFAFF) ||
         (code >= 0xFE30 && code <= 0xFE6F) || (code >= 0xFF00 && code <= 0xFF60) ||
         (code >= 0xFFE0 && code <= 0xFFE6) || (code >= 0x1F300 && code <= 0x1FAFF) ||
         (code >= 0x20000 && code <= 0x3FFFD);
}

/// Columns on a terminal, well enough for a table.
std::size_t width(std::string_view text) {
  std::size_t columns = 0;
  while (!text.empty()) {
    const auto character = next_character(text);
    const bool combining = character.code >= 0x300 && character.code <= 0x36F;
    columns += combining ? 0 : is_wide(character.code) ? 2 : 1;
    text.remove_prefix(character.bytes.size());
  }
  return columns;
}

}  // namespace

std::string one_line(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const auto character = next_character(text);
    if (character.malformed || acts(character.code)) {
      out += spelled_out(character);
    } else {
      out += character.bytes;
    }
    text.remove_prefix(character.bytes.size());
  }
  return out;
}

std::string paragraph(std::string_view text, std::string_view indent) {
  std::string out;
  for (;;) {
    const auto end = text.find('\n');
    out += one_line(text.substr(0, end));
    if (end == std::string_view::npos) return out;
    out += '\n';
    out += indent;
    text.remove_prefix(end + 1);
  }
}

std::string shown_json(const nlohmann::json& value, int indent) {
  const auto text = value.dump(indent, ' ', false, nlohmann::json::error_handler_t::replace);
  std::string out;
  // Below 0x20 JSON escapes everything itself; what is left of them is the layout between the values.
  for (std::string_view rest = text; !rest.empty();) {
    const auto character = next_character(rest);
    if (character.code >= 0x20 && acts(character.code)) {
      out += formatted("\\u%04x", static_cast<unsigned>(character.code));
    } else {
      out += character.bytes;
    }
    rest.remove_prefix(character.bytes.size());
  }
  return out;
}

std::string readable_time(double unix_seconds) {
  constexpr double kYear10000 = 253402300800.0;
  if (!(unix_seconds >= 0 && unix_seconds < kYear10000)) return formatted("%g", unix_seconds);
  const auto seconds = static_cast<std::time_t>(unix_seconds);
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  char text[40];
  const auto size = std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S UTC", &parts);
  return {text, size};
}

std::string readable_duration(double seconds) {
  if (!(seconds >= 0 && seconds < 1e12)) return formatted("%g s", seconds);
  if (seconds < 60) return formatted("%.1f s", seconds);
  const auto whole = static_cast<long long>(seconds);
  if (whole < 3600) return formatted("%lld min %lld s", whole / 60, whole % 60);
  if (whole < 86400) return formatted("%lld h %lld min", whole / 3600, whole % 3600 / 60);
  return formatted("%lld d %lld h", whole / 86400, whole % 86400 / 3600);
}

std::string readable_bytes(double bytes) {
  if (!(bytes >= 1024)) return formatted("%.0f B", bytes);
  const char* unit = "KiB";
  bytes /= 1024;
  for (const char* larger : {"MiB", "GiB", "TiB"}) {
    if (bytes < 1024) break;
    bytes /= 1024;
    unit = larger;
  }
  return formatted("%.1f %s", bytes, unit);
}

Table::Table(std::vector<Column> columns) : columns_(std::move(columns)) {
  std::vector<std::string> headings;
  for (const auto& column : columns_) headings.push_back(column.heading);
  rows_.push_back(std::move(headings));
}

void Table::add(std::vector<std::string> cells) {
  cells.resize(columns_.size());
  rows_.push_back(std::move(cells));
}

std::string Table::text() const {
  std::vector<std::size_t> widths(columns_.size());
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width(row[i]));
  }
  std::string out;
  for (const auto& row : rows_) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string padding(widths[i] - width(row[i]), ' ');
      line += i == 0 ? "" : "  ";
      line += columns_[i].align == Align::right ? padding + row[i] : row[i] + padding;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + '\n';
  }
  return out;
}

}  // namespace personad::ctl
