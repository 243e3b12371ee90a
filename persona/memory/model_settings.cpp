#include "persona/memory/model_settings.hpp"

#include "persona/memory/settings.hpp"

namespace persona {

ModelAddress read_model_address(SettingsReader& reader, std::chrono::seconds timeout) {
  constexpr std::size_t kMostSeconds = 600;
  ModelAddress address;
  address.api_url = reader.text("api_url", "http://localhost:8000/v1");
  while (address.api_url.ends_with('/')) address.api_url.pop_back();
  address.model = reader.text("model");
  address.key_file = reader.text("api_key_file");
  address.key_variable = reader.text("api_key_env");
  if (reader.value("api_key") != nullptr) {
    reader.warn("api_key",
                "a key does not belong in a persona file: name a file (api_key_file) or a variable "
                "(api_key_env) that holds it");
  }
  const std::size_t seconds = reader.count("request_timeout", static_cast<std::size_t>(timeout.count()), kMostSeconds);
  address.timeout = std::chrono::seconds(seconds == 0 ? timeout.count() : static_cast<std::int64_t>(seconds));
  return address;
}

}  // namespace persona
