#pragma once
#include <string>
#include <string_view>

// Whether two facts say the same: facts differ in case, punctuation, spacing and the order of a list, and mean one
// thing.
namespace persona {

/// What facts that may be the same have in common: a key to look candidates up by.
[[nodiscard]] std::string fact_key(std::string_view fact);

/// True for "Likes tea, coffee and milk." and "likes milk, tea, coffee"; false for "Bob loves Ann" and "Ann loves Bob".
[[nodiscard]] bool same_fact(std::string_view a, std::string_view b);

}  // namespace persona
