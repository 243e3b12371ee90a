#pragma once
#include <cstddef>
#include <vector>

#include "bench/figures.hpp"
#include "bench/measurements.hpp"

namespace bench {

/// What it takes to import turns, and to search among them in each scope, with so many turns stored: side by side, a
/// daemon of its own for each size. Targets are those of the last size.
void measure_recall(Figures& figures, Effort effort, const std::vector<std::size_t>& sizes);

}  // namespace bench
