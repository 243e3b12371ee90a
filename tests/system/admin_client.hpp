#pragma once
#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "tests/system/daemon_process.hpp"

namespace system_tests {

/// A client of the admin socket: one JSON message a line.
class AdminClient {
 public:
  explicit AdminClient(const std::filesystem::path& socket);
  ~AdminClient();
  AdminClient(const AdminClient&) = delete;
  AdminClient& operator=(const AdminClient&) = delete;

  void write(std::string_view bytes);
  /// The next line, or nothing when none comes in time or the daemon closed the connection.
  [[nodiscard]] std::optional<std::string> read_line(std::chrono::milliseconds limit = kPatience);
  /// Sends a request and returns the `data` of its answer.
  [[nodiscard]] nlohmann::json ask(std::string_view topic, nlohmann::json request = nlohmann::json::object());

 private:
  int descriptor_ = -1;
  std::string read_;
};

}  // namespace system_tests
