#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "bus/echo_filter.hpp"
#include "bus/identity.hpp"
#include "bus/twin_filter.hpp"
#include "bus/wire_map.hpp"
#include "daemon/health.hpp"
#include "daemon/heard_message.hpp"
#include "daemon/latency.hpp"
#include "daemon/log_limiter.hpp"
#include "daemon/request_router.hpp"
#include "daemon/rival_watch.hpp"
#include "persona/conversations.hpp"

namespace personad {

/// What came over the bus, by what became of it.
struct ListenerCounts {
  std::uint64_t frames = 0;        ///< all
  std::uint64_t read = 0;          ///< of a topic that somebody here reads
  std::uint64_t not_messages = 0;  ///< of those, malformed ones
  std::uint64_t twins = 0;
  std::uint64_t echoes = 0;  ///< our own, come back
  std::uint64_t requests = 0;
};

/// The one reader of the bus: looks at each frame's topic, and takes those that matter to the memory or to a handler.
///
/// A frame whose topic nobody reads costs a byte scan and a hash look-up; no tree is built of it. Everything happens in
/// arrival order on the io thread, with one number for each frame that matters.
class Listener {
 public:
  /// `send` hands an answer's frame to the bus. All references outlive it.
  Listener(persona::Conversations& conversations, RequestRouter& router, const bus::IdentityRules& identities,
           bus::WireMap& wire_map, std::string instance, std::function<void(std::string)> send);

  void on_frame(std::string_view frame);
  /// A frame of ours went out on a connection that will bring it back.
  void sent(std::string_view frame) { echoes_.sent(frame, std::chrono::steady_clock::now()); }
  void connection_lost() { echoes_.clear(); }

  /// How `is_ready` and `all_loaded` are found out: asks, and calls back with the answer.
  using AskHealth = std::function<void(std::function<void(Health)>)>;
  void set_health(AskHealth ask) { ask_health_ = std::move(ask); }
  /// Another instance is expected on this bus (`clustered`).
  void set_rivals_expected(bool expected) { rivals_expected_ = expected; }
  /// True once another instance answered a request of ours: from then on this one keeps silent on the bus.
  [[nodiscard]] bool silenced() const { return silenced_; }
  /// Speaks again, until another rival is heard.
  void speak_again() { silenced_ = false; }
  [[nodiscard]] const ListenerCounts& counts() const { return counts_; }
  /// From a context request's frame read to its answer handed to the socket.
  [[nodiscard]] const Latency& context_latency() const { return context_latency_; }

 private:
  void on_message(bus::Message message, Reading reading, persona::Moment at);
  void on_request(bus::Message message, bus::Identity identity, Interest interest, persona::Moment at);
  void on_unknown_request(bus::Message message, bus::Identity identity, persona::Moment at);
  void on_answer(const bus::Message& message, const bus::Identity& identity, persona::Moment at);
  void not_a_message(const boost::system::error_code& why, std::string_view topic);
  void refuse_data(std::string_view frame, persona::Moment at);
  [[nodiscard]] RequestPtr make_request(bus::Message message, bus::Identity identity, persona::Moment at);

  persona::Conversations& conversations_;
  RequestRouter& router_;
  const bus::IdentityRules& identities_;
  bus::WireMap& wire_map_;
  std::string instance_;
  std::function<void(std::string)> send_;
  bus::TwinFilter twins_;
  bus::EchoFilter echoes_;
  RivalWatch rivals_;
  LogLimiter complaints_;
  AskHealth ask_health_;
  bool rivals_expected_ = false;
  bool silenced_ = false;
  ListenerCounts counts_;
  Latency context_latency_;
  std::string scratch_;
};

}  // namespace personad
