#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "persona/store/schema.hpp"
#include "persona/store/store_file.hpp"
#include "persona/store/store_tables.hpp"
#include "tests/fakes/meanings.hpp"
#include "tests/persona/store/store.hpp"

namespace persona {
namespace {

using testing::bytes_in;
using testing::kThread;
using testing::OtherConnection;
using testing::row;
using testing::Store;
using testing::TemporaryFolder;
using testing::turn;
using tests::meaning_of;

/// A store whose turns can be found by their meaning.
struct Meanings {
  TemporaryFolder folder;
  std::unique_ptr<Store> store = std::make_unique<Store>(folder);

  template <class T>
  T wait(const std::function<void(Archive::Done<T>)>& call) {
    std::optional<StoreResult<T>> result;
    call([&](StoreResult<T> got) { result = std::move(got); });
    store->tasks().run_until([&] { return result.has_value(); });
    REQUIRE(result->has_value());
    return **result;
  }
  EmbeddingProgress use_once(const std::string& model) {
    return wait<EmbeddingProgress>([&](auto done) { store->archive().use_embeddings(model, done); });
  }
  /// The slices it took.
  int use(const std::string& model) {
    int slices = 1;
    while (!use_once(model).ready) ++slices;
    return slices;
  }
  EmbeddingProgress embed(const std::string& model, const EmbedText& embed = meaning_of, std::size_t most = 1000) {
    return wait<EmbeddingProgress>([&](auto done) { store->archive().embed(model, embed, most, done); });
  }
  EmbeddingProgress embedded(const std::string& model, const std::vector<Embedded>& turns) {
    return wait<EmbeddingProgress>([&](auto done) { store->archive().embedded(model, turns, done); });
  }
  UnembeddedTurns unembedded(std::size_t most = 1000) {
    return wait<UnembeddedTurns>([&](auto done) { store->archive().unembedded(most, done); });
  }
  std::vector<Hit> search(const std::string& question, RecallAsk ask = {}, const ThreadKey& from = kThread) {
    ask.query = question;
    ask.meaning = meaning_of(question);
    ask.explained = true;
    if (ask.mode == RecallMode::automatic) ask.mode = RecallMode::semantic;
    return wait<std::vector<Hit>>([&](auto done) { store->archive().search(from, ask, done); });
  }
  std::string texts(const std::vector<Hit>& hits) {
    std::string all;
    for (const Hit& hit : hits) all += (all.empty() ? "" : "; ") + hit.turn->content;
    return all;
  }
  std::string nearest(const std::string& question, RecallAsk ask = {}, const ThreadKey& from = kThread) {
    ask.most = 1;
    return texts(search(question, std::move(ask), from));
  }
  std::string waiting() {
    std::string all;
    for (const Unembedded& one : unembedded().turns) all += (all.empty() ? "" : " ") + std::to_string(one.number);
    return all;
  }
  std::string table(const char* sql) { return OtherConnection(folder.file()).text(sql); }
};

TEST_CASE("a turn is found by its meaning though it shares no word with the question") {
  Meanings memory;
  REQUIRE(memory.store->append({row(1, "a brew would be nice"), row(2, "her canine barks"), row(3, "nothing known")}));
  memory.use("m");
  CHECK(memory.embed("m").embedded == 2);
  const auto hits = memory.search("where is the Hund?");
  REQUIRE_FALSE(hits.empty());
  CHECK(hits.front().turn->number == 2);
  CHECK(hits.front().source == Hit::Source::semantic);
  REQUIRE(hits.front().why.has_value());
  CHECK(hits.front().why->cosine.value_or(0) == doctest::Approx(1).epsilon(0.01));
}

TEST_CASE("what is looked for by words alone, or has no meaning, finds none") {
  Meanings memory;
  REQUIRE(memory.store->append({row(1, "her canine barks")}));
  memory.use("m");
  memory.embed("m");
  RecallAsk by_words;
  by_words.mode = RecallMode::lexical;
  CHECK(memory.search("dog", by_words).empty());
  CHECK(memory.search("unknown").empty());
}

TEST_CASE("a search by meaning stays within its scope and its times") {
  Meanings memory;
  const ThreadKey bedroom{{"local", "bedroom"}, "Ada"}, other{{"bob", "bedroom"}, "Ada"}, eve{{"local", "x"}, "Eve"};
  REQUIRE(memory.store->append({row(1, "a dog here"), row(2, "a dog in the bedroom", bedroom),
                                row(3, "a dog of Bob's", other), row(4, "a dog of Eve's", eve), row(5, "dog again")}));
  memory.use("m");
  CHECK(memory.embed("m").embedded == 5);
  RecallAsk ask;
  CHECK(memory.texts(memory.search("perro", ask)) == "dog again; a dog here");
  ask.scope = RecallScope::owner;
  CHECK(memory.texts(memory.search("perro", ask)) == "dog again; a dog in the bedroom; a dog here");
  ask.scope = RecallScope::persona;
  CHECK(memory.search("perro", ask).size() == 4);
  ask.scope = RecallScope::session;
  ask.until = 1700000005;
  CHECK(memory.texts(memory.search("perro", ask)) == "a dog here");
  ask.since = 1700000002;
  CHECK(memory.search("perro", ask).empty());
}

TEST_CASE("nothing waits for a model before there is one; then what was said before does, newest first") {
  Meanings memory;
  REQUIRE(memory.store->append({row(1, "one"), row(2, "two")}));
  CHECK(memory.waiting().empty());
  memory.use("m");
  REQUIRE(memory.store->append({row(3, "three"), {kThread, turn(4, "a prompt", 0, Role::system)}}));
  CHECK(memory.waiting() == "3 2 1");
  CHECK(memory.unembedded(2).progress.waiting == 3);
  CHECK(memory.unembedded(2).turns.front().text == "three");
  memory.embed("m", meaning_of, 1);
  CHECK(memory.waiting() == "2 1");
}

TEST_CASE("a turn that was replaced is embedded anew, and what the model said of its old words is dropped") {
  Meanings memory;
  memory.use("m");
  REQUIRE(memory.store->append({row(1, "my dog")}));
  memory.embed("m");
  REQUIRE(memory.store->append({row(1, "my tea")}));
  CHECK(memory.table("SELECT count(*) FROM vectors") == "0");
  CHECK(memory.waiting() == "1");
  memory.embedded("m", {{1, digest_of("my dog"), meaning_of("my dog")}});
  CHECK(memory.waiting() == "1");
  CHECK(memory.search("perro").empty());
  const auto progress = memory.embedded("m", {{1, digest_of("my tea"), meaning_of("my tea")}});
  CHECK(progress.embedded == 1);
  CHECK(progress.waiting == 0);
  CHECK(memory.nearest("brew") == "my tea");
}

TEST_CASE("what another model than the one that is set gave is refused") {
  Meanings memory;
  REQUIRE(memory.store->append({row(1, "my dog")}));
  memory.use("m");
  CHECK_FALSE(memory.embedded("other", {{1, digest_of("my dog"), meaning_of("my dog")}}).ready);
  CHECK(memory.table("SELECT count(*) FROM vectors") == "0");
  CHECK(memory.waiting() == "1");
}

TEST_CASE("a text that the model gives nothing for is asked for no more") {
  Meanings memory;
  REQUIRE(memory.store->append({row(1, "my dog"), row(2, "nothing known")}));
  memory.use("m");
  CHECK(memory.embedded("m", {{1, digest_of("my dog"), {}}}).waiting == 1);
  const auto progress = memory.embed("m");
  CHECK(progress.waiting == 0);
  CHECK(progress.embedded == 0);
}

TEST_CASE("another model: nothing is found by meaning until the old vectors have gone, also across a restart") {
  Meanings memory;
  std::vector<Row> rows;
  for (Number number = 1; number <= 2500; ++number) rows.push_back(row(number, "dog " + std::to_string(number)));
  REQUIRE(memory.store->append(rows));
  memory.use("old");
  while (memory.embed("old").waiting > 0) {
  }
  REQUIRE(memory.search("perro").size() == 5);

  CHECK_FALSE(memory.use_once("new").ready);
  CHECK(memory.search("perro").empty());
  CHECK_FALSE(memory.embedded("new", {{1, digest_of("dog 1"), meaning_of("dog")}}).ready);
  CHECK_FALSE(memory.embedded("old", {{1, digest_of("dog 1"), meaning_of("dog")}}).ready);
  memory.store.reset();
  memory.store = std::make_unique<Store>(memory.folder);
  CHECK(memory.search("perro").empty());
  CHECK(memory.use("new") > 3);
  CHECK(memory.table("SELECT count(*) FROM vectors") == "0");
  CHECK(memory.unembedded().progress.waiting == 2500);
  memory.embed("new");
  CHECK(memory.nearest("perro") == "dog 2500");
  CHECK(memory.use("new") == 1);  // the same again: nothing to do
  CHECK(memory.unembedded().progress.embedded == 1000);
}

TEST_CASE("vectors of another length than those that are there: all are made anew") {
  Meanings memory;
  REQUIRE(memory.store->append({row(1, "my dog"), row(2, "my tea")}));
  memory.use("m");
  memory.embedded("m", {{1, digest_of("my dog"), meaning_of("dog")}});
  const auto progress = memory.embedded("m", {{2, digest_of("my tea"), Embedding(5, 1.0F)}});
  CHECK_FALSE(progress.ready);
  CHECK(progress.embedded == 0);
  memory.use("m");
  CHECK(memory.waiting() == "2 1");
  memory.embedded("m", {{2, digest_of("my tea"), Embedding(5, 1.0F)}});
  CHECK(memory.search("perro").empty());  // a question's vector of the old length
}

TEST_CASE("a model that is taken away and comes back finds what was said meanwhile waiting, the rest as it was") {
  Meanings memory;
  REQUIRE(memory.store->append({row(1, "my dog")}));
  memory.use("m");
  memory.embed("m");
  memory.store.reset();
  memory.store = std::make_unique<Store>(memory.folder);
  REQUIRE(memory.store->append({row(2, "her dog")}));
  CHECK(memory.use("m") == 1);
  CHECK(memory.waiting() == "2");
  CHECK(memory.unembedded().progress.embedded == 1);
}

TEST_CASE("an erased turn leaves nothing of its vector in any file") {
  Meanings memory;
  std::mt19937 random(3);
  std::normal_distribution<float> normal;
  const auto any = [&](std::string_view) {
    Embedding made(256);
    for (float& value : made) value = normal(random);
    return made;
  };
  std::vector<Row> rows;
  for (Number number = 1; number <= 200; ++number) rows.push_back(row(number, "text " + std::to_string(number)));
  REQUIRE(memory.store->append(rows));
  memory.use("m");
  std::vector<Embedded> turns;
  std::vector<std::string> patterns;
  for (const Row& one : rows) {
    turns.push_back({one.turn->number, digest_of(one.turn->content), any("")});
    const PackedEmbedding vector = packed(turns.back().embedding);
    patterns.emplace_back(reinterpret_cast<const char*>(vector.values.data()) + 100, 64);
  }
  CHECK(memory.embedded("m", turns).embedded == 200);
  const auto left_of = [&](Number number) {
    return bytes_in(memory.folder.store()).find(patterns[number - 1]) != std::string::npos;
  };
  REQUIRE(left_of(7));
  std::vector<Number> gone;
  for (Number number = 1; number <= 200; number += 3) gone.push_back(number);
  gone.push_back(8);
  REQUIRE(memory.store->erase(kThread, gone));
  const std::string bytes = bytes_in(memory.folder.store());
  for (const Number number : gone) CHECK(bytes.find(patterns[number - 1]) == std::string::npos);
  CHECK(bytes.find(patterns[1]) != std::string::npos);
  CHECK(memory.table("SELECT count(*) FROM vectors") == std::to_string(200 - gone.size()));
  CHECK(memory.unembedded().progress.embedded == 200 - gone.size());
  // What the model says of it too late.
  memory.embedded("m", {turns[6]});
  CHECK_FALSE(left_of(7));
}

TEST_CASE("a turn that waits for its embedding and is erased waits no more") {
  Meanings memory;
  memory.use("m");
  REQUIRE(memory.store->append({row(1, "my dog"), row(2, "my tea")}));
  REQUIRE(memory.store->erase(kThread, {1}));
  CHECK(memory.waiting() == "2");
}

TEST_CASE("turns of a store from before the index are embedded once they have their places") {
  Meanings memory;
  memory.store.reset();
  std::filesystem::remove_all(memory.folder.store());
  {
    REQUIRE(open_store_file(Store::settings_in(memory.folder), migrations().first(4)).has_value());
    OtherConnection other(memory.folder.file());
    other.execute("INSERT INTO threads VALUES(1, 'local', 'kitchen', 'Ada', 1, 4, 1, 1)");
    other.execute(
        "INSERT INTO turns(number, id, thread, exchange, timestamp, role, content)"
        " VALUES(7, 'x', 1, 7, 1, 2, 'my dog')");
  }
  memory.store = std::make_unique<Store>(memory.folder);
  for (int i = 0; i < 3; ++i) memory.store->flush();
  memory.use("m");
  memory.embed("m");
  CHECK(memory.nearest("perro") == "my dog");
}

TEST_CASE("the nearest are those that a look at every vector finds") {
  TemporaryFolder folder;
  auto file = open_store_file(Store::settings_in(folder));
  REQUIRE(file.has_value());
  StoreTables tables(*file->connection);
  std::mt19937 random(11);
  std::normal_distribution<float> normal;
  std::vector<Embedding> made;
  const auto any = [&](std::string_view) {
    Embedding& one = made.emplace_back(32);
    for (float& value : one) value = normal(random);
    return one;
  };
  REQUIRE(tables.begin());
  for (Number number = 1; number <= 500; ++number) {
    const ThreadKey thread{{"owner" + std::to_string(number % 3), "c" + std::to_string(number % 7)}, "Ada"};
    REQUIRE(tables.put(row(number, "text", thread)) == StoreTables::Written::yes);
  }
  EmbeddingProgress progress;
  while (!progress.ready) REQUIRE(tables.vectors().use("m", progress));
  REQUIRE(tables.vectors().embed("m", any, 1000, progress));
  REQUIRE(tables.commit());
  REQUIRE(progress.embedded == 500);
  IndexTables::Scope all;
  all.empty = false;
  for (int i = 0; i < 20; ++i) {
    const Embedding wanted = any("");
    made.pop_back();
    std::vector<float> cosines;
    for (const Embedding& one : made) cosines.push_back(cosine(packed(one).values, packed(wanted).values));
    std::ranges::sort(cosines, std::ranges::greater());
    std::vector<NearTurn> found;
    REQUIRE(tables.vectors().nearest("Ada", all, wanted, 10, {}, found));
    REQUIRE(found.size() == 10);
    for (std::size_t j = 0; j < found.size(); ++j) CHECK(found[j].cosine == doctest::Approx(cosines[j]));
  }
}

}  // namespace
}  // namespace persona
