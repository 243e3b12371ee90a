#include "daemon/daemon.hpp"

#include <spdlog/spdlog.h>

#include <boost/asio/post.hpp>
#include <csignal>
#include <nlohmann/json.hpp>
#include <utility>

#include "bus/session.hpp"
#include "daemon/embedding_setup.hpp"
#include "daemon/endpoint.hpp"

namespace personad {

using nlohmann::json;
using Outcome = boost::system::result<void, std::string>;

namespace {

persona::ShapingSettings shaping_of(const Configuration::Recall& recall) {
  return {recall.speaker, recall.question, recall.dates, recall.captions, recall.recency};
}

}  // namespace

Daemon::Daemon(boost::asio::io_context& io, LoadedConfiguration loaded, CommandLine command_line, Places places)
    : io_(io),
      loaded_(std::move(loaded)),
      command_line_(std::move(command_line)),
      places_(std::move(places)),
      notifier_(io),
      signals_(io, SIGTERM, SIGINT, SIGHUP),
      deadline_timer_(io),
      learner_timer_(io),
      embedder_timer_(io),
      stop_limit_(io) {}

Daemon::~Daemon() = default;

Outcome Daemon::start() {
  if (auto opened = open_store(); !opened) return opened;
  open_memories();
  if (auto opened = open_embeddings(); !opened) return opened;
  load_personas();
  wire();
  if (auto opened = open_bus(); !opened) return opened;
  admin_ = std::make_unique<AdminSocket>(
      io_, loaded_.configuration.admin_socket,
      [this](std::string_view line, const AdminSocket::Answer& answer, std::uint64_t client) {
        on_admin_line(line, answer, client);
      },
      [this](std::uint64_t client) { tail_.gone(client); });
  if (auto listening = admin_->listen(); !listening) return listening;
  learner_->resume();
  if (embedder_) embedder_->wake();
  await_signal();
  notifier_.ready("connecting to the bus");
  spdlog::info("keeping what is said and answered in {} until it is erased; only this user can read it",
               loaded_.configuration.data_dir.string());
  return {};
}

Outcome Daemon::open_store() {
  const Configuration& configuration = loaded_.configuration;
  auto opened = persona::SqliteArchive::open(
      {configuration.data_dir, configuration.store.full_durability, configuration.store.max_waiting_rows,
       configuration.store.max_waiting_bytes, configuration.store.cache_bytes},
      [this](std::function<void()> task) { boost::asio::post(io_, std::move(task)); });
  if (!opened) return opened.error();
  archive_ = std::move(*opened);
  archive_->set_shaping(shaping_of(configuration.recall));
  return {};
}

void Daemon::open_memories() {
  const Configuration& configuration = loaded_.configuration;
  plugins_ = std::make_unique<PluginMemories>(
      io_, std::vector<std::filesystem::path>{configuration.plugins_dir, "/usr/local/lib/personad/plugins",
                                              "/usr/lib/personad/plugins"});
  personas_.look_for_foreign_memories(plugins_.get());
  ModelEndpointSettings models;
  models.http.ca_file = configuration.models.ca_file;
  models_ = std::make_unique<ModelEndpoints>(io_, std::move(models));
  learner_ =
      std::make_unique<persona::Learner>(*archive_, personas_, *models_, &persona::Moment::now,
                                         [this](std::chrono::steady_clock::time_point due) { arm_learner(due); });
}

Outcome Daemon::open_embeddings() {
  auto model = embedding_model(loaded_.configuration.recall.embeddings);
  if (!model) return model.error();
  if (!*model) return {};
  meanings_ = std::make_unique<persona::QuestionMeanings>(**model, *models_);
  embedder_ =
      std::make_unique<persona::Embedder>(*archive_, std::move(**model), *models_, &persona::Moment::now,
                                          [this](std::chrono::steady_clock::time_point due) { arm_embedder(due); });
  return {};
}

void Daemon::wire() {
  const Configuration& configuration = loaded_.configuration;
  rules_.max_turn_bytes = configuration.record.max_turn_bytes;
  rules_.prompt_answers = configuration.record.prompt_answers;
  rules_.persona_skills = configuration.personas.persona_skills;

  persona::Surroundings around{
      archive_.get(),
      &personas_,
      &rules_,
      &ids_,
      &recorder_counts_,
      [this](const persona::ThreadKey& thread, const persona::TurnPtr& turn) { tail_.turn(thread, *turn); },
      &degraded_,
      [this](const persona::ThreadKey& thread, persona::Number before) { learner_->learn(thread, before); },
      [this](std::chrono::steady_clock::time_point due) { arm(due); },
      [this] {
        if (embedder_) embedder_->wake();
      },
      meanings_.get()};
  conversations_ = std::make_unique<persona::Conversations>(
      std::move(around),
      persona::ConversationLimits{configuration.limits.conversations, configuration.limits.window_bytes,
                                  configuration.limits.waiting_requests});
  bus::IdentitySettings identity;
  identity.hub_name = configuration.hivemind.hub_name;
  if (!configuration.hivemind.peer_pattern.empty()) identity.peer_pattern = configuration.hivemind.peer_pattern;
  identity.remote_sources = configuration.hivemind.remote_sources;
  identities_ = std::make_unique<bus::IdentityRules>(std::move(identity));
  access_ = std::make_unique<Access>(wire_map_, configuration.bus_admin);
  router_ = std::make_unique<RequestRouter>(Services{*conversations_, *archive_, personas_, *access_, configuration,
                                                     [this] { return describe(); }, meanings_ != nullptr});
  listener_ = std::make_unique<Listener>(*conversations_, *router_, *identities_, wire_map_, instance_,
                                         [this](std::string frame) { say_on_bus(std::move(frame)); });
  listener_->set_health([this](std::function<void(Health)> then) {
    archive_->status([then = std::move(then)](persona::StoreResult<persona::StoreStatus> store) {
      then({store && store->ok, true});  // nothing is answered before everything is loaded
    });
  });
  listener_->set_rivals_expected(configuration.bus.clustered);
}

Outcome Daemon::open_bus() {
  const Configuration::Bus& bus = loaded_.configuration.bus;
  if (!bus.embedded.empty()) {
    auto settings = broker_settings(bus);
    if (!settings) return settings.error();
    broker_ = std::make_unique<bus::Broker>(io_, std::move(*settings));
    if (auto listening = broker_->listen(); !listening) return listening;
    link_ = &broker_->local();
  } else {
    auto settings = client_settings(bus);
    if (!settings) return settings.error();
    client_ = std::make_unique<bus::Client>(io_, std::move(*settings));
    link_ = client_.get();
  }
  link_->start({[this](std::string_view frame) { listener_->on_frame(frame); }, [this] { bus_up(); },
                [this](const std::string& reason) { bus_down(reason); }});
  return {};
}

void Daemon::load_personas() {
  auto loaded = personas_.load(loaded_.configuration.personas_dir);
  personas_.choose_default(loaded_.configuration.personas.default_persona, loaded_.ovos_default_persona,
                           loaded.warnings);
  for (const std::string& warning : loaded.warnings) spdlog::warn("{}", warning);
  spdlog::info("{} personas from {}; \"{}\" where none is active", loaded.count,
               loaded_.configuration.personas_dir.string(), personas_.default_id());
}

void Daemon::say_on_bus(std::string frame) {
  if (client_) listener_->sent(frame);
  link_->send(std::move(frame));
}

void Daemon::bus_up() {
  conversations_->gap(persona::Moment::now());
  say_status();
}

void Daemon::bus_down(const std::string& reason) {
  listener_->connection_lost();
  conversations_->gap(persona::Moment::now());
  notifier_.status("not connected to " + link_->status().url + ": " + reason);
}

void Daemon::say_status() {
  const bus::LinkStatus status = link_->status();
  notifier_.status((status.up ? "connected to " : "connecting to ") + status.url);
}

// One timer for whatever is due next in any conversation; it is armed anew only when something is due earlier.
void Daemon::arm(std::chrono::steady_clock::time_point due) {
  if (stopping_ || (deadline_ && *deadline_ <= due)) return;
  deadline_ = due;
  deadline_timer_.expires_at(due);
  deadline_timer_.async_wait([this](const boost::system::error_code& error) {
    if (error) return;
    deadline_.reset();
    conversations_->tick(persona::Moment::now());
  });
}

void Daemon::arm_learner(std::chrono::steady_clock::time_point due) {
  if (stopping_ || (learner_due_ && *learner_due_ <= due)) return;
  learner_due_ = due;
  learner_timer_.expires_at(due);
  learner_timer_.async_wait([this](const boost::system::error_code& error) {
    if (error) return;
    learner_due_.reset();
    learner_->tick();
  });
}

void Daemon::arm_embedder(std::chrono::steady_clock::time_point due) {
  if (stopping_ || (embedder_due_ && *embedder_due_ <= due)) return;
  embedder_due_ = due;
  embedder_timer_.expires_at(due);
  embedder_timer_.async_wait([this](const boost::system::error_code& error) {
    if (error) return;
    embedder_due_.reset();
    embedder_->tick();
  });
}

void Daemon::on_admin_line(std::string_view line, const AdminSocket::Answer& answer, std::uint64_t client) {
  auto message = bus::Message::parse(line);
  if (!message) {
    answer(bus::Message{"personad.error",
                        {{"error", "bad_request: one JSON message a line: " + message.error().message()}},
                        json::object()}
               .dump());
    return;
  }
  const persona::Moment at = persona::Moment::now();
  bus::Identity local;
  local.owner = "local";
  local.conversation = bus::Session::of_context(message->context).session_id;
  auto request = std::make_shared<Request>(std::move(*message), std::move(local), Transport::admin,
                                           Request::Arrival{conversations_->next_number(), at, at.steady}, instance_,
                                           answer, [this](std::string frame) { say_on_bus(std::move(frame)); });
  const std::string& topic = request->message().type;
  if (topic == "personad.tail") {
    FieldReader fields(request->data());
    std::string session = fields.text("session_id", kMaxNameBytes).value_or("");
    if (!fields.ok()) return request->refuse(Refusal::bad_request, fields.error());
    tail_.watch(client, std::move(session), answer);
    return request->answer({{"tailing", true}});
  }
  if (!RequestRouter::is_request(topic)) {
    return request->refuse(Refusal::bad_request, "there is no request " + topic);
  }
  router_->handle(std::move(request));
}

void Daemon::await_signal() {
  signals_.async_wait([this](const boost::system::error_code& error, int number) {
    if (error) return;
    if (number == SIGHUP) {
      reload();
      await_signal();
    } else {
      spdlog::info("stopping ({})", number == SIGTERM ? "SIGTERM" : "SIGINT");
      stop();
    }
  });
}

// What can change while running does; the rest says that it needs a restart.
void Daemon::reload() {
  notifier_.reloading();
  auto loaded = load_configuration(command_line_, places_);
  if (!loaded) {
    for (const std::string& error : loaded.error()) spdlog::error("configuration not reloaded: {}", error);
  } else {
    for (const std::string& warning : loaded->warnings) spdlog::warn("{}", warning);
    for (const std::string& key : apply_reload(loaded_.configuration, loaded->configuration)) {
      spdlog::warn("{} has changed and takes effect at the next start", key);
    }
    loaded_.ovos_default_persona = loaded->ovos_default_persona;
    spdlog::set_level(spdlog::level::from_str(loaded_.configuration.log_level));
    rules_.max_turn_bytes = loaded_.configuration.record.max_turn_bytes;
    rules_.prompt_answers = loaded_.configuration.record.prompt_answers;
    rules_.persona_skills = loaded_.configuration.personas.persona_skills;
    archive_->set_shaping(shaping_of(loaded_.configuration.recall));
    access_->set_bus_admin(loaded_.configuration.bus_admin);
    listener_->set_rivals_expected(loaded_.configuration.bus.clustered);
  }
  load_personas();
  conversations_->personas_changed();
  listener_->speak_again();
  notifier_.ready("reloaded");
  say_status();
}

void Daemon::stop() {
  if (std::exchange(stopping_, true)) return;
  notifier_.stopping();
  deadline_timer_.cancel();
  learner_timer_.cancel();
  learner_->stop();
  embedder_timer_.cancel();
  if (embedder_) embedder_->stop();
  stop_limit_.expires_after(std::chrono::seconds(10));
  stop_limit_.async_wait([this](const boost::system::error_code& error) {
    if (error) return;
    spdlog::error("the store or the bus did not finish within 10 seconds; closing anyway");
    close_everything();
  });
  archive_->flush([this] {  // what was asked is answered while there is a bus
    link_->stop([this] {
      if (!broker_) return record_and_close();
      broker_->stop([this] { record_and_close(); });
    });
  });
}

// Nothing more is heard. What was, may still wait for its conversation to be read: a flush comes after that.
void Daemon::record_and_close() {
  archive_->flush([this] { models_->stop([this] { plugins_->stop([this] { close_everything(); }); }); });
}

void Daemon::close_everything() {
  if (std::exchange(closed_, true)) return;
  stop_limit_.cancel();
  signals_.cancel();
  admin_->stop();
  notifier_.stop();
  conversations_->gap(persona::Moment::now());
  archive_->close();
  spdlog::info("stopped");  // the store has said it where something could not be stored
}

}  // namespace personad
