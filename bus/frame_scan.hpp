#pragma once
#include <optional>
#include <string>
#include <string_view>

// Looking into a frame without building a tree of it: what most frames on a bus deserve.
//
// Both functions are a single forward pass over the bytes, allocate nothing on the usual path, accept any bytes and
// never read past the view. Keys and values are found at the depth where they count: a `type` inside `data` is a decoy.
namespace bus {

/// The frame's top-level `type`, or nothing when the frame is not an object with a string there.
///
/// The scan stops at `type` when the rest of the frame does not spell the key again (a plain byte search, no parse); of
/// duplicate keys the last counts (OVOS-MSG-1). The view points into `frame`, or into `scratch` when the value
/// has escapes. The rest of the frame may still be malformed: a full parse tells.
[[nodiscard]] std::optional<std::string_view> scan_type(std::string_view frame, std::string& scratch);

/// What a message bus must know of a frame before it relays it.
struct CarrierScan {
  /// The session carrier is present, not null and not an object, in a frame that is otherwise well-formed JSON.
  bool malformed_carrier = false;
  /// The frame's type where it could be read, else empty.
  std::string type;
};

/// Whether `context.session` of this frame must be refused (OVOS-SESSION-1, 2.5). A frame that is not well-formed JSON,
/// or not an object, is none of the bus's business and is never refused.
[[nodiscard]] CarrierScan scan_carrier(std::string_view frame);

}  // namespace bus
