#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "bus/identity.hpp"
#include "bus/message.hpp"
#include "persona/moment.hpp"
#include "persona/store/archive.hpp"

// A request of the bus API on its way to its answer.
//
// Source: docs/bus-api.md (answers, codes), OVOS-MSG-1 (response derivation).
namespace personad {

/// Why a request is refused; the words are `name(code)` followed by a sentence.
enum class Refusal : std::uint8_t {
  bad_request,
  unknown_persona,
  unknown_conversation,
  ambiguous,
  forbidden,
  too_large,
  busy,
  unavailable,
  internal,
};
[[nodiscard]] std::string_view name(Refusal refusal) noexcept;

/// Where a request arrived.
enum class Transport : std::uint8_t { bus, admin };

/// One request and the way back to whoever asked.
///
/// Ownership: shared by the handler and the callbacks it waits for. Invariant: answered once; a second answer is a bug
/// and is ignored. Threading: io thread.
class Request {
 public:
  using Send = std::function<void(std::string frame)>;
  struct Arrival {
    persona::Number number = 0;
    persona::Moment at;
    std::chrono::steady_clock::time_point read_at;  ///< when its frame was read, for the latency figures
  };

  /// `say` takes events where they do not go the way of the answer: those of an administrator's request are for the
  /// bus.
  Request(bus::Message message, bus::Identity identity, Transport transport, Arrival arrival, std::string_view instance,
          Send send, Send say = nullptr);

  [[nodiscard]] const bus::Message& message() const { return message_; }
  [[nodiscard]] const nlohmann::json& data() const { return message_.data; }
  [[nodiscard]] const bus::Identity& identity() const { return identity_; }
  [[nodiscard]] Transport transport() const { return transport_; }
  [[nodiscard]] const Arrival& arrival() const { return arrival_; }
  /// Holds `place` until it is answered, or nobody can answer it any more.
  void take_place(std::shared_ptr<const void> place) { place_ = std::move(place); }
  /// `context.utterance_id` of the asker, or empty.
  [[nodiscard]] std::string utterance_id() const;

  void answer(nlohmann::json result);
  void refuse(Refusal refusal, std::string_view words);
  /// The refusal that fits an error of the store.
  void refuse(const boost::system::error_code& error);
  /// Flat data instead of the result/error envelope: for topics whose shape is fixed elsewhere.
  void answer_flat(nlohmann::json data);
  /// A message that belongs to this request but is not its answer: an event for the asker's session.
  void emit(std::string topic, nlohmann::json data);

 private:
  void send(bus::Message derived, const Send& way);

  bus::Message message_;
  bus::Identity identity_;
  Transport transport_;
  Arrival arrival_;
  std::string instance_;
  Send send_;
  Send say_;  // empty: `send_`
  std::shared_ptr<const void> place_;
  bool answered_ = false;
};
using RequestPtr = std::shared_ptr<Request>;

}  // namespace personad
