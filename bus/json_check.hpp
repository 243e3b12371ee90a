#pragma once
#include <cstddef>
#include <string_view>

namespace bus {

/// Whether `text` is one JSON value, every byte of it, nested at most `deepest` deep.
///
/// As strict as the parser (RFC 8259; UTF-8, no lone surrogates, no number beyond a double), but builds nothing: for
/// text that is passed on as it came.
[[nodiscard]] bool is_json(std::string_view text, std::size_t deepest);

}  // namespace bus
