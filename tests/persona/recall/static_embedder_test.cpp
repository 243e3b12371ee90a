#include "persona/recall/static_embedder.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <random>

#include "persona/recall/safetensors.hpp"
#include "persona/recall/tokenizer.hpp"
#include "tests/persona/recall/small_model.hpp"

namespace persona {
namespace {

using nlohmann::json;

// Of the seven tokens of `word_piece_tokenizer`: the second is "tea", the fifth "green".
const std::vector<float> kRows{9, 9, 3, 0, 0, 2, 0, 0, 1, 4, 0, 0, 5, 5};

std::string rows(const std::string& name = "embeddings") {
  return safetensors_of({{name, "F32", {7, 2}, raw(kRows)}});
}

ModelFolder& write_model(ModelFolder& folder, const std::string& tensors, const json& config = {{"normalize", false}}) {
  return folder.write("model.safetensors", tensors)
      .write("tokenizer.json", word_piece_tokenizer().dump())
      .write("config.json", config.dump());
}

std::unique_ptr<StaticEmbedder> loaded(const ModelFolder& folder) {
  auto embedder = StaticEmbedder::load(folder.path());
  if (!embedder) FAIL(embedder.error());
  return *std::move(embedder);
}

// Without the folder in front.
std::string fault(const ModelFolder& folder) {
  const auto embedder = StaticEmbedder::load(folder.path());
  return embedder ? "" : embedder.error().substr(folder.path().string().size() + 1);
}

std::string fault_of(const std::vector<NamedTensor>& tensors) {
  ModelFolder folder;
  return fault(write_model(folder, safetensors_of(tensors)));
}

TEST_CASE("a text is the mean of its tokens' rows") {
  ModelFolder folder;
  const auto embedder = loaded(write_model(folder, rows()));
  CHECK(embedder->dimensions() == 2);
  CHECK(embedder->embed("tea") == Embedding{3, 0});
  CHECK(embedder->embed("Green tea") == Embedding{2, 2});
  CHECK(embedder->embed("teapot") == Embedding{1.5F, 1});
}

TEST_CASE("tokens that are unknown are not counted, and a text without others is all zero") {
  ModelFolder folder;
  const auto embedder = loaded(write_model(folder, rows(), {{"normalize", true}}));
  CHECK(embedder->embed("tea xyzzy") == Embedding{1, 0});
  for (const char* text : {"", " \n", "xyzzy", "\xff\xfe"}) CHECK(embedder->embed(text) == Embedding{0, 0});
}

TEST_CASE("a text has unit length where the model says so, in either of its files") {
  ModelFolder folder;
  CHECK(loaded(write_model(folder, rows(), {{"normalize", true}}))->embed("teapot") ==
        Embedding{1.5F / std::sqrt(3.25F), 1 / std::sqrt(3.25F)});
  write_model(folder, rows(), json::object());
  CHECK(loaded(folder)->embed("tea") == Embedding{3, 0});
  folder.write("modules.json", R"([{"type": "sentence_transformers.models.StaticEmbedding"},
                                   {"type": "sentence_transformers.models.Normalize"}])");
  CHECK(loaded(folder)->embed("tea") == Embedding{1, 0});
}

TEST_CASE("of a long text the first 512 known tokens count") {
  ModelFolder folder;
  const auto embedder = loaded(write_model(folder, rows()));
  std::string text;
  for (int i = 0; i < 511; ++i) text += "tea ";
  CHECK(embedder->embed(text + "!!") == Embedding{(511.0F * 3 + 5) / 512, 5.0F / 512});
}

TEST_CASE("a smaller table has a row and a weight for each token") {
  ModelFolder folder;
  const std::vector<float> table{1, 0, 0, 2};
  const std::vector<double> weights{9, 0.5, 1, 1, 3, 1, 1};
  for (const bool is_wide : {false, true}) {
    const std::string mapping =
        is_wide ? raw<std::int64_t>({0, 0, 1, 1, 1, 0, 0}) : raw<std::int32_t>({0, 0, 1, 1, 1, 0, 0});
    write_model(folder, safetensors_of({{"embeddings", "F32", {2, 2}, raw(table)},
                                        {"mapping", is_wide ? "I64" : "I32", {7}, mapping},
                                        {"weights", "F64", {7}, raw(weights)}}));
    CHECK(loaded(folder)->embed("tea") == Embedding{0.5F, 0});
    CHECK(loaded(folder)->embed("green tea") == Embedding{0.25F, 3});
  }
}

TEST_CASE("tables of half precision and of bytes are read as well") {
  ModelFolder folder;
  std::vector<std::uint16_t> halves(14);
  halves[2] = 0x3E00;  // 1.5
  halves[3] = 0xC000;  // -2
  write_model(folder, safetensors_of({{"embeddings", "F16", {7, 2}, raw(halves)}}));
  CHECK(loaded(folder)->embed("tea") == Embedding{1.5F, -2});
  std::vector<std::int8_t> bytes(14);
  bytes[2] = -128;
  bytes[3] = 127;
  write_model(folder, safetensors_of({{"embeddings", "I8", {7, 2}, raw(bytes)}}));
  CHECK(loaded(folder)->embed("tea") == Embedding{-128, 127});
}

TEST_CASE("folders are read as sentence-transformers writes them, too") {
  ModelFolder flat;
  flat.write("model.safetensors", rows("embedding.weight"))
      .write("tokenizer.json", word_piece_tokenizer().dump())
      .write("config_sentence_transformers.json", R"({"normalize": true})");
  CHECK(loaded(flat)->embed("tea") == Embedding{1, 0});
  ModelFolder nested;
  nested.write("0_StaticEmbedding/model.safetensors", rows("embedding.weight"))
      .write("0_StaticEmbedding/tokenizer.json", word_piece_tokenizer().dump())
      .write("config_sentence_transformers.json", "{}");
  CHECK(loaded(nested)->embed("tea") == Embedding{3, 0});
}

TEST_CASE("numbers that are none make a text without meaning, not a vector of them") {
  ModelFolder folder;
  std::vector<float> broken = kRows;
  broken[2] = std::numeric_limits<float>::quiet_NaN();
  broken[8] = std::numeric_limits<float>::max();
  const auto embedder = loaded(write_model(folder, safetensors_of({{"embeddings", "F32", {7, 2}, raw(broken)}})));
  CHECK(embedder->embed("tea") == Embedding{0, 0});
  CHECK(embedder->embed("green green") == Embedding{0, 0});
  CHECK(embedder->embed("teapot cafe !") == Embedding{0, 0});
  CHECK(embedder->embed("!") == Embedding{5, 5});
}

TEST_CASE("the fingerprint is the files' content: one changed byte makes another, another folder does not") {
  ModelFolder first;
  ModelFolder second;
  const std::string before = loaded(write_model(first, rows()))->fingerprint();
  CHECK(before.size() == 16);
  CHECK(loaded(write_model(second, rows()))->fingerprint() == before);
  std::string changed = rows();
  changed.back() = static_cast<char>(changed.back() ^ 1);
  CHECK(loaded(write_model(second, changed))->fingerprint() != before);
  CHECK(loaded(write_model(second, rows(), {{"normalize", true}}))->fingerprint() != before);
  json tokenizer = word_piece_tokenizer();
  tokenizer["model"]["max_input_chars_per_word"] = 30;
  write_model(second, rows()).write("tokenizer.json", tokenizer.dump());
  CHECK(loaded(second)->fingerprint() != before);
}

TEST_CASE("what becomes of the files after loading changes nothing") {
  ModelFolder folder;
  const auto embedder = loaded(write_model(folder, rows()));
  folder.write("model.safetensors", "").write("tokenizer.json", "");
  CHECK(embedder->embed("green tea") == Embedding{2, 2});
}

TEST_CASE("files that are missing or broken are named, with what to do") {
  ModelFolder folder;
  CHECK(fault(folder) == "model.safetensors: is not there; a model's folder has to hold it");
  folder.write("model.safetensors", rows());
  CHECK(fault(folder) == "tokenizer.json: is not there; a model's folder has to hold it");
  folder.write("tokenizer.json", "{\"model\": ");
  CHECK(fault(folder) == "tokenizer.json: is not JSON, or was cut off");
  folder.write("tokenizer.json", std::string(100'000, '['));
  CHECK(fault(folder) == "tokenizer.json: is nested too deep");
  write_model(folder, "version https://git-lfs.github.com/spec/v1\noid sha256:0\n");
  CHECK(fault(folder) == "model.safetensors: is a pointer of Git LFS, not the file itself; fetch it with git lfs pull");
  write_model(folder, rows()).write("config.json", "normalize");
  CHECK(fault(folder) == "config.json: is not JSON, or was cut off");
}

TEST_CASE("a table that the tokenizer's tokens do not fit is refused") {
  CHECK(fault_of({{"other", "F32", {7, 2}, raw(kRows)}}) ==
        "model.safetensors: has no embeddings; this is no static model");
  CHECK(fault_of({{"embeddings", "F32", {2, 7}, raw(kRows)}}) ==
        "model.safetensors: has 2 rows for 7 tokens of tokenizer.json, which is of another model");
  CHECK(fault_of({{"embeddings", "F32", {14}, raw(kRows)}}) ==
        "model.safetensors: has embeddings that are no table of 1 to 16384 columns");
  CHECK(fault_of({{"embeddings", "I32", {7, 2}, raw(kRows)}}) ==
        "model.safetensors: has embeddings of no known numbers");
  const NamedTensor table{"embeddings", "F32", {7, 2}, raw(kRows)};
  CHECK(fault_of({table, {"mapping", "I32", {1}, raw<std::int32_t>({0})}}) ==
        "model.safetensors: maps 1 tokens for 7 tokens of tokenizer.json, which is of another model");
  CHECK(fault_of({table, {"mapping", "I32", {7}, raw<std::int32_t>({0, 0, 0, 7, 0, 0, 0})}}) ==
        "model.safetensors: maps a token to a row that is not there");
  CHECK(fault_of({table, {"mapping", "I32", {7}, raw<std::int32_t>({0, 0, 0, -1, 0, 0, 0})}}) ==
        "model.safetensors: maps a token to a row that is not there");
  CHECK(fault_of({table, {"weights", "F32", {1}, raw<float>({1})}}) ==
        "model.safetensors: has 1 weights for 7 tokens of tokenizer.json, which is of another model");
}

/// Breaks files as disks, transfers and malice do.
class Breaker {
 public:
  std::string broken(std::string bytes) {
    for (std::size_t left = below(4) + 1; left > 0 && !bytes.empty(); --left) {
      const std::size_t at = below(bytes.size());
      switch (below(4)) {
        case 0:
          bytes[at] = static_cast<char>(below(256));
          break;
        case 1:
          bytes.resize(at);
          break;
        case 2:
          bytes.insert(at, bytes.substr(below(bytes.size()), below(40)));
          break;
        default:
          bytes.erase(at, below(8) + 1);
      }
    }
    return bytes;
  }

 private:
  std::size_t below(std::size_t end) { return random_() % end; }
  std::mt19937 random_{19930401};
};

TEST_CASE("models of any bytes are refused or read, and embed without a fault") {
  Breaker breaker;
  ModelFolder folder;
  const std::string good = safetensors_of({{"embeddings", "F32", {7, 2}, raw(kRows)},
                                           {"mapping", "I32", {7}, raw<std::int32_t>({0, 1, 2, 3, 4, 5, 6})},
                                           {"weights", "F64", {7}, raw<double>({1, 1, 1, 1, 1, 1, 1})}});
  const std::vector<std::string> tokenizers{
      word_piece_tokenizer().dump(),
      unigram_tokenizer({{"?", 0}, {"▁tea", -1}, {"▁green", -2}, {"pot", -1}, {"s", -1}, {"!", -1}}).dump()};
  int read = 0;
  int refused = 0;
  for (std::size_t round = 0; round < 1000; ++round) {
    const std::string& tokenizer = tokenizers[round % 2];
    folder.write("model.safetensors", round % 3 == 0 ? good : breaker.broken(good))
        .write("tokenizer.json", round % 3 == 1 ? tokenizer : breaker.broken(tokenizer));
    const auto embedder = StaticEmbedder::load(folder.path());
    (embedder ? read : refused) += 1;
    if (!embedder) continue;
    for (const std::string_view text : {"green teapots! cafe", "\xff tea", ""}) {
      for (const float number : (*embedder)->embed(text)) CHECK(std::isfinite(number));
    }
  }
  CHECK(read > 20);
  CHECK(refused > 200);
}

}  // namespace
}  // namespace persona
