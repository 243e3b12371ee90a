#include "daemon/ctl/bus_connection.hpp"

#include "bus/message.hpp"
#include "bus/session.hpp"
#include "bus/topics.hpp"
#include "bus/twin_filter.hpp"

namespace personad::ctl {
namespace {

using nlohmann::json;
using std::chrono::steady_clock;

double unix_now() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

/// What was said, of an entry: its first utterance that is not blank; of a speak: its utterance.
std::string words_of(const bus::Message& message) {
  const auto text = [](const json& value) { return value.is_string() ? value.get<std::string>() : std::string{}; };
  if (const auto it = message.data.find("utterance"); it != message.data.end()) return text(*it);
  const auto it = message.data.find("utterances");
  if (it == message.data.end() || !it->is_array()) return {};
  for (const auto& each : *it) {
    if (auto words = text(each); words.find_first_not_of(" \t\r\n") != std::string::npos) return words;
  }
  return {};
}

/// A frame as the turn it will become; nothing when it is not conversation.
std::optional<json> turn_of(const bus::Message& message) {
  const auto topic = bus::canonical(message.type);
  const bool question = topic == bus::topic::kUtterance;
  if (!question && topic != bus::topic::kSpeak) return std::nullopt;
  const auto session = bus::Session::of_context(message.context);
  json turn;
  turn["session_id"] = session.session_id;
  if (session.persona_id && !session.persona_id->empty()) turn["persona_id"] = *session.persona_id;
  turn["role"] = question ? "user" : "assistant";
  turn["content"] = words_of(message);
  turn["timestamp"] = unix_now();
  return turn;
}

}  // namespace

BusConnection::BusConnection(bus::Url url, WhenAbsent when_absent) : url_(std::move(url)), when_absent_(when_absent) {}

BusConnection::~BusConnection() {
  if (!client_) return;
  bool stopped = false;
  client_->stop([&] { stopped = true; });
  run_until([&] { return stopped; }, steady_clock::now() + std::chrono::seconds(3));
}

bool BusConnection::run_until(const std::function<bool()>& done, steady_clock::time_point deadline) {
  while (!done()) {
    if (steady_clock::now() >= deadline) return false;
    if (io_.stopped()) io_.restart();
    io_.run_one_until(deadline);
  }
  return true;
}

Failure BusConnection::unreachable() const {
  return {Exit::no_connection, "cannot connect to the bus " + url_.text() + (reason_.empty() ? "" : ": " + reason_) +
                                   "\nIs the message bus running? (ovos-messagebus, or personad --embedded-bus)"};
}

std::optional<Failure> BusConnection::connect() {
  if (up_) return std::nullopt;
  if (!client_) {
    bus::ClientSettings settings;
    settings.url = url_;
    client_ = std::make_unique<bus::Client>(io_, std::move(settings));
    bus::LinkHandlers handlers;
    handlers.on_frame = [this](std::string_view frame) {
      if (on_frame_) on_frame_(frame);
    };
    handlers.on_up = [this] { up_ = true; };
    handlers.on_down = [this](const std::string& reason) {
      up_ = false;
      failed_ = true;
      reason_ = reason;
    };
    client_->start(std::move(handlers));
  }
  const bool wait = when_absent_ == WhenAbsent::wait;
  run_until([&] { return up_ || (failed_ && !wait); }, steady_clock::now() + kPatience);
  if (up_) return std::nullopt;
  return unreachable();
}

Reply BusConnection::ask(std::string_view type, json data) {
  if (auto failure = connect()) return {.result = {}, .failure = std::move(failure)};
  const auto asked = make_request(type, std::move(data));
  std::optional<Reply> reply;
  on_frame_ = [&](std::string_view frame) {
    if (!reply) reply = answer_in(frame, asked);
  };
  failed_ = false;
  client_->send(asked.line);
  run_until([&] { return reply || failed_; }, steady_clock::now() + kPatience);
  on_frame_ = nullptr;
  if (reply) return std::move(*reply);
  if (failed_) return {.result = {}, .failure = unreachable()};
  return {.result = {},
          .failure = Failure{Exit::no_connection, "nobody answered on " + url_.text() + " within " +
                                                      std::to_string(kPatience.count()) +
                                                      " seconds: is personad running and connected to this bus?"}};
}

Failure BusConnection::tail(const std::string& session_id, const OnTurn& on_turn) {
  if (auto failure = connect()) return *failure;
  bus::TwinFilter twins;
  on_frame_ = [&](std::string_view frame) {
    const auto message = bus::Message::parse(frame);
    if (!message) return;
    const auto turn = turn_of(*message);
    if (!turn || twins.is_twin(*message, steady_clock::now())) return;
    if (session_id.empty() || (*turn)["session_id"] == session_id) on_turn(*turn);
  };
  failed_ = false;
  while (!failed_) run_until([&] { return failed_; }, steady_clock::now() + std::chrono::hours(1));
  on_frame_ = nullptr;
  return {Exit::no_connection, "the bus closed the connection: " + reason_};
}

void BusConnection::say(std::string_view type, json data, json context) {
  bus::Message message;
  message.type = type;
  message.data = std::move(data);
  message.context = std::move(context);
  client_->send(message.dump());
}

std::optional<json> BusConnection::hear(std::string_view type, std::chrono::milliseconds patience) {
  std::optional<json> heard;
  on_frame_ = [&](std::string_view frame) {
    auto message = bus::Message::parse(frame);
    if (!heard && message && message->type == type) heard = std::move(message->data);
  };
  run_until([&] { return heard.has_value(); }, steady_clock::now() + patience);
  on_frame_ = nullptr;
  return heard;
}

}  // namespace personad::ctl
