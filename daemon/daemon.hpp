#pragma once
#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/system/result.hpp>
#include <memory>
#include <string>

#include "bus/broker.hpp"
#include "bus/client.hpp"
#include "daemon/admin_socket.hpp"
#include "daemon/configuration.hpp"
#include "daemon/listener.hpp"
#include "daemon/model_endpoints.hpp"
#include "daemon/plugin_memories.hpp"
#include "daemon/service_notifier.hpp"
#include "daemon/tail.hpp"
#include "persona/embedder.hpp"
#include "persona/learner.hpp"
#include "persona/question_meanings.hpp"
#include "persona/store/sqlite_archive.hpp"

namespace personad {

/// The whole daemon, wired: store, personas, conversations, bus, administration, service manager.
///
/// Order of start: store, handlers, then the bus, so that nothing heard finds nobody listening. Order of stop: what
/// was asked is answered, nothing more is heard, what is provisional is recorded, what is queued is written.
/// Threading: one io thread runs all of it; the store has a worker of its own behind the archive.
class Daemon {
 public:
  Daemon(boost::asio::io_context& io, LoadedConfiguration loaded, CommandLine command_line, Places places);
  ~Daemon();
  Daemon(const Daemon&) = delete;
  Daemon& operator=(const Daemon&) = delete;

  /// Errors: in words, what cannot be started and what to do about it.
  [[nodiscard]] boost::system::result<void, std::string> start();

 private:
  boost::system::result<void, std::string> open_store();
  boost::system::result<void, std::string> open_bus();
  void open_memories();
  boost::system::result<void, std::string> open_embeddings();
  void wire();
  void load_personas();
  void await_signal();
  void reload();
  void stop();
  void record_and_close();
  void close_everything();
  void arm(std::chrono::steady_clock::time_point due);
  void arm_learner(std::chrono::steady_clock::time_point due);
  void arm_embedder(std::chrono::steady_clock::time_point due);
  void say_on_bus(std::string frame);
  void bus_up();
  void bus_down(const std::string& reason);
  void on_admin_line(std::string_view line, const AdminSocket::Answer& answer, std::uint64_t client);
  void say_status();
  [[nodiscard]] nlohmann::json describe() const;

  boost::asio::io_context& io_;
  LoadedConfiguration loaded_;
  CommandLine command_line_;
  Places places_;
  const std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();

  persona::IdSource ids_;
  const std::string instance_ = ids_.next(std::chrono::system_clock::now());
  persona::RecordingRules rules_;
  persona::RecorderCounts recorder_counts_;
  persona::DegradedContexts degraded_;
  std::unique_ptr<persona::SqliteArchive> archive_;
  std::unique_ptr<PluginMemories> plugins_;
  std::unique_ptr<ModelEndpoints> models_;
  persona::Personas personas_;
  std::unique_ptr<persona::Learner> learner_;
  std::unique_ptr<persona::Embedder> embedder_;          // only with a model of meanings
  std::unique_ptr<persona::QuestionMeanings> meanings_;  // as well
  std::unique_ptr<persona::Conversations> conversations_;
  bus::WireMap wire_map_;
  std::unique_ptr<bus::IdentityRules> identities_;
  std::unique_ptr<Access> access_;
  std::unique_ptr<RequestRouter> router_;
  std::unique_ptr<Listener> listener_;
  std::unique_ptr<bus::Broker> broker_;  // only with an embedded bus
  std::unique_ptr<bus::Client> client_;  // only without
  bus::Link* link_ = nullptr;
  Tail tail_;
  std::unique_ptr<AdminSocket> admin_;
  ServiceNotifier notifier_;
  boost::asio::signal_set signals_;
  boost::asio::steady_timer deadline_timer_;
  boost::asio::steady_timer learner_timer_;
  boost::asio::steady_timer embedder_timer_;
  boost::asio::steady_timer stop_limit_;
  std::optional<std::chrono::steady_clock::time_point> deadline_;
  std::optional<std::chrono::steady_clock::time_point> learner_due_;
  std::optional<std::chrono::steady_clock::time_point> embedder_due_;
  bool stopping_ = false;
  bool closed_ = false;
};

}  // namespace personad
