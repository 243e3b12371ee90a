#include "persona/recall/model_files.hpp"

#include <fstream>

namespace persona {
namespace {

namespace fs = std::filesystem;
using boost::system::result;
using nlohmann::json;

constexpr int kDeepest = 32;  // a tokenizer's normalizers are some five deep

// Counted before parsing: what is parsed is taken apart level by level, too.
bool is_nested_too_deep(std::string_view text) {
  int depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') ++i;
      in_string = c != '"';
    } else if (c == '"') {
      in_string = true;
    } else if (c == '[' || c == '{') {
      if (++depth > kDeepest) return true;
    } else if (c == ']' || c == '}') {
      --depth;
    }
  }
  return false;
}

}  // namespace

result<FileBytes, std::string> read_model_file(const fs::path& file, std::uint64_t most) {
  std::error_code failed;
  const auto status = fs::status(file, failed);
  if (!fs::exists(status)) return file.string() + ": is not there; a model's folder has to hold it";
  if (!fs::is_regular_file(status)) return file.string() + ": is no regular file";
  const auto size = fs::file_size(file, failed);
  if (failed) return file.string() + ": " + failed.message();
  if (size > most) {
    return file.string() + ": has " + std::to_string(size) + " bytes, more than the " + std::to_string(most) +
           " that are taken; choose a smaller model";
  }
  FileBytes read(static_cast<std::size_t>(size));
  std::ifstream in(file, std::ios::binary);
  in.read(reinterpret_cast<char*>(read.bytes().data()), static_cast<std::streamsize>(size));
  if (!in) return file.string() + ": cannot be read; look at its permissions";
  if (read.text().starts_with("version https://git-lfs")) {
    return file.string() + ": is a pointer of Git LFS, not the file itself; fetch it with git lfs pull";
  }
  return read;
}

ModelJson parse_model_json(std::string_view text) {
  if (is_nested_too_deep(text)) return {{}, "is nested too deep"};
  json parsed = json::parse(text, nullptr, false);
  if (parsed.is_discarded()) return {{}, "is not JSON, or was cut off"};
  if (!parsed.is_structured()) return {{}, "is neither a JSON object nor a list"};
  return {std::move(parsed), {}};
}

const json& value_at(const json& object, const char* key) {
  static const json none;
  if (!object.is_object()) return none;
  const auto found = object.find(key);
  return found == object.end() ? none : *found;
}

std::string_view text_of(const json& value) {
  const auto* text = value.get_ptr<const std::string*>();
  return text == nullptr ? std::string_view() : std::string_view(*text);
}

std::string_view text_at(const json& object, const char* key) {
  return text_of(value_at(object, key));
}

bool is_true_at(const json& object, const char* key) {
  const json& value = value_at(object, key);
  return value.is_boolean() && value.get<bool>();
}

}  // namespace persona
