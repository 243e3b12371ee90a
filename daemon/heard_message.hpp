#pragma once
#include <optional>
#include <string_view>

#include "bus/identity.hpp"
#include "bus/message.hpp"
#include "persona/heard.hpp"
#include "persona/keys.hpp"

// From messages of the bus to what the memory hears: the one place where the two rooms meet.
namespace personad {

/// What a topic means to us, before anything but the topic is known.
enum class Interest : std::uint8_t {
  none,             ///< nobody here reads it
  request,          ///< answered by the request router
  unknown_request,  ///< looks like one, and there is none of that name: whoever asks is told so
  health,           ///< `mycroft.personad.is_alive` and its like
  answer,           ///< an answer to a request of ours: who else gives such answers?
  utterance,        ///< `Heard::What` says which; the message tells the rest
};
struct Reading {
  Interest interest = Interest::none;
  persona::Heard::What what = persona::Heard::What::entry;
};

/// Decides by topic alone, at the cost of a hash look-up. A topic with a colon may be a dispatch: then the frame is
/// searched for the skill's id, as a dispatch names it again in its context.
[[nodiscard]] Reading reading_of(std::string_view topic, std::string_view frame);

/// A message as something heard, with the conversation it is about.
struct HeardMessage {
  persona::ConversationKey where;
  persona::Heard heard;
};
/// Nothing when the message says nothing after all: a dispatch that is none, wrong-typed data, a `speak` that comes
/// from a satellite itself. Takes what it needs out of `message`.
[[nodiscard]] std::optional<HeardMessage> heard_of(bus::Message& message, persona::Heard::What what,
                                                   const bus::Identity& identity);

}  // namespace personad
