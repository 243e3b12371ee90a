#include <doctest/doctest.h>

#include <memory>

#include "tests/fakes/meanings.hpp"
#include "tests/fakes/model_server.hpp"
#include "tests/persona/recall/small_model.hpp"
#include "tests/system/assistant.hpp"

// Recall by meaning: with a model in a folder, and with one behind an endpoint that is not always there.

using namespace system_tests;
using nlohmann::json;
using persona::ModelFolder;
using tests::ModelReply;
using tests::ModelServer;
using tests::ModelServerSettings;

namespace {

const Where kKitchen{"kitchen"};

/// A model that knows two meanings, each by the words in two languages; turned round, they are other vectors.
void write_model(ModelFolder& folder, float turned = 1) {
  const std::vector<std::string> words{"[UNK]", "dog", "hund", "canine", "tea", "tee", "brew"};
  std::vector<float> rows{0, 0};
  for (std::size_t i = 1; i < words.size(); ++i) {
    const bool dog = i < 4;
    rows.insert(rows.end(), {dog ? turned : 0.1F, dog ? 0.1F : turned});
  }
  json tokenizer = persona::word_piece_tokenizer();
  json vocabulary = json::object();
  for (std::size_t i = 0; i < words.size(); ++i) vocabulary[words[i]] = i;
  tokenizer["model"]["vocab"] = std::move(vocabulary);
  folder.write("model.safetensors",
               persona::safetensors_of({{"embeddings", "F32", {words.size(), 2}, persona::raw(rows)}}));
  folder.write("tokenizer.json", tokenizer.dump()).write("config.json", R"({"normalize": true})");
}

DaemonSettings settings(json embeddings) {
  DaemonSettings made;
  made.configuration = {{"bus_admin", true}, {"default_persona", "Ada"}};
  made.configuration["recall"] = {{"embeddings", std::move(embeddings)}};
  made.personas["ada"] = {{"name", "Ada"},
                          {"memory_module", "ovos-memory-plugin-local-rag"},
                          {"ovos-memory-plugin-local-rag", {{"max_history", 1}, {"scope", "owner"}}}};
  made.personas["eve"] = {{"name", "Eve"}, {"memory_module", "ovos-memory-plugin-lexical"}};
  return made;
}

json endpoint(const std::string& url) {
  return {{"api_url", url}, {"name", "small"}, {"query_prefix", "ask: "}, {"passage_prefix", "said: "}};
}

json status(Assistant& bus) {
  return bus.result("ovos.memory.status", json::object()).at("embeddings");
}

bool embedded(Assistant& bus, int turns) {
  return eventually([&] {
    const json now = status(bus);
    return now.at("embedded") == turns && now.at("waiting") == 0;
  });
}

json search(Assistant& bus, const std::string& query, const std::string& mode, const std::string& scope = "session") {
  json ask{{"query", query}, {"mode", mode}, {"scope", scope}, {"explain", true}, {"persona_id", "Ada"}};
  return bus.result("ovos.memory.search", std::move(ask), kKitchen).at("hits");
}

std::string first(const json& hits) {
  return hits.empty() ? "" : hits.at(0).at("content").get<std::string>();
}

void talk(Assistant& bus) {
  bus.exchange(kKitchen, "Her canine barks at night", {"Poor thing"});
  bus.exchange(kKitchen, "A brew would be nice", {"Coming"});
}

}  // namespace

TEST_CASE("with a model in a folder turns are found by their meaning, also after a restart") {
  ModelFolder model;
  write_model(model);
  DaemonProcess personad(settings({{"model", model.path().string()}}));
  for (int run = 0; run < 2; ++run) {
    Assistant bus(personad.url());
    if (run == 0) talk(bus);
    REQUIRE(embedded(bus, 2));  // of the others the model knows no word
    json hits = search(bus, "where is the Hund", "semantic");
    REQUIRE_FALSE(hits.empty());
    CHECK(first(hits) == "Her canine barks at night");
    CHECK(hits.at(0).at("source") == "semantic");
    CHECK(hits.at(0).at("why").at("cosine").get<double>() > 0.9);
    hits = search(bus, "is tee nice", "auto");
    CHECK(first(hits) == "A brew would be nice");
    CHECK(hits.at(0).at("source") == "both");
    CHECK(search(bus, "where is the Hund", "lexical").empty());
    bus.peer().close();
    REQUIRE(personad.terminate() == 0);
    personad.start();
  }
}

TEST_CASE("another model in the folder: what was said is embedded anew, and the store says how far it is") {
  ModelFolder model;
  write_model(model);
  DaemonProcess personad(settings({{"model", model.path().string()}}));
  {
    Assistant bus(personad.url());
    talk(bus);
    REQUIRE(embedded(bus, 2));
  }
  REQUIRE(personad.terminate() == 0);
  write_model(model, -1);
  personad.start();
  Assistant bus(personad.url());
  REQUIRE(embedded(bus, 2));
  const json hits = search(bus, "Hund", "semantic");
  REQUIRE_FALSE(hits.empty());
  CHECK(first(hits) == "Her canine barks at night");
  CHECK(hits.at(0).at("why").at("cosine").get<double>() > 0.9);
}

TEST_CASE("a folder that holds no model ends the start, and says why") {
  ModelFolder model;
  model.write("readme.txt", "nothing here");
  try {
    DaemonProcess personad(settings({{"model", model.path().string()}}));
    FAIL("it started");
  } catch (const std::exception& error) {
    CHECK(std::string(error.what()).find("recall.embeddings.model: ") != std::string::npos);
  }
}

TEST_CASE("without a model a search for meanings alone is refused, and status has nothing to say") {
  DaemonProcess personad(settings(json::object()));
  Assistant bus(personad.url());
  talk(bus);
  CHECK(bus.error("ovos.memory.search", {{"query", "Hund"}, {"mode", "semantic"}}, kKitchen).find("unavailable") == 0);
  CHECK_FALSE(bus.result("ovos.memory.status", json::object()).contains("embeddings"));
}

TEST_CASE("with an endpoint a question in one language finds the answer in another, in contexts too") {
  ModelServer model;
  model.answer_vectors(tests::meaning_of);
  DaemonProcess personad(settings(endpoint(model.url())));
  Assistant bus(personad.url());
  talk(bus);
  bus.exchange(kKitchen, "And now?", {"Nothing"});
  REQUIRE(eventually([&] { return status(bus).at("waiting") == 0 && status(bus).at("embedded") == 2; }));
  CHECK(first(search(bus, "Wo ist der Hund?", "semantic")) == "Her canine barks at night");
  bool with_prefix = false;
  for (const auto& request : model.requests())
    with_prefix = with_prefix || request.body.find("ask: Wo") != std::string::npos;
  CHECK(with_prefix);
  const auto recalled = [&](const std::string& persona) {
    std::string all;
    for (const std::string& line : bus.context(kKitchen, "Wo ist der Hund?", {{"persona_id", persona}}))
      all += line + "\n";
    return all.find("Her canine barks") != std::string::npos;
  };
  CHECK(recalled("Ada"));
  CHECK_FALSE(recalled("Eve"));
}

TEST_CASE("an endpoint that dies leaves words, loses nothing, and is used again when it is back") {
  ModelServerSettings server;
  auto model = std::make_unique<ModelServer>(server);
  server.port = model->port();
  model->answer_vectors(tests::meaning_of);
  DaemonProcess personad(settings(endpoint(model->url())));
  Assistant bus(personad.url());
  talk(bus);
  REQUIRE(embedded(bus, 2));
  model.reset();
  bus.exchange(kKitchen, "The vehicle is red", {"Fine"});
  CHECK(eventually([&] { return status(bus).at("failed").get<int>() > 0; }));
  CHECK(first(search(bus, "red vehicle", "auto")) == "The vehicle is red");
  CHECK(first(search(bus, "night barks", "semantic")) == "Her canine barks at night");  // words have to do
  const json down = status(bus);
  CHECK(down.at("waiting").get<int>() > 0);
  CHECK(down.at("questions").at("by_words_alone").get<int>() == 2);
  CHECK(down.at("questions").at("last_error") != "");
  model = std::make_unique<ModelServer>(server);
  model->answer_vectors(tests::meaning_of);
  CHECK(embedded(bus, 3));
  CHECK(eventually([&] { return first(search(bus, "mein Auto", "semantic")) == "The vehicle is red"; }));
}
