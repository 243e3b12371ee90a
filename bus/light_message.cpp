#include <utility>

#include "bus/json_check.hpp"
#include "bus/json_cursor.hpp"
#include "bus/message.hpp"
#include "bus/session.hpp"

namespace bus {
namespace {

constexpr std::size_t kMaxNesting = 500;  // of a session; the whole of a frame may have a few more

/// Steps over the value of a key that may occur once only; false when it is there already.
bool take_once(JsonCursor& cursor, std::string_view& into) {
  const std::string_view before = cursor.rest();
  if (!into.empty() || !cursor.skip_value()) return false;
  into = before.substr(0, before.size() - cursor.rest().size());
  return true;
}

/// The text of the frame's session where it is an object; empty where there is none, or more than one may be meant.
std::string_view find_session(std::string_view frame) {
  std::string_view context;
  JsonCursor cursor(frame);
  cursor.skip_space();
  const bool whole = walk_object(cursor, [&](std::string_view key) {
    return spells(key, "context") ? take_once(cursor, context) : cursor.skip_value();
  });
  std::string_view session;
  JsonCursor inside(context);
  const bool found = whole && walk_object(inside, [&](std::string_view key) {
                       return spells(key, "session") ? take_once(inside, session) : inside.skip_value();
                     });
  return found && session.starts_with('{') ? session : std::string_view();
}

bool is_read(std::string_view key) {
  for (const std::string_view field : kSessionFields) {
    if (spells(key, field)) return true;
  }
  return false;
}

/// The session with those fields only that are read here.
std::string few_fields(std::string_view session) {
  std::string few = "{";
  JsonCursor cursor(session);
  walk_object(cursor, [&](std::string_view key) {
    const std::string_view before = cursor.rest();
    if (!cursor.skip_value()) return false;
    if (!is_read(key)) return true;
    few.append(few.size() > 1 ? ",\"" : "\"").append(key).append("\":");
    few.append(before.substr(0, before.size() - cursor.rest().size()));
    return true;
  });
  return few += '}';
}

}  // namespace

boost::system::result<Message> Message::parse_lightly(std::string_view frame) {
  const std::string_view session = find_session(frame);
  if (session.empty()) return parse(frame);
  if (!is_json(session, kMaxNesting)) return ParseError::not_json;
  const auto begin = static_cast<std::size_t>(session.data() - frame.data());
  std::string lighter(frame.substr(0, begin));
  lighter.append(few_fields(session)).append(frame.substr(begin + session.size()));
  auto message = parse(lighter);
  if (message) message->session_text = session;
  return message;
}

}  // namespace bus
