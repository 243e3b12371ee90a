#include "daemon/listener.hpp"

#include <spdlog/spdlog.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "bus/frame_scan.hpp"
#include "bus/topics.hpp"

namespace personad {

Listener::Listener(persona::Conversations& conversations, RequestRouter& router, const bus::IdentityRules& identities,
                   bus::WireMap& wire_map, std::string instance, std::function<void(std::string)> send)
    : conversations_(conversations),
      router_(router),
      identities_(identities),
      wire_map_(wire_map),
      instance_(std::move(instance)),
      send_(std::move(send)),
      rivals_(instance_) {}

void Listener::on_frame(std::string_view frame) {
  const auto read_at = std::chrono::steady_clock::now();
  ++counts_.frames;
  const auto topic = bus::scan_type(frame, scratch_);
  if (!topic) return;  // a greeting, or no object at all: none of ours
  const Reading reading = reading_of(*topic, frame);
  if (reading.interest == Interest::none) return;
  ++counts_.read;
  const persona::Moment at{read_at, std::chrono::system_clock::now()};
  const bool could_be_ours = reading.interest == Interest::answer || reading.what == persona::Heard::What::activated ||
                             reading.what == persona::Heard::What::dismissed;
  if (could_be_ours && echoes_.is_echo(frame, at.steady)) {
    ++counts_.echoes;
    return;
  }
  const bool asks = reading.interest == Interest::request;
  auto message = asks ? bus::Message::parse_lightly(frame) : bus::Message::parse(frame);
  if (!message && message.error() == bus::ParseError::wrong_data && asks) {
    return refuse_data(frame, at);
  }
  if (!message) return not_a_message(message.error(), *topic);
  on_message(std::move(*message), reading, at);
}

void Listener::not_a_message(const boost::system::error_code& why, std::string_view topic) {
  ++counts_.not_messages;
  if (const auto held_back = complaints_.allow(std::chrono::steady_clock::now())) {
    // Anything else than a topic comes from outside as it is, line breaks and all.
    spdlog::warn("dropped a frame of topic {:.64}: {} ({} more since the last such line)",
                 bus::is_valid_topic(topic) ? topic : "(not valid)", why.message(), *held_back);
  }
}

void Listener::on_message(bus::Message message, Reading reading, persona::Moment at) {
  bus::Identity identity = identities_.identify(message.context);
  const bool entered = reading.interest == Interest::utterance && reading.what == persona::Heard::What::entry;
  if (!identity.is_local() || entered) wire_map_.learn(identity);
  switch (reading.interest) {
    case Interest::request:
    case Interest::health:
      return on_request(std::move(message), std::move(identity), reading.interest, at);
    case Interest::unknown_request:
      return on_unknown_request(std::move(message), std::move(identity), at);
    case Interest::answer:
      return on_answer(message, identity, at);
    default:
      break;
  }
  if (twins_.is_twin(message, at.steady)) {
    ++counts_.twins;
    return;
  }
  if (identity.one_shot) return;  // a HiveMind query: answered, never stored
  if (auto heard = heard_of(message, reading.what, identity)) {
    heard->heard.number = conversations_.next_number();
    heard->heard.at = at;
    conversations_.hear(heard->where, std::move(heard->heard));
  }
}

void Listener::on_request(bus::Message message, bus::Identity identity, Interest interest, persona::Moment at) {
  ++counts_.requests;
  if (silenced_ && interest == Interest::request) return;
  rivals_.asked(message, at.steady);
  auto request = make_request(std::move(message), std::move(identity), at);
  if (interest == Interest::health) {
    ask_health_([this, request](Health health) {
      health.ready = health.ready && !silenced_;
      answer_health(*request, health);
    });
    return;
  }
  router_.handle(std::move(request));
}

// Silence would keep the asker waiting. What a daemon says is no request, also where a later version says more; and no
// rival is looked for by it, as only its own version would answer.
void Listener::on_unknown_request(bus::Message message, bus::Identity identity, persona::Moment at) {
  if (silenced_ || message.context.contains("instance")) return;
  ++counts_.requests;
  const std::string words = "there is no request " + message.type + " in this version";
  make_request(std::move(message), std::move(identity), at)->refuse(Refusal::bad_request, words);
}

RequestPtr Listener::make_request(bus::Message message, bus::Identity identity, persona::Moment at) {
  const bool timed = message.type == "ovos.memory.context";
  return std::make_shared<Request>(std::move(message), std::move(identity), Transport::bus,
                                   Request::Arrival{conversations_.next_number(), at, at.steady}, instance_,
                                   [this, timed, read_at = at.steady](std::string frame) {
                                     send_(std::move(frame));
                                     if (timed) context_latency_.add(std::chrono::steady_clock::now() - read_at);
                                   });
}

// Whoever asks with the wrong kind of `data` is told so; the rest of the frame says where the answer goes.
void Listener::refuse_data(std::string_view frame, persona::Moment at) {
  auto root = nlohmann::json::parse(frame, nullptr, false);
  root["data"] = nlohmann::json::object();
  auto message = bus::Message::parse(root.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
  if (!message) return not_a_message(message.error(), root["type"].get_ref<const std::string&>());
  ++counts_.requests;
  if (silenced_) return;
  bus::Identity identity = identities_.identify(message->context);
  make_request(std::move(*message), std::move(identity), at)->refuse(Refusal::bad_request, "data must be an object");
}

void Listener::on_answer(const bus::Message& message, const bus::Identity& identity, persona::Moment at) {
  if (rivals_expected_ || silenced_ || !identity.is_local() || !rivals_.is_rival(message, at.steady)) return;
  silenced_ = true;
  spdlog::error(
      "another personad answers on this bus: this one stops answering here. Stop one of the two, then reload (SIGHUP); "
      "or set bus.clustered where both are meant to be there");
}

}  // namespace personad
