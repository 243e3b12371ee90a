#pragma once
#include <cstddef>
#include <string>

#include "bench/figures.hpp"

// What is measured. Each starts daemons of its own, in folders of their own, and ends them.
namespace bench {

/// Smaller runs for a quick look: everything is divided by this.
struct Effort {
  std::size_t divisor = 1;
  [[nodiscard]] std::size_t of(std::size_t count) const { return count / divisor; }
};

/// Time inside the daemon from a context request's frame read to its answer handed to the socket.
void measure_inside(Figures& figures, Effort effort);
/// Round trip of a context request against a bare echo with answers of equal size, on the embedded bus at half load.
void measure_round_trip(Figures& figures, Effort effort);
void measure_throughput(Figures& figures, Effort effort);
void measure_memory(Figures& figures, Effort effort);
void measure_start(Figures& figures, Effort effort);
void measure_relay(Figures& figures, Effort effort);
/// Processor time for a frame that nobody reads.
void measure_unread(Figures& figures, Effort effort);

/// What a turn notices of a model endpoint that answers, hangs or is not there.
void measure_learning(Figures& figures, Effort effort);

/// The round trip of a context request against an echo on a bus that runs already, with a personad on it: prints both
/// medians and their ratio. False when the ratio is above `at_most`.
[[nodiscard]] bool compare_on(const std::string& url, double at_most);

}  // namespace bench
