#pragma once
#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "persona/memory/language_model.hpp"

// What goes to a model endpoint and what comes back, as text: no sockets. What comes back is data from outside; no
// word of an error repeats any of it.
namespace personad {

[[nodiscard]] std::string chat_request(const std::string& model, const std::string& prompt, std::size_t max_tokens);
[[nodiscard]] std::string embeddings_request(const std::string& model, const std::vector<std::string>& texts);

/// The text of `choices[0].message.content`: trimmed, not empty, without NUL, and cut at a character to what so many
/// tokens can hold.
[[nodiscard]] persona::ModelResult<std::string> read_chat(std::string_view body, std::size_t max_tokens);
/// One vector for each of `many` texts, ordered by `index`; finite, all of one length.
[[nodiscard]] persona::ModelResult<persona::LanguageModels::Vectors> read_embeddings(std::string_view body,
                                                                                     std::size_t many);
/// The first model that is listed, in `data` or `models`, by `id` or `name`.
[[nodiscard]] persona::ModelResult<std::string> read_models(std::string_view body);

/// The error that a status other than 2xx stands for; nothing for 2xx. `retry_after` is that header.
[[nodiscard]] std::optional<persona::ModelError> error_of(unsigned status, std::string_view retry_after,
                                                          std::chrono::system_clock::time_point now);
/// Seconds, or the time until a date (RFC 9110, 10.2.3); an hour at most, since a clock may be wrong.
[[nodiscard]] std::optional<std::chrono::seconds> parse_retry_after(std::string_view text,
                                                                    std::chrono::system_clock::time_point now);

}  // namespace personad
