#pragma once
#include <chrono>

#include "persona/memory/language_model.hpp"

namespace persona {

class SettingsReader;

/// `api_url`, `model`, `request_timeout`, `api_key_file` and `api_key_env` of a memory's settings. A key in the file
/// itself (`api_key`) is not read, and a warning says where to put it.
[[nodiscard]] ModelAddress read_model_address(SettingsReader& reader, std::chrono::seconds timeout);

}  // namespace persona
