#include "daemon/service_notifier.hpp"

#include <systemd/sd-daemon.h>
#include <time.h>

#include <boost/asio/steady_timer.hpp>
#include <chrono>

namespace personad {
namespace {

/// A status is one line; a line break in it would start a variable of its own.
std::string one_line(std::string text) {
  for (auto& c : text) {
    if (static_cast<unsigned char>(c) < ' ') c = ' ';
  }
  return text;
}

/// Microseconds of the clock that the service manager measures a reload with.
std::uint64_t monotonic_usec() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000 + static_cast<std::uint64_t>(now.tv_nsec) / 1'000;
}

void notify(const std::string& state) {
  sd_notify(0, state.c_str());
}

}  // namespace

/// Feeds the watchdog twice in each of its intervals. Owned by the notifier and by its own pending wait.
class ServiceNotifier::Watchdog : public std::enable_shared_from_this<Watchdog> {
 public:
  Watchdog(boost::asio::io_context& io, std::chrono::microseconds interval) : timer_(io), interval_(interval) {}

  void feed() {
    if (stopped_) return;
    notify("WATCHDOG=1");
    timer_.expires_after(interval_);
    timer_.async_wait([self = shared_from_this()](boost::system::error_code ec) {
      if (!ec) self->feed();
    });
  }

  void stop() {
    stopped_ = true;
    timer_.cancel();
  }

 private:
  boost::asio::steady_timer timer_;
  std::chrono::microseconds interval_;
  bool stopped_ = false;
};

ServiceNotifier::ServiceNotifier(boost::asio::io_context& io) {
  std::uint64_t microseconds = 0;
  if (sd_watchdog_enabled(0, &microseconds) <= 0) return;
  watchdog_ = std::make_shared<Watchdog>(io, std::chrono::microseconds(microseconds / 2));
  watchdog_->feed();
}

ServiceNotifier::~ServiceNotifier() {
  stop();
}

void ServiceNotifier::ready(const std::string& status) {
  notify("READY=1\nSTATUS=" + one_line(status));
}

void ServiceNotifier::status(const std::string& status) {
  notify("STATUS=" + one_line(status));
}

void ServiceNotifier::reloading() {
  notify("RELOADING=1\nMONOTONIC_USEC=" + std::to_string(monotonic_usec()));
}

void ServiceNotifier::stopping() {
  notify("STOPPING=1");
}

void ServiceNotifier::stop() {
  if (watchdog_) watchdog_->stop();
  watchdog_.reset();
}

}  // namespace personad
