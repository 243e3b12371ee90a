#pragma once
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "persona/recall/model_files.hpp"

// Models small enough to work out by hand.
namespace persona {

template <typename Number>
std::string raw(const std::vector<Number>& numbers) {
  std::string bytes(numbers.size() * sizeof(Number), '\0');
  if (!bytes.empty()) std::memcpy(bytes.data(), numbers.data(), bytes.size());
  return bytes;
}

struct NamedTensor {
  std::string name;
  std::string dtype;
  std::vector<std::size_t> shape;
  std::string bytes;
};

inline std::string safetensors_of(const nlohmann::json& header, const std::string& numbers) {
  const std::string text = header.dump();
  return raw<std::uint64_t>({text.size()}) + text + numbers;
}

inline std::string safetensors_of(const std::vector<NamedTensor>& tensors) {
  nlohmann::json header = nlohmann::json::object();
  std::string numbers;
  for (const NamedTensor& tensor : tensors) {
    const std::size_t begin = numbers.size();
    numbers += tensor.bytes;
    header[tensor.name] = {{"dtype", tensor.dtype}, {"shape", tensor.shape}, {"data_offsets", {begin, numbers.size()}}};
  }
  return safetensors_of(header, numbers);
}

inline FileBytes file_of(std::string_view text) {
  FileBytes file(text.size());
  if (!text.empty()) std::memcpy(file.bytes().data(), text.data(), text.size());
  return file;
}

/// As it is once it was in a file: numbers that are not negative have another type there.
inline nlohmann::json as_read(const nlohmann::json& made) {
  return nlohmann::json::parse(made.dump());
}

/// WordPiece over words of English, numbered as they are listed.
inline nlohmann::json word_piece_tokenizer() {
  nlohmann::json vocabulary = nlohmann::json::object();
  std::size_t number = 0;
  for (const char* token : {"[UNK]", "tea", "##pot", "##s", "green", "cafe", "!"}) vocabulary[token] = number++;
  return as_read({{"normalizer", {{"type", "BertNormalizer"}, {"lowercase", true}, {"strip_accents", nullptr}}},
                  {"pre_tokenizer", {{"type", "BertPreTokenizer"}}},
                  {"model",
                   {{"type", "WordPiece"},
                    {"unk_token", "[UNK]"},
                    {"continuing_subword_prefix", "##"},
                    {"max_input_chars_per_word", 20},
                    {"vocab", vocabulary}}}});
}

using Scores = std::vector<std::pair<std::string, double>>;

/// Unigram with the mark of spaces before each word.
inline nlohmann::json unigram_tokenizer(const Scores& scores) {
  nlohmann::json vocabulary = nlohmann::json::array();
  for (const auto& [token, score] : scores) vocabulary.push_back({token, score});
  return as_read({{"normalizer", nullptr},
                  {"pre_tokenizer", {{"type", "Metaspace"}, {"replacement", "▁"}, {"prepend_scheme", "always"}}},
                  {"model", {{"type", "Unigram"}, {"unk_id", 0}, {"vocab", vocabulary}}}});
}

/// A model's folder, gone with all it holds when this goes.
class ModelFolder {
 public:
  ModelFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "personad-model-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary folder: " + pattern);
    path_ = pattern;
  }
  ~ModelFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  ModelFolder(const ModelFolder&) = delete;
  ModelFolder& operator=(const ModelFolder&) = delete;

  ModelFolder& write(const std::string& name, std::string_view text) {
    std::filesystem::create_directories((path_ / name).parent_path());
    std::ofstream out(path_ / name, std::ios::binary);
    out << text;
    if (!out.flush()) throw std::runtime_error("cannot write " + name);
    return *this;
  }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace persona
