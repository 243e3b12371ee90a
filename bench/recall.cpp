#include "bench/recall.hpp"

#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

#include "bench/conversations.hpp"
#include "bench/recall/stored_talk.hpp"
#include "bench/round_trips.hpp"
#include "tests/system/daemon_process.hpp"

// Searches take as long as what they look through is large, not as the store is.
namespace bench {
namespace {

using nlohmann::json;
using system_tests::DaemonProcess;
using system_tests::DaemonSettings;

constexpr std::size_t kWords = 8;      // of a question
constexpr std::size_t kWarmUp = 20;    // searches that are not counted
constexpr double kMostGrowth = 1.5;    // of the median: what a larger file costs the machine's caches
constexpr double kImportUs = 50;       // 20,000 turns a second
constexpr std::uint64_t kSeed = 2026;  // of the questions

enum class About { a_turn, common_words };

/// One row of the table.
struct Way {
  const char* scope;
  About about;
  std::size_t searches;
  std::optional<double> p50, p99;  // targets, in milliseconds
  const char* name;
};
constexpr Way kWays[] = {
    {"session", About::a_turn, 1000, 3, 15, "session, words of a turn"},
    {"session", About::common_words, 1000, 3, 15, "session, common words"},
    {"owner", About::a_turn, 300, 3, 15, "owner, words of a turn"},
    {"owner", About::common_words, 300, 3, 15, "owner, common words"},
    {"persona", About::a_turn, 300, {}, {}, "persona, words of a turn"},
    {"persona", About::common_words, 300, {}, 50, "persona, common words"},
};

struct Times {
  double p50 = 0;  // milliseconds
  double p99 = 0;
};

/// What was measured with so many turns.
struct Column {
  std::size_t turns = 0;
  double imported_per_second = 0;
  double megabytes = 0;
  std::vector<Times> searches;  // one for each way
};

std::vector<std::string> searches_of(const StoredTalk& talk, const Way& way, std::size_t count) {
  InventedTalk asker(kSeed);
  const std::vector<StoredTurn>& turns = talk.examples();
  std::vector<std::string> searches;
  for (std::size_t i = 0; i < count; ++i) {
    const StoredTurn& turn = turns[i * 7919 % turns.size()];  // from everywhere
    const std::string query =
        way.about == About::a_turn ? asker.question_about(turn.text, kWords) : asker.common_question(kWords);
    searches.push_back(talk.fields_of(turn.conversation) + R"(,"scope":")" + way.scope + R"(","query":")" + query +
                       '"');
  }
  return searches;
}

Times search(BusConnection& connection, const StoredTalk& talk, const Way& way, Effort effort) {
  constexpr const char* kTopic = "ovos.memory.search";
  const std::size_t count = std::max<std::size_t>(effort.of(way.searches), 1);
  std::vector<Question> questions;
  for (const std::string& data : searches_of(talk, way, count + kWarmUp)) {
    if (questions.empty()) {
      // A refusal would be a fast answer.
      const json result = ask(connection, kTopic, data);
      if (!result.is_object() || !result.contains("hits") || result["hits"].empty()) {
        throw std::runtime_error(std::string("nothing was found: ") + way.name);
      }
    }
    questions.emplace_back(kTopic, data, "default");
  }
  RoundTrips searches(connection, std::move(questions));
  (void)searches.at_full_speed(kWarmUp, 1);
  const Trips trips = searches.at_full_speed(count, 1);
  return {trips.percentile_us(0.5) / 1000, trips.percentile_us(0.99) / 1000};
}

double megabytes_in(const std::filesystem::path& folder) {
  std::uintmax_t bytes = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) bytes += entry.file_size();
  return static_cast<double>(bytes) / 1e6;
}

Column with_turns(std::size_t turns, Effort effort) {
  DaemonSettings settings;
  settings.configuration["bus_admin"] = true;
  settings.personas["ada"] = {{"name", kTalkPersona}};
  DaemonProcess personad(std::move(settings));
  BusConnection connection(personad.url());
  StoredTalk talk(turns);
  Column column;
  column.turns = turns;
  column.imported_per_second = talk.import_into(connection);
  column.megabytes = megabytes_in(personad.data_dir());
  for (const Way& way : kWays) column.searches.push_back(search(connection, talk, way, effort));
  return column;
}

/// A row of the table, with what each size has in it.
template <class Text>
void print_row(const char* name, const std::vector<Column>& columns, Text text) {
  std::printf("  %-34s", name);
  for (const Column& column : columns) std::printf(" %16s", std::string(text(column)).c_str());
  std::printf("\n");
}

std::string number(double value, int digits) {
  char text[32];
  std::snprintf(text, sizeof text, "%.*f", digits, value);
  return text;
}

void print(const std::vector<Column>& columns) {
  print_row("turns stored", columns, [](const Column& column) { return std::to_string(column.turns); });
  print_row("imported, turns/s", columns, [](const Column& column) { return number(column.imported_per_second, 0); });
  print_row("store, MB", columns, [](const Column& column) { return number(column.megabytes, 0); });
  std::printf("  searches, p50 / p99 in ms\n");
  for (std::size_t i = 0; i < std::size(kWays); ++i) {
    print_row(kWays[i].name, columns, [i](const Column& column) {
      return number(column.searches[i].p50, 2) + " / " + number(column.searches[i].p99, 2);
    });
  }
}

void add_targets(Figures& figures, const Column& first, const Column& last) {
  const std::string with = ", " + std::to_string(last.turns) + " turns";
  figures.add({"import of a turn" + with, 1e6 / last.imported_per_second, "us", kImportUs});
  for (std::size_t i = 0; i < std::size(kWays); ++i) {
    const Way& way = kWays[i];
    if (way.p50) figures.add({way.name + std::string(", p50") + with, last.searches[i].p50, "ms", way.p50});
    if (way.p99) figures.add({way.name + std::string(", p99") + with, last.searches[i].p99, "ms", way.p99});
    if (way.p50 && first.turns != last.turns) {
      const double growth = last.searches[i].p50 / first.searches[i].p50;
      figures.add({way.name + std::string(", p50, ratio to the first size"), growth, "", kMostGrowth});
    }
  }
}

}  // namespace

void measure_recall(Figures& figures, Effort effort, const std::vector<std::size_t>& sizes) {
  figures.heading("Recall: one persona, conversations of 100 turns, 100 an owner; one search at a time, of 8 words");
  std::vector<Column> columns;
  for (const std::size_t turns : sizes) columns.push_back(with_turns(turns, effort));
  if (columns.empty()) return;
  print(columns);
  add_targets(figures, columns.front(), columns.back());
}

}  // namespace bench
