#include "bench/figures.hpp"

#include <algorithm>
#include <cstdio>

namespace bench {

void Figures::heading(const std::string& text) {
  std::printf("\n%s\n", text.c_str());
  std::fflush(stdout);
}

void Figures::add(Figure figure) {
  const int digits = figure.value >= 1000 ? 0 : figure.value >= 10 ? 1 : 2;
  std::printf("  %-58s %10.*f %-10s", figure.name.c_str(), digits, figure.value, figure.unit.c_str());
  if (figure.at_most) {
    const bool met = figure.value <= *figure.at_most;
    std::printf(" target: at most %g, %s", *figure.at_most, met ? "met" : "MISSED");
    missed_ += met ? 0 : 1;
  }
  std::printf("\n");
  std::fflush(stdout);
}

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

}  // namespace bench
