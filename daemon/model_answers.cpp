#include "daemon/model_answers.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <ctime>
#include <iomanip>
#include <limits>
#include <locale>
#include <nlohmann/json.hpp>
#include <sstream>

#include "persona/utf8.hpp"
#include "persona/white_space.hpp"

namespace personad {
namespace {

using nlohmann::json;
using persona::ModelError;
using persona::ModelResult;
using Kind = ModelError::Kind;
using Vectors = persona::LanguageModels::Vectors;
using std::chrono::seconds;

// More than the tokens of any language have on average: only an answer that ignored its limit is cut.
constexpr std::size_t kBytesPerToken = 16;
constexpr std::size_t kLongestModelName = 256;
constexpr seconds kLongestWait{3600};

ModelError unusable(std::string words) {
  ModelError error;
  error.kind = Kind::unusable;
  error.words = std::move(words);
  return error;
}

std::string text_of(const json& tree) {
  return tree.dump(-1, ' ', false, json::error_handler_t::replace);
}

ModelResult<json> parse(std::string_view body) {
  if (!persona::is_utf8(body)) return unusable("the answer is not UTF-8");
  json tree = json::parse(body, nullptr, false);
  if (tree.is_discarded()) return unusable("the answer is not JSON");
  if (!tree.is_object()) return unusable("the answer is no JSON object");
  return ModelResult<json>(std::in_place_type<json>, std::move(tree));
}

const json* member(const json* tree, const char* key) {
  if (tree == nullptr || !tree->is_object()) return nullptr;
  const auto found = tree->find(key);
  return found == tree->end() ? nullptr : &*found;
}

const json* first(const json* tree) {
  return tree != nullptr && tree->is_array() && !tree->empty() ? &tree->front() : nullptr;
}

std::string_view cut_at_character(std::string_view text, std::size_t most) {
  if (text.size() <= most) return text;
  const auto continues = [](char c) { return (static_cast<unsigned char>(c) & 0xC0u) == 0x80u; };
  while (most > 0 && continues(text[most])) --most;
  return text.substr(0, most);
}

bool read_vector(const json& numbers, std::vector<float>& vector) {
  if (!numbers.is_array() || numbers.empty()) return false;
  vector.reserve(numbers.size());
  for (const json& number : numbers) {
    if (!number.is_number()) return false;
    // Compared as double: what is too large for a float has no defined value as one.
    const double value = number.get<double>();
    if (!(std::abs(value) <= static_cast<double>(std::numeric_limits<float>::max()))) return false;
    vector.push_back(static_cast<float>(value));
  }
  return true;
}

/// Which text a vector is for; a server that does not number them keeps their order.
std::optional<std::size_t> index_of(const json& entry, std::size_t position, std::size_t many) {
  const json* index = member(&entry, "index");
  if (index == nullptr) return position;
  if (!index->is_number_unsigned()) return std::nullopt;
  const auto value = index->get<std::uint64_t>();
  return value < many ? std::optional<std::size_t>(value) : std::nullopt;
}

}  // namespace

std::string chat_request(const std::string& model, const std::string& prompt, std::size_t max_tokens) {
  json message = {{"role", "user"}, {"content", prompt}};
  json request = {{"model", model}, {"max_tokens", max_tokens}, {"stream", false}};
  request["messages"] = json::array();
  request["messages"].push_back(std::move(message));
  return text_of(request);
}

std::string embeddings_request(const std::string& model, const std::vector<std::string>& texts) {
  return text_of({{"model", model}, {"input", texts}});
}

ModelResult<std::string> read_chat(std::string_view body, std::size_t max_tokens) {
  const ModelResult<json> parsed = parse(body);
  if (const auto* error = std::get_if<ModelError>(&parsed)) return *error;
  const json* content = member(member(first(member(&std::get<json>(parsed), "choices")), "message"), "content");
  if (content == nullptr || !content->is_string()) return unusable("the answer holds no text of a message");
  const std::string_view whole = content->get_ref<const std::string&>();
  if (whole.find('\0') != std::string_view::npos) return unusable("the answer's text holds a NUL");
  const std::size_t most = std::min(max_tokens, whole.size()) * kBytesPerToken;
  const std::string_view text = persona::trimmed(cut_at_character(persona::trimmed(whole), most));
  if (text.empty()) return unusable("the answer's text is empty");
  return std::string(text);
}

ModelResult<Vectors> read_embeddings(std::string_view body, std::size_t many) {
  const ModelResult<json> parsed = parse(body);
  if (const auto* error = std::get_if<ModelError>(&parsed)) return *error;
  const json* entries = member(&std::get<json>(parsed), "data");
  if (entries == nullptr || !entries->is_array()) return unusable("the answer holds no vectors");
  if (entries->size() != many) {
    return unusable(std::to_string(entries->size()) + " vectors for " + std::to_string(many) + " texts");
  }
  Vectors vectors(many);
  for (std::size_t position = 0; position < many; ++position) {
    const json& entry = (*entries)[position];
    const auto index = index_of(entry, position, many);
    if (!index || !vectors[*index].empty()) return unusable("the vectors are not numbered as the texts are");
    const json* numbers = member(&entry, "embedding");
    if (numbers == nullptr || !read_vector(*numbers, vectors[*index])) return unusable("a vector is not all numbers");
  }
  const auto differs = [&](const auto& vector) { return vector.size() != vectors.front().size(); };
  if (std::any_of(vectors.begin(), vectors.end(), differs)) return unusable("the vectors are not of one length");
  return vectors;
}

ModelResult<std::string> read_models(std::string_view body) {
  const ModelResult<json> parsed = parse(body);
  if (const auto* error = std::get_if<ModelError>(&parsed)) return *error;
  const json& tree = std::get<json>(parsed);
  const json* model = first(member(&tree, "data"));
  if (model == nullptr) model = first(member(&tree, "models"));
  const json* name = member(model, "id");
  if (name == nullptr) name = member(model, "name");
  if (name == nullptr || !name->is_string()) return unusable("no model is listed");
  std::string text = name->get<std::string>();
  const bool printable = std::none_of(text.begin(), text.end(), [](char c) { return c >= 0 && c < ' '; });
  if (text.empty() || text.size() > kLongestModelName || !printable) return unusable("no model with a name is listed");
  return text;
}

std::optional<ModelError> error_of(unsigned status, std::string_view retry_after,
                                   std::chrono::system_clock::time_point now) {
  if (status / 100 == 2) return std::nullopt;
  ModelError error;
  error.words = "answered " + std::to_string(status);
  if (status == 429 || status == 503) {
    error.kind = Kind::overloaded;
    error.retry_after = parse_retry_after(retry_after, now);
  } else if (status / 100 == 5) {
    error.kind = Kind::failed;
  } else if (status == 400 || status == 413 || status == 422) {
    error.kind = Kind::rejected;
  } else if (status / 100 == 4) {
    error.kind = Kind::refused;
  } else if (status / 100 == 3) {
    error.kind = Kind::refused;
    error.words += "; redirects are not followed";
  } else {
    error.kind = Kind::unusable;
  }
  return error;
}

std::optional<seconds> parse_retry_after(std::string_view text, std::chrono::system_clock::time_point now) {
  text = persona::trimmed(text);
  if (text.empty()) return std::nullopt;
  if (std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; })) {
    std::int64_t number = 0;
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
    return failed == std::errc() ? std::min(seconds(number), kLongestWait) : kLongestWait;
  }
  std::istringstream in{std::string(text)};
  in.imbue(std::locale::classic());
  std::tm parts{};
  std::string zone;
  in >> std::get_time(&parts, "%a, %d %b %Y %H:%M:%S") >> zone;
  if (in.fail() || zone != "GMT") return std::nullopt;
  const auto then = std::chrono::system_clock::from_time_t(::timegm(&parts));
  // Rounded up: a moment too early would be refused again.
  return std::clamp(std::chrono::ceil<seconds>(then - now), seconds(0), kLongestWait);
}

}  // namespace personad
