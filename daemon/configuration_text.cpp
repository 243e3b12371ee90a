#include <algorithm>
#include <nlohmann/json.hpp>

#include "daemon/configuration.hpp"
#include "daemon/configuration_schema.hpp"

// The configuration as text: values as the file writes them, the effective configuration, the reference of all keys.
namespace personad {
namespace {

using nlohmann::json;

std::string quoted_list(const std::vector<std::string_view>& words) {
  std::string text;
  for (const auto word : words) text += (text.empty() ? "\"" : ", \"") + std::string(word) + '"';
  return text;
}

std::string indented_comment(std::string_view text, const std::string& indent) {
  constexpr std::size_t kWidth = 100;
  std::string out = indent + "//";
  std::size_t column = out.size();
  for (std::size_t at = 0; at < text.size();) {
    const auto end = std::min(text.find(' ', at), text.size());
    const auto word = text.substr(at, end - at);
    if (column + 1 + word.size() > kWidth) {
      out += '\n' + indent + "//";
      column = indent.size() + 2;
    }
    out += ' ' + std::string(word);
    column += 1 + word.size();
    at = end + 1;
  }
  return out + '\n';
}

std::string described(const Setting& setting, const Configuration& configuration, const std::string& indent) {
  const auto name = setting.key.substr(setting.key.rfind('.') + 1);
  const auto comment = std::string(setting.doc) + " (" + type_name(setting).in_table + ")";
  return indented_comment(comment, indent) + indent + '"' + std::string(name) +
         "\": " + written_setting(setting, configuration).dump(-1, ' ', false, json::error_handler_t::replace);
}

std::string joined(const std::vector<std::string>& parts) {
  std::string text;
  for (const auto& part : parts) text += (text.empty() ? "" : ",\n") + part;
  return text;
}

/// The settings from `at` on whose keys begin so, each section in its own braces; moves `at` behind them.
std::string described_all(std::vector<Setting>::const_iterator& at, const std::string& prefix,
                          const Configuration& configuration, const std::string& indent) {
  std::vector<std::string> lines;
  while (at != schema().end() && at->key.starts_with(prefix)) {
    const auto rest = at->key.substr(prefix.size());
    const auto dot = rest.find('.');
    if (dot == std::string_view::npos) {
      lines.push_back(described(*at++, configuration, indent));
      continue;
    }
    const std::string name(rest.substr(0, dot));
    const std::string inside = described_all(at, prefix + name + '.', configuration, indent + "  ");
    lines.push_back(indent + '"' + name + "\": {\n" + inside + '\n' + indent + '}');
  }
  return joined(lines);
}

}  // namespace

Setting::TypeName type_name(const Setting& setting) {
  const auto range = std::to_string(setting.least) + " to " + std::to_string(setting.most);
  if (!setting.allowed.empty()) {
    return {"one of " + quoted_list(setting.allowed), "one of " + quoted_list(setting.allowed)};
  }
  struct {
    const std::string& range_;
    Setting::TypeName operator()(Setting::Member<bool>) const { return {"true or false", "true or false"}; }
    Setting::TypeName operator()(Setting::Choice) const { return {"a text", "text"}; }
    Setting::TypeName operator()(Setting::Member<std::size_t>) const {
      return {"a whole number from " + range_, "whole number, " + range_};
    }
    Setting::TypeName operator()(Setting::Member<std::chrono::seconds>) const {
      return {"a whole number of seconds from " + range_, "seconds, " + range_};
    }
    Setting::TypeName operator()(Setting::Member<std::string>) const { return {"a text", "text"}; }
    Setting::TypeName operator()(Setting::Member<std::vector<std::string>>) const {
      return {"a list of texts", "list of texts"};
    }
    Setting::TypeName operator()(Setting::Member<std::filesystem::path>) const { return {"a path as text", "path"}; }
  } const visitor{range};
  return std::visit(visitor, setting.field);
}

json written_setting(const Setting& setting, const Configuration& from) {
  // The members are reached through non-const accessors, so a copy is read.
  auto copy = from;
  struct {
    Configuration& from_;
    const Setting& setting_;
    json operator()(Setting::Member<bool> member) const { return member(from_); }
    json operator()(Setting::Choice choice) const { return setting_.allowed.at(choice.member(from_) ? 1 : 0); }
    json operator()(Setting::Member<std::size_t> member) const { return member(from_); }
    json operator()(Setting::Member<std::chrono::seconds> member) const { return member(from_).count(); }
    json operator()(Setting::Member<std::string> member) const { return member(from_); }
    json operator()(Setting::Member<std::vector<std::string>> member) const { return member(from_); }
    json operator()(Setting::Member<std::filesystem::path> member) const { return member(from_).string(); }
  } const visitor{copy, setting};
  return std::visit(visitor, setting.field);
}

std::string describe(const Configuration& configuration) {
  auto at = schema().begin();
  return "{\n" + described_all(at, "", configuration, "  ") + "\n}\n";
}

std::string schema_reference() {
  const Configuration defaults;
  std::string text;
  for (const auto& setting : schema()) {
    text += "- `" + std::string(setting.key) + "` (" + type_name(setting).in_table + "; default `" +
            written_setting(setting, defaults).dump() + "`): " + std::string(setting.doc) + '\n';
  }
  return text;
}

}  // namespace personad
