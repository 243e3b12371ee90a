#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <vector>

#include "bench/conversations.hpp"
#include "bench/measurements.hpp"
#include "bench/processors.hpp"
#include "bench/round_trips.hpp"
#include "tests/fakes/model_server.hpp"
#include "tests/system/daemon_process.hpp"

// What a conversation notices of the model that learns from it: nothing, whether it answers, hangs or is not there.
namespace bench {
namespace {

using nlohmann::json;
using system_tests::DaemonProcess;
using system_tests::DaemonSettings;
using tests::ModelReply;
using tests::ModelServer;

constexpr std::size_t kSessions = 50;
constexpr int kRounds = 5;
constexpr double kPerSecond = 500;

enum class Endpoint { answers, hangs, is_dead };
constexpr std::pair<Endpoint, const char*> kEndpoints[] = {
    {Endpoint::answers, "endpoint that answers"},
    {Endpoint::hangs, "endpoint that hangs"},
    {Endpoint::is_dead, "endpoint that is not there"},
};

DaemonSettings learning_from(const std::string& api_url) {
  const json entity{{"api_url", api_url}, {"model", "any"}, {"request_timeout", 5}};
  DaemonSettings settings;
  settings.personas["ada"] = {{"name", "Ada"},
                              {"memory_module", "ovos-memory-plugin-composite"},
                              {"ovos-memory-plugin-composite",
                               {{"members",
                                 {{{"module", "ovos-memory-plugin-recency"}},
                                  {{"module", "ovos-memory-plugin-entity"}, {"config", entity}}}}}}};
  return settings;
}

struct Times {
  double context_us = 0;
  double turn_us = 0;
};

// A daemon of its own for each round, so that one round's backlog is not the next one's.
Times one_round(Endpoint endpoint, Effort effort, const Apart& apart) {
  auto model = std::make_unique<ModelServer>();
  model->answer_chat([](const tests::ModelRequest&) { return std::string(R"(["Likes tea"])"); });
  const std::string url = model->url();
  if (endpoint == Endpoint::hangs) model->always(ModelReply::after_release(ModelReply::chat("[]")));
  if (endpoint == Endpoint::is_dead) model.reset();
  DaemonSettings settings = learning_from(url);
  settings.wrapper = apart.other();
  DaemonProcess personad(std::move(settings));
  BusConnection connection(personad.url());
  const auto began = Clock::now();
  const std::size_t exchanges = std::max<std::size_t>(effort.of(20), 1);
  talk(connection, kSessions, exchanges);
  Times times;
  times.turn_us = std::chrono::duration<double, std::micro>(Clock::now() - began).count() /
                  static_cast<double>(kSessions * exchanges);
  RoundTrips contexts(connection, context_questions(kSessions));
  times.context_us = contexts.paced(kPerSecond, std::chrono::milliseconds(effort.of(1000))).percentile_us(0.5);
  return times;
}

}  // namespace

void measure_learning(Figures& figures, Effort effort) {
  constexpr std::size_t kWays = std::size(kEndpoints);
  const Apart apart;
  std::vector<double> contexts[kWays], turns[kWays], context_ratios[kWays], turn_ratios[kWays];
  for (int round = 0; round < kRounds; ++round) {
    Times all[kWays];
    for (std::size_t way = 0; way < kWays; ++way) {
      all[way] = one_round(kEndpoints[way].first, effort, apart);
      contexts[way].push_back(all[way].context_us);
      turns[way].push_back(all[way].turn_us);
      context_ratios[way].push_back(all[way].context_us / all[0].context_us);
      turn_ratios[way].push_back(all[way].turn_us / all[0].turn_us);
    }
  }
  figures.heading("A turn beside an endpoint that learns facts from it, 50 sessions, middle of 5 rounds");
  for (std::size_t way = 0; way < kWays; ++way) {
    const std::string name = kEndpoints[way].second;
    figures.add({"context p50, " + name, median(contexts[way]), "us", {}});
    figures.add({"exchange until it is stored, " + name, median(turns[way]), "us", {}});
    if (way == 0) continue;
    figures.add({"context, ratio to one that answers", median(context_ratios[way]), "", 1.2});
    figures.add({"exchange, ratio to one that answers", median(turn_ratios[way]), "", 1.2});
  }
}

}  // namespace bench
