#include "persona/recall/static_embedder.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "persona/memory/digest.hpp"
#include "persona/recall/model_files.hpp"
#include "persona/recall/safetensors.hpp"
#include "persona/recall/tokenizer.hpp"

namespace persona {

/// A loaded model.
/// Invariant: each token of the tokenizer has a row, and a weight where there are weights.
struct StaticEmbedder::Model {
  Safetensors tensors;
  Tokenizer tokenizer;
  const Tensor* rows = nullptr;     // of `tensors`, as the others
  const Tensor* mapping = nullptr;  // token -> row; null: they are the same
  const Tensor* weights = nullptr;  // of tokens; null: all are 1
  bool is_normalized = false;
  std::string fingerprint;
};

namespace {

namespace fs = std::filesystem;
using boost::system::result;

constexpr std::size_t kMostTokens = 512;  // of a text
constexpr std::uint64_t kLargestTensors = 1U << 30U;
constexpr std::uint64_t kLargestTokenizer = 64U << 20U;
constexpr std::uint64_t kLargestConfig = 1U << 20U;
constexpr std::size_t kMostDimensions = 16384;
constexpr std::string_view kFormat = "static 1";  // part of the fingerprint: another one when the same files embed anew

/// Where a model's files are.
struct Layout {
  fs::path tensors;
  fs::path tokenizer;
  fs::path config;   // may be missing
  fs::path modules;  // may be missing
};

Layout layout_of(const fs::path& folder) {
  std::error_code failed;
  const fs::path inner = folder / "0_StaticEmbedding";
  const fs::path base = fs::exists(folder / "model.safetensors", failed) || !fs::exists(inner, failed) ? folder : inner;
  const fs::path config = folder / "config.json";
  return {base / "model.safetensors", base / "tokenizer.json",
          fs::exists(config, failed) ? config : folder / "config_sentence_transformers.json", folder / "modules.json"};
}

std::string hexadecimal(std::uint64_t number) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (int shift = 60; shift >= 0; shift -= 4) text += kDigits[(number >> static_cast<unsigned>(shift)) & 0xFU];
  return text;
}

// Adds a row's numbers, times a weight.
template <typename Number, typename Sum, typename Convert>
void add_numbers(const std::byte* from, Sum weight, std::vector<Sum>& sum, Convert convert) {
  for (std::size_t i = 0; i < sum.size(); ++i) {
    Number number;
    std::memcpy(&number, from + i * sizeof number, sizeof number);
    sum[i] += weight * static_cast<Sum>(convert(number));
  }
}

template <typename Sum>
void add_row(const Tensor& rows, std::size_t row, Sum weight, std::vector<Sum>& sum) {
  const std::byte* from = rows.bytes.data() + row * (rows.bytes.size() / rows.shape.front());
  switch (rows.element) {
    case Element::f32:
      return add_numbers<float>(from, weight, sum, [](float number) { return number; });
    case Element::f16:
      return add_numbers<std::uint16_t>(from, weight, sum, float_of_half);
    default:
      return add_numbers<std::int8_t>(from, weight, sum, [](std::int8_t number) { return number; });
  }
}

// Of what the originals sum up in: another one would differ from them in its last digits.
template <typename Sum>
Embedding mean_row(const Tensor& rows, const Tensor* mapping, const Tensor* weights, const std::vector<Token>& tokens) {
  std::vector<Sum> sum(rows.shape[1], Sum(0));
  for (const Token token : tokens) {
    const auto row = mapping == nullptr ? token : static_cast<std::size_t>(mapping->whole_number(token));
    add_row(rows, row, weights == nullptr ? Sum(1) : static_cast<Sum>(weights->number(token)), sum);
  }
  Embedding mean;
  mean.reserve(sum.size());
  for (const Sum each : sum) mean.push_back(static_cast<float>(each / static_cast<Sum>(tokens.size())));
  return mean;
}

float length_of(const Embedding& embedding) {
  float square = 0;
  for (const float number : embedding) square += number * number;
  return std::sqrt(square);
}

bool is_one_of(Element element, std::initializer_list<Element> elements) {
  return std::ranges::find(elements, element) != elements.end();
}

std::string failure(const fs::path& file, const std::string& what) {
  return file.string() + ": " + what;
}

// What each tensor has to be, so that looking up needs no checks.
std::string fault_of_tensors(const Tensor* rows, const Tensor* mapping, const Tensor* weights, std::size_t tokens) {
  if (rows == nullptr) return "has no embeddings; this is no static model";
  if (!is_one_of(rows->element, {Element::f32, Element::f16, Element::i8})) return "has embeddings of no known numbers";
  if (rows->shape.size() != 2 || rows->shape[0] == 0 || rows->shape[1] == 0 || rows->shape[1] > kMostDimensions) {
    return "has embeddings that are no table of 1 to " + std::to_string(kMostDimensions) + " columns";
  }
  const std::string ours = " for " + std::to_string(tokens) + " tokens of tokenizer.json, which is of another model";
  if (mapping == nullptr && rows->shape[0] < tokens) return "has " + std::to_string(rows->shape[0]) + " rows" + ours;
  if (weights != nullptr) {
    if (!is_one_of(weights->element, {Element::f64, Element::f32, Element::f16}))
      return "has weights of no known numbers";
    if (weights->size() < tokens) return "has " + std::to_string(weights->size()) + " weights" + ours;
  }
  if (mapping == nullptr) return {};
  if (!is_one_of(mapping->element, {Element::i32, Element::i64})) return "has a mapping of no whole numbers";
  if (mapping->size() < tokens) return "maps " + std::to_string(mapping->size()) + " tokens" + ours;
  for (std::size_t token = 0; token < mapping->size(); ++token) {
    const std::int64_t row = mapping->whole_number(token);
    if (row < 0 || std::cmp_greater_equal(row, rows->shape[0])) return "maps a token to a row that is not there";
  }
  return {};
}

/// What the optional files say.
struct Configuration {
  bool is_normalized = false;
  std::uint64_t digest = kDigestStart;
  std::string fault;  ///< empty: none
};

// One of them; null where it is missing.
nlohmann::json read_configuration(const fs::path& file, Configuration& into) {
  std::error_code failed;
  if (!into.fault.empty() || !fs::exists(file, failed)) return {};
  const auto read = read_model_file(file, kLargestConfig);
  if (!read) {
    into.fault = read.error();
    return {};
  }
  ModelJson parsed = parse_model_json(read->text());
  if (!parsed.fault.empty()) into.fault = failure(file, parsed.fault);
  into.digest = digest(into.digest, read->text());
  return std::move(parsed.value);
}

Configuration configuration_of(const Layout& layout) {
  Configuration made;
  const nlohmann::json config = read_configuration(layout.config, made);
  const nlohmann::json modules = read_configuration(layout.modules, made);
  const nlohmann::json& normalize = value_at(config, "normalize");
  made.is_normalized =
      normalize.is_boolean() ? normalize.get<bool>() : std::ranges::any_of(modules, [](const nlohmann::json& module) {
        return text_at(module, "type").ends_with("Normalize");
      });
  return made;
}

}  // namespace

StaticEmbedder::StaticEmbedder(std::unique_ptr<const Model> model) : model_(std::move(model)) {}
StaticEmbedder::~StaticEmbedder() = default;

result<std::unique_ptr<StaticEmbedder>, std::string> StaticEmbedder::load(const fs::path& folder) {
  const Layout layout = layout_of(folder);
  const Configuration configuration = configuration_of(layout);
  if (!configuration.fault.empty()) return configuration.fault;
  auto tensor_bytes = read_model_file(layout.tensors, kLargestTensors);
  if (!tensor_bytes) return tensor_bytes.error();
  const auto tokenizer_bytes = read_model_file(layout.tokenizer, kLargestTokenizer);
  if (!tokenizer_bytes) return tokenizer_bytes.error();
  const ModelJson described = parse_model_json(tokenizer_bytes->text());
  if (!described.fault.empty()) return failure(layout.tokenizer, described.fault);
  auto tokenizer = Tokenizer::make(described.value);
  if (!tokenizer) return failure(layout.tokenizer, tokenizer.error());
  auto tensors = Safetensors::read(*std::move(tensor_bytes));
  if (!tensors) return failure(layout.tensors, tensors.error());

  auto model = std::make_unique<Model>();
  model->tensors = *std::move(tensors);
  model->tokenizer = *std::move(tokenizer);
  model->rows = model->tensors.find("embeddings");
  if (model->rows == nullptr) model->rows = model->tensors.find("embedding.weight");
  model->mapping = model->tensors.find("mapping");
  model->weights = model->tensors.find("weights");
  const std::string fault = fault_of_tensors(model->rows, model->mapping, model->weights, model->tokenizer.size());
  if (!fault.empty()) return failure(layout.tensors, fault);
  model->is_normalized = configuration.is_normalized;
  std::uint64_t whole = digest(configuration.digest, kFormat);
  whole = digest(digest(whole, tokenizer_bytes->text()), model->tensors.file().text());
  model->fingerprint = hexadecimal(whole);
  return std::unique_ptr<StaticEmbedder>(new StaticEmbedder(std::move(model)));
}

Embedding StaticEmbedder::embed(std::string_view text) const {
  const Model& model = *model_;
  const std::vector<Token> tokens = model.tokenizer.encode(text, kMostTokens);
  if (tokens.empty()) return Embedding(dimensions(), 0.0F);
  Embedding mean = model.weights == nullptr ? mean_row<float>(*model.rows, model.mapping, nullptr, tokens)
                                            : mean_row<double>(*model.rows, model.mapping, model.weights, tokens);
  const float length = length_of(mean);
  // A broken model's numbers may be none, or beyond all bounds; they mean nothing.
  if (!std::isfinite(length)) return Embedding(dimensions(), 0.0F);
  if (model.is_normalized && length > 0) {
    for (float& number : mean) number /= length;
  }
  return mean;
}

std::size_t StaticEmbedder::dimensions() const {
  return model_->rows->shape[1];
}

const std::string& StaticEmbedder::fingerprint() const {
  return model_->fingerprint;
}

}  // namespace persona
