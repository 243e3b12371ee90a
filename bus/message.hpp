#pragma once
#include <boost/system/result.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

// The message envelope of the bus.
//
// Source: OVOS-MSG-1 (envelope and derivations).
namespace bus {

/// Why a frame is no message.
enum class ParseError {
  not_json = 1,   ///< not well-formed JSON (this includes NaN, lone surrogates, and text that is not UTF-8)
  not_an_object,  ///< JSON, but not an object
  no_type,        ///< `type` is missing, not a string, or not a valid topic
  wrong_data,     ///< `data` is present and not an object
  wrong_context,  ///< `context` is present and not an object
  wrong_session,  ///< `context.session` is present, not null and not an object (OVOS-SESSION-1, 2.5)
};
[[nodiscard]] boost::system::error_code make_error_code(ParseError) noexcept;

/// One message: a topic, its data and the routing context it travels in.
///
/// Invariant: `data` and `context` are JSON objects. Unknown context keys, the session among them, are kept unchanged
/// by every derivation. Errors: `parse` never throws, whatever the bytes.
struct Message {
  std::string type;
  nlohmann::json data = nlohmann::json::object();
  nlohmann::json context = nlohmann::json::object();
  /// Where not empty: the session as it came, byte for byte. `context.session` then holds those of its fields that are
  /// read here (`kSessionFields`), and `dump` writes this text in its place.
  std::string session_text = {};

  [[nodiscard]] static boost::system::result<Message> parse(std::string_view frame);
  /// The same message, with its session as text: for one that is answered, where nine tenths of a frame are a session
  /// that goes back as it came.
  [[nodiscard]] static boost::system::result<Message> parse_lightly(std::string_view frame);

  /// The context unchanged.
  [[nodiscard]] Message forward(std::string topic, nlohmann::json new_data) const;
  /// The context with source and destination swapped. Of a destination array the first element counts; an absent (or
  /// empty-string) key stays absent on the other side.
  [[nodiscard]] Message reply(std::string topic, nlohmann::json new_data) const;
  /// `reply` to `<type>.response`.
  [[nodiscard]] Message response(nlohmann::json new_data) const;

  /// The frame's text. Never throws: text that is not UTF-8 is replaced, not passed on.
  [[nodiscard]] std::string dump() const;

 private:
  void write_context(std::string& out) const;
};

}  // namespace bus

template <>
struct boost::system::is_error_code_enum<bus::ParseError> : std::true_type {};
