#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "bus/client.hpp"
#include "tests/loopback/io_thread.hpp"

namespace tests {

/// What the handlers of a link were told.
struct Heard {
  std::vector<std::string> frames;
  std::vector<std::string> downs;
  int ups = 0;
};

/// Settings for a server on this host that is retried at once.
inline bus::ClientSettings quick_settings(std::uint16_t port) {
  bus::ClientSettings settings;
  settings.url.host = "127.0.0.1";
  settings.url.port = std::to_string(port);
  settings.backoff.first = std::chrono::milliseconds(5);
  settings.backoff.most = std::chrono::milliseconds(40);
  return settings;
}

/// A client in a thread of its own, and what it was told.
class RunningClient {
 public:
  explicit RunningClient(bus::ClientSettings settings)
      : client_(std::make_unique<bus::Client>(thread_.io(), std::move(settings))) {
    thread_.call([this] {
      bus::LinkHandlers handlers;
      handlers.on_frame = [this](std::string_view frame) { heard_.frames.emplace_back(frame); };
      handlers.on_up = [this] { ++heard_.ups; };
      handlers.on_down = [this](const std::string& reason) { heard_.downs.push_back(reason); };
      client_->start(std::move(handlers));
    });
  }
  ~RunningClient() {
    thread_.call([this] { client_.reset(); });
  }

  void send(const std::string& frame) {
    thread_.call([&] { client_->send(frame); });
  }
  bool stop() {
    return thread_.wait_done([this](std::function<void()> done) { client_->stop(std::move(done)); });
  }
  [[nodiscard]] bus::LinkStatus status() {
    return thread_.call([this] { return client_->status(); });
  }
  [[nodiscard]] Heard heard() {
    return thread_.call([this] { return heard_; });
  }
  [[nodiscard]] bool eventually_up(int times = 1) {
    return thread_.eventually([&] { return heard_.ups >= times && client_->status().up; });
  }
  [[nodiscard]] bool eventually_down(std::size_t times = 1) {
    return thread_.eventually([&] { return heard_.downs.size() >= times; });
  }
  [[nodiscard]] bool eventually_hears(std::string_view frame) {
    return thread_.eventually(
        [&] { return std::find(heard_.frames.begin(), heard_.frames.end(), frame) != heard_.frames.end(); });
  }
  [[nodiscard]] IoThread& thread() { return thread_; }
  [[nodiscard]] bus::Client& client() { return *client_; }

 private:
  IoThread thread_;
  Heard heard_;
  std::unique_ptr<bus::Client> client_;
};

}  // namespace tests
