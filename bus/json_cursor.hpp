#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace bus {

/// Walks over the bytes of a JSON text and builds nothing of it.
///
/// It checks no more than it needs to find its way: what it walks over may still be malformed. It accepts any bytes,
/// never reads past the view, and holds no stack, so that nesting costs nothing.
class JsonCursor {
 public:
  explicit JsonCursor(std::string_view text) : at_(text.data()), end_(text.data() + text.size()) {}

  /// The byte at the cursor, or 0 at the end.
  [[nodiscard]] char peek() const { return at_ == end_ ? '\0' : *at_; }
  [[nodiscard]] std::string_view rest() const { return {at_, static_cast<std::size_t>(end_ - at_)}; }

  void skip_space();
  /// Steps over `c` if it is next.
  bool take(char c);
  /// Steps over a string; its raw text between the quotes. Nothing when there is none or it does not end.
  std::optional<std::string_view> take_string();
  /// Steps over one value, whatever its kind; false when there is none or it does not end.
  bool skip_value();

 private:
  bool skip_nested();
  const char* at_;
  const char* end_;
};

/// Calls `member(raw_key)` for each member of the object at the cursor; it must step over the value and may return
/// false to end the walk. False when the walk ended early, for this or for a malformed text.
template <typename Member>
bool walk_object(JsonCursor& cursor, Member&& member) {
  if (!cursor.take('{')) return false;
  cursor.skip_space();
  if (cursor.take('}')) return true;
  for (;;) {
    const auto key = cursor.take_string();
    if (!key) return false;
    cursor.skip_space();
    if (!cursor.take(':')) return false;
    cursor.skip_space();
    if (!member(*key)) return false;
    cursor.skip_space();
    if (cursor.take('}')) return true;
    if (!cursor.take(',')) return false;
    cursor.skip_space();
  }
}

/// The text that a raw string spells, its escapes resolved. Nothing for an escape that is none, or a lone surrogate.
[[nodiscard]] std::optional<std::string> unescape(std::string_view raw);

/// Whether a raw key spells `name`, with escapes or without.
[[nodiscard]] bool spells(std::string_view raw_key, std::string_view name);

/// Whether brackets nest deeper than `limit`: such a text would exhaust the stack of code that recurses over it.
[[nodiscard]] bool nests_deeper_than(std::string_view text, std::size_t limit);

}  // namespace bus
