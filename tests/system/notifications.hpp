#pragma once
#include <chrono>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

namespace system_tests {

/// The receiving end of NOTIFY_SOCKET: what a service tells the one that manages it.
class Notifications {
 public:
  explicit Notifications(const std::filesystem::path& socket);
  ~Notifications();
  Notifications(const Notifications&) = delete;
  Notifications& operator=(const Notifications&) = delete;

  [[nodiscard]] const std::filesystem::path& socket() const { return socket_; }
  /// Waits for a message with `line` in it, and drops those before it. False when `limit` passes or `alive` no longer
  /// holds before one comes.
  bool await(std::string_view line, std::chrono::milliseconds limit, const std::function<bool()>& alive);
  /// Drops what has come so far.
  void clear();

 private:
  std::string receive();
  std::filesystem::path socket_;
  int descriptor_ = -1;
};

}  // namespace system_tests
