#include "bus/frame_scan.hpp"

#include <cstring>
#include <nlohmann/json.hpp>

#include "bus/json_cursor.hpp"

namespace bus {
namespace {

constexpr std::size_t kSearched = 4096;

std::size_t find_bytes(std::string_view text, std::string_view what) {
  const void* found = ::memmem(text.data(), text.size(), what.data(), what.size());
  return found == nullptr ? std::string_view::npos
                          : static_cast<std::size_t>(static_cast<const char*>(found) - text.data());
}

/// Whether `rest` may hold another key that spells `type`. Each escape of one of its letters starts with `\u006` or
/// `\u007`; other escapes, which are all over text that is not English, do not count.
bool may_name_type_again(std::string_view rest) {
  // A long rest is mostly one long string, which the walk steps over faster than any search.
  if (rest.size() > kSearched) return true;
  if (find_bytes(rest, "\"type\"") != std::string_view::npos) return true;
  for (;;) {
    const std::size_t found = find_bytes(rest, "\\u00");
    if (found == std::string_view::npos || found + 4 >= rest.size()) return false;
    if (rest[found + 4] == '6' || rest[found + 4] == '7') return true;
    rest.remove_prefix(found + 4);
  }
}

/// The text of a raw string, in `scratch` when it has escapes.
std::optional<std::string_view> text_of(std::string_view raw, std::string& scratch) {
  if (raw.find('\\') == std::string_view::npos) return raw;
  auto text = unescape(raw);
  if (!text) return std::nullopt;
  scratch = std::move(*text);
  return scratch;
}

/// Steps over a value; its raw text where it is a string.
bool take_if_string(JsonCursor& cursor, std::optional<std::string_view>& raw) {
  raw.reset();
  if (cursor.peek() != '"') return cursor.skip_value();
  raw = cursor.take_string();
  return raw.has_value();
}

/// What `scan_carrier` collects. `session` is the first byte of the value that counts, 0 when there is none.
struct Carrier {
  std::optional<std::string_view> raw_type;
  char session = 0;
};

bool walk_context(JsonCursor& cursor, Carrier& carrier) {
  carrier.session = 0;
  if (cursor.peek() != '{') return cursor.skip_value();
  return walk_object(cursor, [&](std::string_view key) {
    if (spells(key, "session")) carrier.session = cursor.peek();
    return cursor.skip_value();
  });
}

}  // namespace

std::optional<std::string_view> scan_type(std::string_view frame, std::string& scratch) {
  JsonCursor cursor(frame);
  cursor.skip_space();
  std::optional<std::string_view> raw;
  walk_object(cursor, [&](std::string_view key) {
    if (!spells(key, "type")) return cursor.skip_value();
    return take_if_string(cursor, raw) && may_name_type_again(cursor.rest());
  });
  return raw ? text_of(*raw, scratch) : std::nullopt;
}

CarrierScan scan_carrier(std::string_view frame) {
  CarrierScan scan;
  Carrier carrier;
  JsonCursor cursor(frame);
  cursor.skip_space();
  const bool whole = walk_object(cursor, [&](std::string_view key) {
    if (spells(key, "type")) return take_if_string(cursor, carrier.raw_type);
    if (spells(key, "context")) return walk_context(cursor, carrier);
    return cursor.skip_value();
  });
  std::string scratch;
  if (carrier.raw_type) scan.type = text_of(*carrier.raw_type, scratch).value_or(std::string_view());
  const bool suspicious = whole && carrier.session != 0 && carrier.session != '{' && carrier.session != 'n';
  scan.malformed_carrier = suspicious && nlohmann::json::accept(frame.begin(), frame.end());
  return scan;
}

}  // namespace bus
