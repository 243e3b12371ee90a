#include "daemon/ctl/import.hpp"

#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstring>
#include <fstream>
#include <iostream>
#include <thread>

#include "daemon/ctl/terminal_text.hpp"

namespace personad::ctl {
namespace {

using nlohmann::json;
using std::chrono::steady_clock;

constexpr std::size_t kBatch = 500;            ///< records
constexpr std::size_t kBatchBytes = 4u << 20;  ///< fewer where they are long: a message has a limit
constexpr std::chrono::seconds kTellEvery{2};
constexpr std::chrono::milliseconds kWhenBusy{500};
constexpr int kMostTries = 60;

/// An import under way.
class Importing {
 public:
  Importing(const Wishes& wishes, Connection& connection, std::ostream& err)
      : wishes_(wishes), connection_(connection), err_(err) {}

  /// Takes a line; false, and it is said why, when that cannot go on.
  bool take(const std::string& line) {
    ++line_;
    if (line.find_first_not_of(" \t\r") == std::string::npos) return true;
    json record = json::parse(line, nullptr, false);
    if (record.is_discarded()) {
      return fail({Exit::error_answer, "line " + std::to_string(line_) + " is not JSON"});
    }
    if (!records_.empty() && bytes_ + line.size() > kBatchBytes && !send()) return false;
    records_.push_back(std::move(record));
    lines_.push_back(line_);
    bytes_ += line.size();
    return records_.size() < kBatch || send();
  }

  /// Gives what was taken and not given yet.
  bool send() {
    if (records_.empty()) return true;
    json data{{"records", std::move(records_)}};
    records_ = json::array();
    bytes_ = 0;
    if (!wishes_.on_conflict.empty()) data["on_conflict"] = wishes_.on_conflict;
    Reply reply = connection_.ask("ovos.memory.import", data);
    for (int tries = 1; tries < kMostTries && reply.failure && reply.failure->words.starts_with("busy:"); ++tries) {
      std::this_thread::sleep_for(kWhenBusy);
      reply = connection_.ask("ovos.memory.import", data);
    }
    const std::vector<std::size_t> lines = std::exchange(lines_, {});
    if (reply.failure) return fail({reply.failure->exit, line_named(reply.failure->words, lines)});
    imported_ += count(reply.result, "imported");
    skipped_ += count(reply.result, "skipped");
    tell();
    return true;
  }

  [[nodiscard]] json counts() const { return {{"imported", imported_}, {"skipped", skipped_}}; }
  [[nodiscard]] Exit exit() const { return exit_; }

 private:
  static std::uint64_t count(const json& result, const char* key) {
    const auto found = result.find(key);
    return found != result.end() && found->is_number_integer() ? found->get<std::uint64_t>() : 0;
  }

  // A refusal names a record by its place in the request; here it has a line.
  static std::string line_named(const std::string& words, const std::vector<std::size_t>& lines) {
    constexpr std::string_view kRecord = "records[";
    if (const auto at = words.find(kRecord); at != std::string::npos) {
      std::size_t index = lines.size();
      std::from_chars(words.data() + at + kRecord.size(), words.data() + words.size(), index);
      if (index < lines.size()) return words + " (line " + std::to_string(lines[index]) + ")";
    }
    return words + " (lines " + std::to_string(lines.front()) + " to " + std::to_string(lines.back()) + ")";
  }

  bool fail(Failure failure) {
    exit_ = failure.exit;
    if (failure.words.starts_with("forbidden")) {
      failure.words += "\nThis is answered on the admin socket, or on the bus with bus_admin in its configuration.";
    }
    failure.words += "\nUntil then " + words() + "; what is there is skipped when you import the file again.";
    print_failure(failure, err_);
    return false;
  }

  void tell() {
    const auto now = steady_clock::now();
    if (now - told_ < kTellEvery) return;
    told_ = now;
    err_ << "line " << line_ << ": " << words() << std::endl;
  }

  [[nodiscard]] std::string words() const {
    return std::to_string(imported_) + " imported, " + std::to_string(skipped_) + " skipped";
  }

  const Wishes& wishes_;
  Connection& connection_;
  std::ostream& err_;
  json records_ = json::array();
  std::vector<std::size_t> lines_;  // of `records_`
  std::size_t bytes_ = 0;
  std::size_t line_ = 0;
  std::uint64_t imported_ = 0;
  std::uint64_t skipped_ = 0;
  steady_clock::time_point told_ = steady_clock::now();
  Exit exit_ = Exit::ok;
};

}  // namespace

Exit import_records(std::istream& in, const Wishes& wishes, Connection& connection, std::ostream& out,
                    std::ostream& err) {
  Importing importing(wishes, connection, err);
  for (std::string line; std::getline(in, line);) {
    if (!importing.take(line)) return importing.exit();
  }
  if (!importing.send()) return importing.exit();
  if (in.bad()) {
    print_failure({Exit::error_answer, "the file cannot be read to its end"}, err);
    return Exit::error_answer;
  }
  const json counts = importing.counts();
  if (wishes.json) {
    out << shown_json(counts, 2) << '\n';
  } else {
    out << counts["imported"] << " imported, " << counts["skipped"] << " skipped\n";
  }
  return Exit::ok;
}

Exit import_file(const Wishes& wishes, Connection& connection, std::ostream& out, std::ostream& err) {
  if (wishes.file == "-") return import_records(std::cin, wishes, connection, out, err);
  std::ifstream file(wishes.file, std::ios::binary);
  if (!file.is_open()) {
    print_failure({Exit::wrong_use, wishes.file + " cannot be read: " + std::strerror(errno)}, err);
    return Exit::wrong_use;
  }
  return import_records(file, wishes, connection, out, err);
}

}  // namespace personad::ctl
