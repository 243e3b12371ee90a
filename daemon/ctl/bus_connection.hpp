#pragma once
#include <boost/asio/io_context.hpp>
#include <memory>

#include "bus/client.hpp"
#include "daemon/ctl/connection.hpp"

namespace personad::ctl {

/// The message bus, connected on first use. Blocking; one request at a time.
class BusConnection final : public Connection {
 public:
  /// Whether a bus that is not there yet is an error at once, or is waited for.
  enum class WhenAbsent { fail, wait };

  BusConnection(bus::Url url, WhenAbsent when_absent);
  ~BusConnection() override;
  BusConnection(const BusConnection&) = delete;
  BusConnection& operator=(const BusConnection&) = delete;

  [[nodiscard]] Reply ask(std::string_view type, nlohmann::json data) override;
  [[nodiscard]] Failure tail(const std::string& session_id, const OnTurn& on_turn) override;

  [[nodiscard]] std::optional<Failure> connect();
  /// Says something on the bus; `connect` comes first.
  void say(std::string_view type, nlohmann::json data, nlohmann::json context);
  /// Waits for a message of this type, at most until `patience` ends; nothing when none came.
  [[nodiscard]] std::optional<nlohmann::json> hear(std::string_view type, std::chrono::milliseconds patience);

 private:
  /// Runs until `done` says so or the time is up; false when it was.
  bool run_until(const std::function<bool()>& done, std::chrono::steady_clock::time_point deadline);
  [[nodiscard]] Failure unreachable() const;

  boost::asio::io_context io_{1};
  bus::Url url_;
  WhenAbsent when_absent_;
  std::unique_ptr<bus::Client> client_;
  std::function<void(std::string_view)> on_frame_;
  bool up_ = false;
  bool failed_ = false;
  std::string reason_;
};

}  // namespace personad::ctl
