#pragma once
#include <boost/asio/io_context.hpp>
#include <memory>
#include <string>

namespace personad {

/// Tells the service manager how we are: READY, STATUS, RELOADING, STOPPING, and the watchdog.
///
/// Does nothing where there is none (no NOTIFY_SOCKET). The watchdog is fed by a timer on the io thread, so that an io
/// thread that hangs is seen. Source: sd_notify(3), sd_watchdog_enabled(3).
class ServiceNotifier {
 public:
  explicit ServiceNotifier(boost::asio::io_context& io);
  ~ServiceNotifier();
  void ready(const std::string& status);
  void status(const std::string& status);
  void reloading();
  void stopping();
  /// Ends the watchdog timer so that the io context can run out of work.
  void stop();

 private:
  class Watchdog;
  std::shared_ptr<Watchdog> watchdog_;
};

}  // namespace personad
