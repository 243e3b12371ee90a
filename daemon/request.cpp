#include "daemon/request.hpp"

#include <array>
#include <utility>

#include "bus/twin_filter.hpp"

namespace personad {
namespace {

using nlohmann::json;

// A hub drops what says it comes from one of its own peers, so an answer never does.
void never_from_a_peer(bus::Message& derived, const bus::Identity& asker) {
  if (asker.is_local()) return;
  const auto source = derived.context.find("source");
  if (source != derived.context.end() && source->is_string() && source->get_ref<const std::string&>() == asker.peer) {
    *source = "personad";
  }
}

}  // namespace

std::string_view name(Refusal refusal) noexcept {
  static constexpr std::array<std::string_view, 9> kNames{"bad_request", "unknown_persona", "unknown_conversation",
                                                          "ambiguous",   "forbidden",       "too_large",
                                                          "busy",        "unavailable",     "internal"};
  return kNames[static_cast<std::size_t>(refusal)];
}

Request::Request(bus::Message message, bus::Identity identity, Transport transport, Arrival arrival,
                 std::string_view instance, Send send, Send say)
    : message_(std::move(message)),
      identity_(std::move(identity)),
      transport_(transport),
      arrival_(arrival),
      instance_(instance),
      send_(std::move(send)),
      say_(std::move(say)) {}

std::string Request::utterance_id() const {
  const auto id = message_.context.find("utterance_id");
  return id != message_.context.end() && id->is_string() ? id->get<std::string>() : std::string();
}

void Request::answer(json result) {
  json data = json::object();
  data["result"] = std::move(result);
  answer_flat(std::move(data));
}

void Request::refuse(Refusal refusal, std::string_view words) {
  json data = json::object();
  data["error"] = std::string(name(refusal)) + ": " + std::string(words);
  answer_flat(std::move(data));
}

void Request::refuse(const boost::system::error_code& error) {
  using persona::StoreError;
  if (error == persona::make_error_code(StoreError::busy)) {
    return refuse(Refusal::busy, "too much is waiting to be stored; try again in 1 second");
  }
  if (error == persona::make_error_code(StoreError::unknown_turn)) {
    return refuse(Refusal::bad_request, "there is no turn with this id in this conversation");
  }
  if (error == persona::make_error_code(StoreError::bad_cursor)) {
    return refuse(Refusal::bad_request, "cursor is not one that an earlier answer gave");
  }
  refuse(Refusal::unavailable, "the store does not work: " + error.message());
}

void Request::answer_flat(json data) {
  if (std::exchange(answered_, true)) return;
  place_.reset();
  const auto id = message_.data.find("request_id");
  if (id != message_.data.end() && id->is_string()) data["request_id"] = *id;
  send(message_.response(std::move(data)), send_);
}

void Request::emit(std::string topic, json data) {
  send(message_.reply(std::move(topic), std::move(data)), say_ ? say_ : send_);
}

void Request::send(bus::Message derived, const Send& way) {
  never_from_a_peer(derived, identity_);
  bus::strip_twin_markers(derived);
  derived.context["instance"] = instance_;
  way(derived.dump());
}

}  // namespace personad
