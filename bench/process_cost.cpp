#include "bench/process_cost.hpp"

#include <unistd.h>

#include <chrono>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>

namespace bench {
namespace {

/// Fields 14 and 15 of `stat`, counted after the name, which may hold anything but a closing bracket at its end.
void read_times(const std::string& folder, ProcessCost& into) {
  std::ifstream file(folder + "stat");
  std::string text;
  std::getline(file, text);
  std::istringstream fields(text.substr(text.rfind(')') + 2));
  std::string field;
  constexpr int kUser = 14, kFirst = 3;
  for (int i = kFirst; i < kUser; ++i) fields >> field;
  double user = 0, system = 0;
  fields >> user >> system;
  const auto ticks = static_cast<double>(sysconf(_SC_CLK_TCK));
  into.user_seconds = user / ticks;
  into.system_seconds = system / ticks;
}

void read_memory(const std::string& folder, ProcessCost& into) {
  std::ifstream file(folder + "smaps_rollup");
  for (std::string line; std::getline(file, line);) {
    std::istringstream fields(line);
    std::string name;
    double kilobytes = 0;
    if (!(fields >> name >> kilobytes)) continue;
    if (name == "Private_Dirty:") into.private_dirty_mb = kilobytes / 1024;
    if (name == "Rss:") into.resident_mb = kilobytes / 1024;
  }
}

struct ProcessorTime {
  double idle = 0;
  double all = 0;
};

ProcessorTime processor_time() {
  std::ifstream file("/proc/stat");
  std::string name;
  file >> name;
  constexpr int kIdle = 3, kWaiting = 4, kFields = 8;
  ProcessorTime time;
  for (int i = 0; i < kFields; ++i) {
    double ticks = 0;
    file >> ticks;
    time.all += ticks;
    if (i == kIdle || i == kWaiting) time.idle += ticks;
  }
  return time;
}

}  // namespace

double busy_share() {
  const ProcessorTime before = processor_time();
  std::this_thread::sleep_for(std::chrono::seconds(1));
  const ProcessorTime after = processor_time();
  return 1 - (after.idle - before.idle) / (after.all - before.all);
}

ProcessCost ProcessCost::of(pid_t pid) {
  ProcessCost cost;
  const std::string folder = "/proc/" + std::to_string(pid) + "/";
  read_times(folder, cost);
  read_memory(folder, cost);
  return cost;
}

}  // namespace bench
