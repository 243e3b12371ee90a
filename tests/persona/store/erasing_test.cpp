#include <doctest/doctest.h>

#include <array>
#include <map>
#include <random>
#include <unordered_set>

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

bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

TEST_CASE("erased text is in no file of the folder any more, its neighbours are") {
  const TemporaryFolder folder;
  Store store(folder);
  const std::string long_secret = "my code is 4711" + std::string(20000, 's') + "the end of it";
  REQUIRE(store.append({row(1, "keep this one"), row(2, "the secret word"), row(3, long_secret)}));
  REQUIRE(contains(bytes_in(folder.store()), "secret word"));
  REQUIRE(store.erase(kThread, {2, 3}));
  std::string bytes = bytes_in(folder.store());
  CHECK_FALSE(contains(bytes, "secret word"));
  CHECK_FALSE(contains(bytes, "code is 4711"));
  CHECK_FALSE(contains(bytes, "ssssssss"));
  CHECK_FALSE(contains(bytes, "the end of it"));
  CHECK_FALSE(contains(bytes, "turn-2"));
  CHECK(contains(bytes, "keep this one"));
  REQUIRE(store.append({row(4, "what comes next")}));
  bytes = bytes_in(folder.store());
  CHECK(contains(bytes, "what comes next"));
  CHECK_FALSE(contains(bytes, "secret word"));
}

TEST_CASE("the text of a row that was replaced is gone once the new one is erased") {
  const TemporaryFolder folder;
  Store store(folder);
  REQUIRE(store.append({row(1, "the first wording")}));
  REQUIRE(store.append({row(1, "the other wording")}));
  REQUIRE(store.erase(kThread, {1}));
  const std::string bytes = bytes_in(folder.store());
  CHECK_FALSE(contains(bytes, "first wording"));
  CHECK_FALSE(contains(bytes, "other wording"));
}

constexpr std::size_t kSecret = 16;  // bytes

std::size_t found_in(const std::string& bytes, const std::unordered_set<std::string>& secrets) {
  std::size_t found = 0;
  std::string piece;
  for (std::size_t at = 0; at + kSecret <= bytes.size(); ++at) {
    if (bytes[at] < 'a' || bytes[at] > 'z') continue;  // no secret starts so
    piece.assign(bytes, at, kSecret);
    found += secrets.count(piece);
  }
  return found;
}

TEST_CASE("nothing of what was erased is left in any page, however the rows were moved about before") {
  std::mt19937 random(5);
  const auto below = [&](std::size_t most) { return random() % most; };
  for (int round = 0; round < 2; ++round) {
    const TemporaryFolder folder;
    Store store(folder);
    std::map<Number, std::array<std::string, 2>> live;
    std::unordered_set<std::string> gone;
    Number next = 1;
    const auto secret = [&] {
      std::string text(kSecret, ' ');
      for (char& letter : text) letter = static_cast<char>('a' + below(26));
      return text;
    };
    constexpr std::size_t kLengths[] = {0, 0, 20, 100, 400, 1500, 6000};
    for (int step = 0; step < 60; ++step) {
      if (live.size() < 60 || below(10) < 6) {
        for (std::size_t i = below(60); i > 0; --i) {
          Turn made = *turn(next, secret() + std::string(kLengths[below(7)], '.'));
          made.id = secret();
          live[next++] = {made.content.substr(0, kSecret), made.id};
          store.archive().keep({kThread, std::make_shared<const Turn>(std::move(made))});
        }
        store.flush();
      } else {
        std::vector<Number> numbers;
        auto one = std::next(live.begin(), static_cast<std::ptrdiff_t>(below(live.size())));
        for (std::size_t i = below(80); i > 0 && one != live.end(); --i) {
          numbers.push_back(one->first);
          gone.insert(one->second.begin(), one->second.end());
          one = live.erase(one);
          if (below(3) == 0 && one != live.end()) ++one;
        }
        REQUIRE(store.erase(kThread, numbers));
      }
      // Also what is written after an erase must not bring it back.
      if (step % 4 == 3) REQUIRE(found_in(bytes_in(folder.store()), gone) == 0);
    }
    REQUIRE(gone.size() > 500);
    const std::string bytes = bytes_in(folder.store());
    for (const auto& [number, texts] : live) REQUIRE(contains(bytes, texts[0]));
    store.archive().close();
    CHECK(OtherConnection(folder.file()).text("PRAGMA integrity_check") == "ok");
  }
}

TEST_CASE("while another process reads, an erase says that it is not complete, and completes when that is over") {
  const TemporaryFolder folder;
  Store store(folder);
  REQUIRE(store.append({row(1, "the secret word"), row(2, "another")}));
  OtherConnection backup(folder.file());
  backup.execute("BEGIN; SELECT count(*) FROM turns");
  CHECK(store.erase(kThread, {1}).error() == make_error_code(StoreError::unavailable));
  CHECK(testing::numbers(store.read(kThread, 5)) == "2");
  REQUIRE(store.append({row(3, "life goes on")}));
  backup.execute("COMMIT");
  CHECK(store.erase(kThread, {1}).has_value());
  CHECK_FALSE(contains(bytes_in(folder.store()), "secret word"));
}

TEST_CASE("what a killed process had erased leaves the log of the next one by itself") {
  const TemporaryFolder folder;
  const TemporaryFolder copy;
  {
    Store store(folder);
    REQUIRE(store.append({row(1, "the secret word"), row(2, "another")}));
    OtherConnection backup(folder.file());
    backup.execute("BEGIN; SELECT count(*) FROM turns");
    CHECK(store.erase(kThread, {1}).has_error());
    // The files as they would be found after a kill.
    std::filesystem::create_directory(copy.store());
    for (const char* suffix : {"", "-wal"}) {
      std::filesystem::copy_file(folder.file().string() + suffix, copy.file().string() + suffix);
    }
    backup.execute("COMMIT");
  }
  REQUIRE(contains(bytes_in(copy.store()), "secret word"));
  Store store(copy);
  store.flush();
  store.flush();
  CHECK_FALSE(contains(bytes_in(copy.store()), "secret word"));
  CHECK(testing::numbers(store.read(kThread, 5)) == "2");
}

}  // namespace
}  // namespace persona
