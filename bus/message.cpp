#include "bus/message.hpp"

#include <utility>

#include "bus/json_cursor.hpp"
#include "bus/topics.hpp"

namespace bus {
namespace {

using nlohmann::json;

/// The JSON library recurses when it destroys, copies, hashes or writes a tree.
constexpr std::size_t kMaxNesting = 512;

class ParseCategory final : public boost::system::error_category {
 public:
  const char* name() const noexcept override { return "message"; }
  std::string message(int value) const override {
    switch (static_cast<ParseError>(value)) {
      case ParseError::not_json:
        return "not well-formed JSON";
      case ParseError::not_an_object:
        return "not a JSON object";
      case ParseError::no_type:
        return "no valid type";
      case ParseError::wrong_data:
        return "data is not an object";
      case ParseError::wrong_context:
        return "context is not an object";
      case ParseError::wrong_session:
        return "context.session is not an object";
    }
    return "unknown error";
  }
};

std::string write(const json& value) {
  return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

/// Moves the member `key` into `to`; false when it is there and not an object.
bool take_object(json& root, const char* key, json& to) {
  const auto found = root.find(key);
  if (found == root.end()) return true;
  if (!found->is_object()) return false;
  to = std::move(*found);
  return true;
}

bool has_wrong_session(const json& context) {
  const auto found = context.find("session");
  return found != context.end() && !found->is_null() && !found->is_object();
}

/// A routing key's value; empty when absent or of no use.
std::string address(const json& context, const char* key) {
  const auto found = context.find(key);
  if (found == context.end()) return {};
  const json& value = found->is_array() && !found->empty() ? found->front() : *found;
  return value.is_string() ? value.get_ref<const std::string&>() : std::string();
}

void set_or_erase(json& context, const char* key, std::string value) {
  if (value.empty()) {
    context.erase(key);
  } else {
    context[key] = std::move(value);
  }
}

}  // namespace

boost::system::error_code make_error_code(ParseError error) noexcept {
  static const ParseCategory category;
  return {static_cast<int>(error), category};
}

boost::system::result<Message> Message::parse(std::string_view frame) {
  // The library skips a byte order mark; RFC 8259 has none in a frame.
  if (frame.substr(0, 3) == "\xEF\xBB\xBF" || nests_deeper_than(frame, kMaxNesting)) return ParseError::not_json;
  json root = json::parse(frame.begin(), frame.end(), nullptr, false);
  if (root.is_discarded()) return ParseError::not_json;
  if (!root.is_object()) return ParseError::not_an_object;
  const auto type = root.find("type");
  if (type == root.end() || !type->is_string()) return ParseError::no_type;
  Message message;
  message.type = std::move(type->get_ref<std::string&>());
  if (!is_valid_topic(message.type)) return ParseError::no_type;
  if (!take_object(root, "data", message.data)) return ParseError::wrong_data;
  if (!take_object(root, "context", message.context)) return ParseError::wrong_context;
  if (has_wrong_session(message.context)) return ParseError::wrong_session;
  return message;
}

Message Message::forward(std::string topic, json new_data) const {
  Message out;
  out.type = std::move(topic);
  out.data = std::move(new_data);
  out.context = context;
  out.session_text = session_text;
  return out;
}

Message Message::reply(std::string topic, json new_data) const {
  Message out = forward(std::move(topic), std::move(new_data));
  set_or_erase(out.context, "source", address(context, "destination"));
  set_or_erase(out.context, "destination", address(context, "source"));
  return out;
}

Message Message::response(json new_data) const {
  return reply(type + std::string(topic::kResponseSuffix), std::move(new_data));
}

void Message::write_context(std::string& out) const {
  if (session_text.empty() || !context.contains("session")) {
    out += write(context);
    return;
  }
  char before = '{';
  for (const auto& [key, value] : context.items()) {
    out += std::exchange(before, ',');
    out += write(json(key));
    out += ':';
    out += key == "session" ? session_text : write(value);
  }
  out += '}';
}

std::string Message::dump() const {
  std::string out = R"({"type":)";
  out += write(json(type));
  out += R"(,"data":)";
  out += write(data);
  out += R"(,"context":)";
  write_context(out);
  out += '}';
  return out;
}

}  // namespace bus
