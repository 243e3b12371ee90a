#pragma once
#include <chrono>
#include <cstddef>

#include "bus/backoff.hpp"

namespace personad {

/// What a memory plugin may take of us before it is cut off. Source: docs/memory-plugins.md, "Limits".
struct PluginLimits {
  using Duration = std::chrono::milliseconds;
  Duration call_time{2000};            ///< of each call
  Duration start_time{30000};          ///< of `initialize`: some load a model first
  Duration end_time{1000};             ///< after `close`, and again after SIGTERM
  std::size_t line_bytes = 4u << 20;   ///< of one line of its answers
  std::size_t queue_bytes = 1u << 20;  ///< written to it but not yet read by it
  std::size_t calls = 64;              ///< in flight
  std::size_t held_calls = 32;         ///< updates and forgets kept for it while it starts
  std::size_t timeouts = 3;            ///< in a row: it is taken for hung
  std::size_t strays = 64;             ///< lines that answer no call, at once; ten more are granted each second
  std::size_t messages = 10000;        ///< of one context
  bus::Backoff::Settings restart{};
};

}  // namespace personad
