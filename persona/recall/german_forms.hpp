#pragma once
#include <string_view>

namespace persona {

/// The base of a German form; empty when there is none.
///
/// Snowball's rules for German know neither "ge-" nor endings with "t": without more, "macht", "machte" and "gemacht"
/// are three words, and none is "machen". So common verbs are inflected by rule here, and strong ones by list.
[[nodiscard]] std::string_view german_base(std::string_view word) noexcept;

}  // namespace persona
