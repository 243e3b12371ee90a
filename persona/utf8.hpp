#pragma once
#include <optional>
#include <string>
#include <string_view>

// UTF-8 as code points, of any bytes whatever.
namespace persona {

/// What stands for bytes that are not UTF-8.
inline constexpr char32_t kReplacement = 0xFFFD;

/// The code point at the front of a text that is not empty, taken off it; nothing (and one byte taken) where it starts
/// with what is not UTF-8: overlong, a surrogate, above U+10FFFF or cut off.
[[nodiscard]] std::optional<char32_t> take_code_point(std::string_view& text) noexcept;

[[nodiscard]] bool is_utf8(std::string_view text) noexcept;
/// Each byte that is not UTF-8 becomes U+FFFD.
[[nodiscard]] std::u32string code_points(std::string_view text);
void append_utf8(std::string& to, char32_t point);

}  // namespace persona
