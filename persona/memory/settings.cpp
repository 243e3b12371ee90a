#include "persona/memory/settings.hpp"

#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

namespace persona {

using nlohmann::json;

SettingsReader::SettingsReader(const json& config, std::string path, std::string& warning)
    : config_(config), path_(std::move(path)), warning_(warning) {}

const json* SettingsReader::value(const char* key) const {
  if (!config_.is_object()) return nullptr;
  const auto found = config_.find(key);
  return found == config_.end() || found->is_null() ? nullptr : &*found;
}

void SettingsReader::warn(std::string_view key, std::string_view what) {
  if (!warning_.empty()) warning_ += "; ";
  warning_.append(path_).append(".").append(key).append(": ").append(what);
}

namespace {

// As Python's int() reads a setting: 10, 10.0 and "10" are all ten.
std::optional<double> whole_number(const json& value) {
  double number = -1;
  if (value.is_number()) number = value.get<double>();
  if (value.is_string()) {
    const json read = json::parse(value.get_ref<const std::string&>(), nullptr, false);
    if (read.is_number_integer()) number = read.get<double>();
  }
  if (!(number >= 0) || std::floor(number) != number) return std::nullopt;
  return number;
}

}  // namespace

std::size_t SettingsReader::count(const char* key, std::size_t or_else, std::size_t most) {
  const json* found = value(key);
  if (found == nullptr) return or_else;
  const auto given = whole_number(*found);
  if (!given) {
    warn(key, "expected a whole number, 0 or more; the default holds");
    return or_else;
  }
  if (*given <= static_cast<double>(most)) return static_cast<std::size_t>(*given);
  warn(key, std::to_string(most) + " is the most");
  return most;
}

double SettingsReader::number(const char* key, double or_else, double least, double most) {
  const json* found = value(key);
  if (found == nullptr) return or_else;
  const double given = found->is_number() ? found->get<double>() : std::nan("");
  if (given >= least && given <= most) return given;
  warn(key, "expected a number from " + json(least).dump() + " to " + json(most).dump() + "; the default holds");
  return or_else;
}

std::optional<double> SettingsReader::number(const char* key) {
  const json* found = value(key);
  if (found == nullptr) return std::nullopt;
  if (found->is_number()) return found->get<double>();
  warn(key, "expected a number or null; null holds");
  return std::nullopt;
}

std::string SettingsReader::text(const char* key, std::string or_else) {
  const json* found = value(key);
  if (found == nullptr) return or_else;
  if (found->is_string()) return found->get<std::string>();
  warn(key, "expected a text; the default holds");
  return or_else;
}

bool SettingsReader::flag(const char* key, bool or_else) {
  const json* found = value(key);
  if (found == nullptr) return or_else;
  if (found->is_boolean()) return found->get<bool>();
  warn(key, "expected true or false; the default holds");
  return or_else;
}

std::size_t SettingsReader::word(const char* key, std::initializer_list<std::string_view> allowed,
                                 std::size_t or_else) {
  const json* found = value(key);
  if (found == nullptr) return or_else;
  std::size_t at = 0;
  std::string words;
  for (const std::string_view one : allowed) {
    if (found->is_string() && found->get_ref<const std::string&>() == one) return at;
    words.append(words.empty() ? "" : ", ").append(one);
    ++at;
  }
  warn(key, "expected one of " + words + "; the default holds");
  return or_else;
}

SettingsReader SettingsReader::section(const char* key) {
  static const json kNone = json::object();
  const json* found = value(key);
  if (found != nullptr && !found->is_object()) warn(key, "expected an object; the defaults hold");
  const bool given = found != nullptr && found->is_object();
  return {given ? *found : kNone, path_ + "." + key, warning_};
}

}  // namespace persona
