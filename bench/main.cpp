#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "bench/echo_client.hpp"
#include "bench/measurements.hpp"
#include "bench/process_cost.hpp"
#include "bench/recall.hpp"

namespace {

using Measurement = void (*)(bench::Figures&, bench::Effort);

constexpr std::pair<const char*, Measurement> kMeasurements[] = {
    {"inside", bench::measure_inside},         {"round-trip", bench::measure_round_trip},
    {"throughput", bench::measure_throughput}, {"memory", bench::measure_memory},
    {"start", bench::measure_start},           {"relay", bench::measure_relay},
    {"unread", bench::measure_unread},         {"learning", bench::measure_learning},
};

// It takes minutes: only where it is asked for by name.
constexpr const char* kRecall = "recall";

int measure(const std::vector<std::string>& wanted, bench::Effort effort, const std::vector<std::size_t>& sizes) {
  const double busy = bench::busy_share();
  std::printf("%u processors, %.0f %% of them busy with other work%s\n", std::thread::hardware_concurrency(),
              100 * busy, busy > 0.05 ? ": round trips and rates are worse than on an idle machine" : "");
  bench::Figures figures;
  for (const auto& [name, measurement] : kMeasurements) {
    if (wanted.empty() || std::find(wanted.begin(), wanted.end(), name) != wanted.end()) measurement(figures, effort);
  }
  if (std::find(wanted.begin(), wanted.end(), kRecall) != wanted.end()) bench::measure_recall(figures, effort, sizes);
  return figures.missed() == 0 ? 0 : 1;
}

int run(int argc, char** argv) {
  CLI::App app("personad_bench - measures the personad that was built with it; leaves with 1 when a target is missed",
               "personad_bench");
  std::vector<std::string> wanted;
  bench::Effort effort;
  std::string compare_url;
  double at_most = 1.5;
  std::vector<std::size_t> sizes{10000, 100000, 1000000};
  app.add_option("WHAT", wanted,
                 "inside round-trip throughput memory start relay unread learning recall (default: all but recall)")
      ->type_name("")
      ->check(CLI::IsMember(
          {"inside", "round-trip", "throughput", "memory", "start", "relay", "unread", "learning", kRecall}));
  app.add_option("--sizes", sizes, "recall: how many turns are stored, for each column")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(CLI::Range(1000, 10000000));
  app.add_option("--divide", effort.divisor, "Do so many times less of everything, for a quick look")
      ->check(CLI::Range(1, 100));
  app.add_option("--compare-on", compare_url, "Only compare a context request with an echo on this bus")
      ->type_name("URL");
  app.add_option("--ratio", at_most, "With --compare-on: the highest ratio that is well");
  CLI11_PARSE(app, argc, argv);
  if (!compare_url.empty()) return bench::compare_on(compare_url, at_most) ? 0 : 1;
  return measure(wanted, effort, sizes);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "personad_bench: %s\n", error.what());
    return 2;
  }
}
