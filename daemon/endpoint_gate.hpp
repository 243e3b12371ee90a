#pragma once
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "bus/backoff.hpp"
#include "persona/memory/language_model.hpp"

namespace personad {

/// Decides for one model endpoint which calls run, which wait, and which fail at once.
///
/// An endpoint that fails is down for a while that grows; then one call tries it, and the others wait for how that
/// ends. Invariant: no more calls run than are allowed. Threading: none; the clock is the caller's.
class EndpointGate {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;
  struct Settings {
    std::size_t most_running = 2;
    std::size_t most_waiting = 256;
    bus::Backoff::Settings backoff{std::chrono::milliseconds(1000), std::chrono::milliseconds(60000),
                                   std::chrono::milliseconds(1)};
  };
  enum class Entry : std::uint8_t { runs, waits, full, down };
  enum class Change : std::uint8_t { none, went_down, still_down, works_again };

  EndpointGate(Settings settings, bus::Backoff::Uniform uniform);

  /// What becomes of a new call while so many wait.
  [[nodiscard]] Entry enter(TimePoint now, std::size_t waiting) const;
  /// Whether one that waits may run.
  [[nodiscard]] bool has_room(TimePoint now) const;
  void began() { ++running_; }
  /// A call that ran has ended, with an answer or with an error.
  Change ended(TimePoint now, const std::optional<persona::ModelError>& problem);
  /// A call failed without having run.
  void turned_away() { ++turned_away_; }

  /// Why a call fails while the endpoint is down, and when it is tried again.
  [[nodiscard]] persona::ModelError reason(TimePoint now) const;
  [[nodiscard]] std::chrono::milliseconds until_tried(TimePoint now) const;

  [[nodiscard]] bool is_down() const { return down_; }
  [[nodiscard]] bool is_idle() const { return running_ == 0; }
  [[nodiscard]] std::size_t running() const { return running_; }
  [[nodiscard]] const std::string& last_error() const { return last_error_; }
  [[nodiscard]] std::uint64_t calls() const { return calls_; }
  [[nodiscard]] std::uint64_t failures() const { return failures_; }
  [[nodiscard]] std::uint64_t turned_aways() const { return turned_away_; }

 private:
  Change failed(TimePoint now, const persona::ModelError& problem);

  Settings settings_;
  bus::Backoff backoff_;
  std::size_t running_ = 0;
  bool down_ = false;
  TimePoint try_at_{};
  persona::ModelError why_down_;
  std::string last_error_;
  std::uint64_t calls_ = 0;
  std::uint64_t failures_ = 0;
  std::uint64_t turned_away_ = 0;
};

}  // namespace personad
