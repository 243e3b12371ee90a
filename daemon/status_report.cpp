#include <nlohmann/json.hpp>

#include "daemon/daemon.hpp"

// What the daemon says of itself for ovos.memory.status.
namespace personad {

using nlohmann::json;

json Daemon::describe() const {
  using namespace std::chrono;
  const bus::LinkStatus link = link_->status();
  const ListenerCounts& heard = listener_->counts();
  const Latency& latency = listener_->context_latency();
  json status{{"version", PERSONAD_VERSION},
              {"instance", instance_},
              {"uptime_s", duration<double>(steady_clock::now() - started_).count()},
              {"ready", !listener_->silenced()},
              {"endpoints", models_->status()},
              {"plugins", plugins_->status()}};
  status["bus"] = {{"url", link.url},
                   {"connected", link.up},
                   {"connects", link.connects},
                   {"frames_in", link.frames_in},
                   {"frames_out", link.frames_out},
                   {"dropped_out", link.dropped_out}};
  if (broker_) {
    const bus::BrokerStatus broker = broker_->status();
    status["bus"]["embedded"] = {{"connections", broker.connections},
                                 {"frames", broker.frames},
                                 {"rejected_carriers", broker.rejected_carriers},
                                 {"slow_readers", broker.slow_readers},
                                 {"refused", broker.refused}};
  }
  status["counts"] = {{"frames", heard.frames},
                      {"frames_read", heard.read},
                      {"not_messages", heard.not_messages},
                      {"twins", heard.twins},
                      {"echoes", heard.echoes},
                      {"requests", heard.requests},
                      {"conversations_in_ram", conversations_->size()},
                      {"unsolicited", recorder_counts_.unsolicited},
                      {"not_recorded",
                       {{"empty", recorder_counts_.empty_entries},
                        {"too_large", recorder_counts_.too_large},
                        {"prompt_answers", recorder_counts_.prompt_answers},
                        {"own_skill", recorder_counts_.own_skill},
                        {"cancelled", recorder_counts_.cancelled},
                        {"overload", conversations_->dropped()}}}};
  status["counts"]["import"] = {{"imported", conversations_->imports().imported()},
                                {"skipped", conversations_->imports().skipped()}};
  status["counts"]["contexts_degraded"] = {{"without_recollection", degraded_.without_recollection},
                                           {"without_program", degraded_.without_program},
                                           {"not_forgotten", degraded_.not_forgotten}};
  const persona::LearnerStatus& learning = learner_->status();
  status["learning"] = {{"waiting", learning.waiting},   {"asking", learning.asking},     {"learnt", learning.learnt},
                        {"failed", learning.failed},     {"given_up", learning.given_up}, {"dropped", learning.dropped},
                        {"last_error", learning.trouble}};
  if (embedder_) {
    const persona::EmbedderStatus& embedding = embedder_->status();
    const persona::QuestionMeaningsStatus& questions = meanings_->status();
    status["embeddings"] = {{"model", embedder_->model().name},
                            {"embedded", embedding.embedded},
                            {"waiting", embedding.waiting},
                            {"failed", embedding.failed},
                            {"given_up", embedding.given_up},
                            {"last_error", embedding.trouble},
                            {"questions",
                             {{"asked", questions.asked},
                              {"remembered", questions.remembered},
                              {"by_words_alone", questions.by_words_alone},
                              {"last_error", questions.trouble}}}};
  }
  status["queue"] = {{"waiting", conversations_->waiting()}, {"outbox_bytes", link.outbox_bytes}};
  status["timings"] = {{"context",
                        {{"count", latency.count()},
                         {"p50_us", latency.percentile_us(0.5)},
                         {"p99_us", latency.percentile_us(0.99)},
                         {"max_us", latency.max_us()}}}};
  return status;
}

}  // namespace personad
