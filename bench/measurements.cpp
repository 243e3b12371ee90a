#include "bench/measurements.hpp"

#include <poll.h>

#include <future>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <vector>

#include "bench/conversations.hpp"
#include "bench/echo_client.hpp"
#include "bench/process_cost.hpp"
#include "bench/processors.hpp"
#include "bench/round_trips.hpp"
#include "tests/system/daemon_process.hpp"

namespace bench {
namespace {

using nlohmann::json;
using system_tests::DaemonProcess;
using system_tests::DaemonSettings;

constexpr std::size_t kSessions = 200;
constexpr std::size_t kFewInFlight = 32;

Question echo_question(std::size_t answer_bytes) {
  return Question("bench.echo", R"("answer_bytes":)" + std::to_string(answer_bytes), "bench-session-0");
}

/// Two kinds of round trip on one bus, taken in turns so that whatever else the machine does hits both; what counts is
/// the median of the rounds.
struct Comparison {
  std::vector<double> context_p50, context_p99, echo_p50, echo_p99, ratio;
  std::size_t answer_bytes = 0;

  void add(const Trips& context, const Trips& echo) {
    context_p50.push_back(context.percentile_us(0.5));
    context_p99.push_back(context.percentile_us(0.99));
    echo_p50.push_back(echo.percentile_us(0.5));
    echo_p99.push_back(echo.percentile_us(0.99));
    ratio.push_back(context_p50.back() / echo_p50.back());
    answer_bytes = echo.answer_bytes;
  }

  void report(Figures& figures, double at_most) const {
    figures.add({"context request, p50", median(context_p50), "us", {}});
    figures.add({"context request, p99", median(context_p99), "us", {}});
    figures.add({"bare echo of " + std::to_string(answer_bytes) + " bytes, p50", median(echo_p50), "us", {}});
    figures.add({"bare echo, p99", median(echo_p99), "us", {}});
    figures.add({"ratio of the p50s, in one round", median(ratio), "", at_most});
  }
};

// Each kind alone with the asker: the echo client is on the bus only while it is measured.
Comparison compare(BusConnection& connection, const std::string& url, const Apart& apart, double per_second,
                   std::chrono::nanoseconds round) {
  constexpr int kRounds = 9;
  RoundTrips contexts(connection, context_questions(kSessions));
  const std::size_t answer_bytes = contexts.at_full_speed(kSessions, 1).answer_bytes;
  RoundTrips echoes(connection, {echo_question(answer_bytes)});
  Comparison comparison;
  for (int i = 0; i < kRounds; ++i) {
    const Trips context = contexts.paced(per_second, round);
    const EchoProcess echo(url, apart);
    comparison.add(context, echoes.paced(per_second, round));
  }
  return comparison;
}

Trips most_echoes(BusConnection& connection, const std::string& url, const Apart& apart, std::size_t answer_bytes,
                  std::size_t count) {
  const EchoProcess echo(url, apart);
  return RoundTrips(connection, {echo_question(answer_bytes)}).at_full_speed(count, kFewInFlight);
}

/// Reads from several connections until they have had so many frames in all. False when they stay out.
bool drain(std::vector<std::unique_ptr<BusConnection>>& connections, std::size_t frames) {
  std::vector<pollfd> readable;
  for (const auto& connection : connections) readable.push_back({connection->descriptor(), POLLIN, 0});
  for (std::size_t seen = 0; seen < frames;) {
    if (poll(readable.data(), readable.size(), 30000) <= 0) return false;
    for (std::size_t i = 0; i < readable.size(); ++i) {
      if (readable[i].revents != 0) seen += connections[i]->discard();
    }
  }
  return true;
}

double relayed_per_second(const std::string& url, std::size_t readers, std::size_t frames) {
  constexpr std::size_t kWindow = 64;  // frames on their way: a sender that waits for its own, as clients do
  std::vector<std::unique_ptr<BusConnection>> connections;
  for (std::size_t i = 0; i < readers; ++i) connections.push_back(std::make_unique<BusConnection>(url));
  BusConnection sender(url);
  const std::string frame = unread(1300);
  for (auto& connection : connections) (void)connection->receive(std::chrono::seconds(5));  // the greeting
  (void)sender.receive(std::chrono::seconds(5));
  const auto began = Clock::now();
  auto reader = std::async(std::launch::async, [&] { return drain(connections, readers * frames); });
  std::size_t back = 0;
  for (std::size_t sent = 0; back < frames;) {
    for (; sent < frames && sent - back < kWindow; ++sent) sender.send(frame);
    if (!sender.receive(std::chrono::seconds(30))) break;
    for (++back; sender.received(); ++back) {
    }
  }
  if (!reader.get()) throw std::runtime_error("frames are missing");
  return static_cast<double>(frames) / std::chrono::duration<double>(Clock::now() - began).count();
}

}  // namespace

void measure_inside(Figures& figures, Effort effort) {
  constexpr double kPerSecond = 2000;
  DaemonProcess personad;
  BusConnection connection(personad.url());
  talk(connection, kSessions, 5);
  RoundTrips contexts(connection, context_questions(kSessions));
  const std::size_t count = effort.of(20000);
  (void)contexts.paced(
      kPerSecond, std::chrono::nanoseconds(static_cast<std::int64_t>(1e9 * static_cast<double>(count) / kPerSecond)));
  const json timings = ask(connection, "ovos.memory.status")["timings"]["context"];
  figures.heading("Inside the daemon: a context request's frame read to its answer handed to the socket");
  figures.add({"requests over 200 sessions, 2,000 a second", timings["count"].get<double>(), "", {}});
  figures.add({"p50", timings["p50_us"].get<double>(), "us", 100});
  figures.add({"p99", timings["p99_us"].get<double>(), "us", 500});
}

void measure_round_trip(Figures& figures, Effort effort) {
  const Apart apart;
  DaemonSettings settings;
  settings.wrapper = apart.other();
  DaemonProcess personad(std::move(settings));
  BusConnection connection(personad.url());
  talk(connection, kSessions, 5);
  const Trips contexts =
      RoundTrips(connection, context_questions(kSessions)).at_full_speed(effort.of(20000), kFewInFlight);
  const Trips echoes = most_echoes(connection, personad.url(), apart, contexts.answer_bytes, effort.of(20000));
  const double half = std::min(contexts.per_second(), echoes.per_second()) / 2;
  figures.heading("Round trip on the embedded bus at half load, against a bare echo client");
  figures.add({"most context requests a second, 32 in flight", contexts.per_second(), "/s", {}});
  figures.add({"most echoes a second, 32 in flight", echoes.per_second(), "/s", {}});
  figures.add({"half of the lower one: the load of both", half, "/s", {}});
  compare(connection, personad.url(), apart, half, std::chrono::milliseconds(effort.of(1000))).report(figures, 1.3);
}

void measure_throughput(Figures& figures, Effort effort) {
  figures.heading("Throughput");
  const std::size_t each = effort.of(100);
  {
    DaemonProcess personad;
    BusConnection connection(personad.url());
    const auto began = Clock::now();
    talk(connection, kSessions, each);
    const double seconds = std::chrono::duration<double>(Clock::now() - began).count();
    const double turns = ask(connection, "ovos.memory.status")["counts"]["turns"].get<double>();
    if (turns != static_cast<double>(2 * kSessions * each)) throw std::runtime_error("turns are missing");
    figures.add(
        {"utterance + speak pairs, heard and stored", static_cast<double>(kSessions * each) / seconds, "pairs/s", {}});
  }
  std::vector<double> rates;
  for (int run = 0; run < 3; ++run) {
    DaemonProcess personad;
    BusConnection connection(personad.url());
    talk(connection, kSessions, 5);
    rates.push_back(RoundTrips(connection, context_questions(kSessions))
                        .at_full_speed(effort.of(30000), kFewInFlight)
                        .per_second());
  }
  figures.add({"context requests, 32 in flight", median(rates), "/s", {}});
}

void measure_memory(Figures& figures, Effort effort) {
  DaemonProcess personad;
  BusConnection connection(personad.url());
  (void)ask(connection, "ovos.memory.status");
  const ProcessCost idle = ProcessCost::of(personad.pid());
  const std::size_t sessions = effort.of(10000);
  talk(connection, sessions, 5);
  const ProcessCost talked = ProcessCost::of(personad.pid());
  const double thousands = static_cast<double>(sessions) / 1000;
  figures.heading("Memory");
  figures.add({"idle, private dirty", idle.private_dirty_mb, "MB", 8});
  figures.add({"idle, resident", idle.resident_mb, "MB", {}});
  figures.add({std::to_string(sessions) + " sessions of 10 messages, resident", talked.resident_mb, "MB", {}});
  figures.add({"for each 1,000 sessions of 10 messages, private dirty",
               (talked.private_dirty_mb - idle.private_dirty_mb) / thousands,
               "MB",
               {}});
}

void measure_start(Figures& figures, Effort effort) {
  std::vector<double> fresh, again;
  const std::size_t runs = std::max<std::size_t>(effort.of(20), 5);
  for (std::size_t i = 0; i < runs; ++i) {
    DaemonProcess personad;
    fresh.push_back(static_cast<double>(personad.ready_after().count()) / 1000);
    (void)personad.terminate();
    personad.start();
    again.push_back(static_cast<double>(personad.ready_after().count()) / 1000);
  }
  figures.heading("Start, from exec to READY=1");
  figures.add({"with an empty data folder, median of " + std::to_string(runs), median(fresh), "ms", 100});
  figures.add({"with a store that exists, median of " + std::to_string(runs), median(again), "ms", 100});
}

void measure_relay(Figures& figures, Effort effort) {
  DaemonProcess personad;
  std::vector<double> one, ten;
  for (int run = 0; run < 3; ++run) {
    one.push_back(relayed_per_second(personad.url(), 1, effort.of(50000)));
    ten.push_back(relayed_per_second(personad.url(), 10, effort.of(20000)));
  }
  figures.heading("Relay of the embedded bus, messages of 1.3 KB");
  figures.add({"1 sender to 1 reader", median(one), "msg/s", {}});
  figures.add({"1 sender to 10 readers", median(ten), "msg/s", {}});
}

void measure_unread(Figures& figures, Effort effort) {
  DaemonSettings together;  // two that are meant to share a bus
  together.configuration = {{"bus", {{"clustered", true}}}};
  DaemonProcess bus(together);  // whose embedded bus the other one connects to
  together.bus_url = bus.url();
  DaemonProcess personad(std::move(together));
  BusConnection connection(bus.url());
  figures.heading("Processor time of a client personad for a frame that nobody reads");
  struct Case {
    const char* name;
    std::size_t bytes, frames;
  };
  for (const Case& one : {Case{"1.3 KB", 1300, effort.of(100000)}, Case{"100 KB", 100000, effort.of(10000)}}) {
    const std::string frame = unread(one.bytes);
    const ProcessCost before = ProcessCost::of(personad.pid());
    for (std::size_t i = 0; i < one.frames; ++i) {
      connection.send(frame);
      (void)connection.receive(std::chrono::seconds(30));  // it comes back to its sender
    }
    for (int both = 0; both < 2; ++both) (void)ask(connection, "ovos.memory.status");
    const ProcessCost after = ProcessCost::of(personad.pid());
    const double per_frame = 1e6 / static_cast<double>(one.frames);
    const double user = (after.user_seconds - before.user_seconds) * per_frame;
    const double system = (after.system_seconds - before.system_seconds) * per_frame;
    figures.add({std::string(one.name) + ", user", user, "us", {}});
    figures.add({std::string(one.name) + ", system", system, "us", {}});
  }
}

bool compare_on(const std::string& url, double at_most) {
  constexpr double kPerSecond = 50;  // few enough that neither side queues
  const Apart apart;
  BusConnection connection(url);
  talk(connection, kSessions, 3);
  Figures figures;
  figures.heading("Round trip on " + url + ", 50 a second");
  compare(connection, url, apart, kPerSecond, std::chrono::seconds(1)).report(figures, at_most);
  return figures.missed() == 0;
}

}  // namespace bench
