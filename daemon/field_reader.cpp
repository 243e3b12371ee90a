#include "daemon/field_reader.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "daemon/request.hpp"
#include "daemon/turn_json.hpp"
#include "persona/white_space.hpp"

namespace personad {

using nlohmann::json;

const json* FieldReader::find(std::string_view field) const {
  const auto found = data_.find(field);
  return found == data_.end() ? nullptr : &*found;
}

void FieldReader::fail(std::string_view field, std::string_view words) {
  if (error_.empty()) error_ = std::string(field) + " " + std::string(words);
}

std::optional<std::string> FieldReader::text(std::string_view field, std::size_t max_bytes) {
  const json* value = find(field);
  if (value == nullptr) return std::nullopt;
  if (!value->is_string()) {
    fail(field, "must be a string");
    return std::nullopt;
  }
  const auto& text = value->get_ref<const std::string&>();
  if (text.size() > max_bytes) {
    if (error_.empty()) too_large_ = true;
    fail(field, "is longer than " + std::to_string(max_bytes) + " bytes");
    return std::nullopt;
  }
  return text;
}

std::string FieldReader::required_text(std::string_view field, std::size_t max_bytes) {
  auto value = text(field, max_bytes);
  if (value && !persona::is_blank(*value)) return std::move(*value);
  if (ok()) fail(field, value ? "must not be blank" : "is missing: it must be a string");
  return {};
}

std::optional<std::int64_t> FieldReader::integer(std::string_view field, std::int64_t least, std::int64_t most) {
  const json* value = find(field);
  if (value == nullptr) return std::nullopt;
  const bool fits = value->is_number_unsigned() ? value->get<std::uint64_t>() <= static_cast<std::uint64_t>(most)
                                                : value->is_number_integer();
  if (fits) {
    const auto number = value->get<std::int64_t>();
    if (number >= least && number <= most) return number;
  }
  fail(field, "must be an integer from " + std::to_string(least) + " to " + std::to_string(most));
  return std::nullopt;
}

std::optional<double> FieldReader::time(std::string_view field) {
  const json* value = find(field);
  if (value == nullptr) return std::nullopt;
  const auto seconds = time_of(*value);
  if (!seconds) fail(field, "must be unix seconds or an RFC 3339 time");
  return seconds;
}

std::optional<std::string> FieldReader::word(std::string_view field, const std::vector<std::string_view>& allowed) {
  const json* value = find(field);
  if (value == nullptr) return std::nullopt;
  if (value->is_string() && std::ranges::find(allowed, value->get_ref<const std::string&>()) != allowed.end()) {
    return value->get<std::string>();
  }
  std::string words = "must be one of";
  for (const std::string_view word : allowed) words.append(" \"").append(word).append("\"");
  fail(field, words);
  return std::nullopt;
}

const json* FieldReader::object(std::string_view field) {
  const json* value = find(field);
  if (value != nullptr && !value->is_object()) {
    fail(field, "must be an object");
    return nullptr;
  }
  return value;
}

std::optional<bool> FieldReader::flag(std::string_view field) {
  const json* value = find(field);
  if (value == nullptr) return std::nullopt;
  if (value->is_boolean()) return value->get<bool>();
  fail(field, "must be true or false");
  return std::nullopt;
}

bool FieldReader::checked(Request& request) const {
  if (ok()) return true;
  request.refuse(too_large_ ? Refusal::too_large : Refusal::bad_request, error_);
  return false;
}

}  // namespace personad
