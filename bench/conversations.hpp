#pragma once
#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "bench/frames.hpp"
#include "bench/round_trips.hpp"

// What is said to a personad that is measured, and what it is asked.
namespace bench {

[[nodiscard]] std::string session_name(std::size_t i);
[[nodiscard]] std::string text_of(const char* what, std::size_t i);

/// The result of one request. Errors: throws when it is not answered.
nlohmann::json ask(BusConnection& connection, const std::string& topic, const std::string& data = "",
                   const std::string& session = "default");

/// `exchanges` in each of `sessions`, all at once; returns when they are stored.
void talk(BusConnection& connection, std::size_t sessions, std::size_t exchanges);

/// A context request for each of the sessions.
[[nodiscard]] std::vector<Question> context_questions(std::size_t sessions);

}  // namespace bench
