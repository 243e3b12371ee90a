#include "bench/recall/stored_talk.hpp"

#include <algorithm>
#include <chrono>
#include <stdexcept>

#include "bench/frames.hpp"
#include "bench/round_trips.hpp"

namespace bench {
namespace {

constexpr std::uint64_t kSeed = 20260;
constexpr std::size_t kTurns = 100;          // of a conversation
constexpr std::size_t kConversations = 100;  // of an owner
constexpr std::size_t kAtOnce = 50;          // conversations that are under way
constexpr std::size_t kADay = 10;            // turns of each of them
constexpr std::size_t kExamples = 2000;
constexpr std::size_t kOnTheirWay = 4;  // requests
constexpr double kBegin = 1750000000;   // unix seconds
constexpr double kDay = 86400;          // seconds
constexpr std::chrono::seconds kPatience{60};
constexpr const char* kTopic = "ovos.memory.import";

/// Requests that are on their way, a few at a time.
class Requests {
 public:
  explicit Requests(BusConnection& connection) : connection_(connection) {}

  void send(const std::string& records) {
    Question request(kTopic, R"("records":[)" + records + "]", "default");
    connection_.send(request.with_id(++sent_));
    while (sent_ - answered_ >= kOnTheirWay) await_one(request);
  }
  void await_all() {
    const Question any(kTopic, "", "default");
    while (answered_ < sent_) await_one(any);
  }

 private:
  void await_one(const Question& request) {
    const auto end = Clock::now() + kPatience;
    while (Clock::now() < end) {
      const auto frame = connection_.receive(std::chrono::seconds(1));
      if (!frame || !frame->starts_with(request.answer_begins())) continue;
      if (frame->find(R"("imported":)") == std::string_view::npos) {
        throw std::runtime_error("an import was refused: " + std::string(frame->substr(0, 500)));
      }
      ++answered_;
      return;
    }
    throw std::runtime_error("an import is not answered");
  }

  BusConnection& connection_;
  std::uint64_t sent_ = 0;
  std::uint64_t answered_ = 0;
};

std::string in_quotes(const std::string& text) {
  return '"' + text + '"';
}

}  // namespace

StoredTalk::StoredTalk(std::size_t turns)
    : talk_(kSeed),
      conversations_(std::max<std::size_t>(turns / kTurns, 1)),
      owners_(std::max<std::size_t>(conversations_ / kConversations, 1)),
      example_every_(std::max<std::size_t>(conversations_ * kTurns / kExamples, 1)) {}

std::string StoredTalk::fields_of(std::size_t conversation) const {
  return R"("owner":)" + in_quotes("household-" + std::to_string(conversation % owners_)) + R"(,"session_id":)" +
         in_quotes("talk-" + std::to_string(conversation)) + R"(,"persona_id":)" + in_quotes(kTalkPersona);
}

// No letter of it is one that JSON writes in another way.
std::string StoredTalk::record(std::size_t conversation, std::size_t turn, double timestamp) {
  const std::string text = talk_.turn();
  if (told_++ % example_every_ == 0) examples_.push_back({conversation, text});
  return R"({"kind":"turn",)" + fields_of(conversation) + R"(,"role":)" +
         (turn % 2 == 0 ? R"("user")" : R"("assistant")") + R"(,"lang":"en-US","timestamp":)" +
         std::to_string(timestamp) + R"(,"content":)" + in_quotes(text) + "}";
}

std::string StoredTalk::records(std::size_t first, std::size_t day) {
  std::string records;
  const std::size_t end = std::min(first + kAtOnce, conversations_);
  const double morning = kBegin + kDay * static_cast<double>(first / kAtOnce * (kTurns / kADay) + day);
  for (std::size_t turn = 0; turn < kADay; ++turn) {
    for (std::size_t conversation = first; conversation < end; ++conversation) {
      if (!records.empty()) records += ',';
      records += record(conversation, turn, morning + static_cast<double>(turn * kAtOnce + conversation - first));
    }
  }
  return records;
}

double StoredTalk::import_into(BusConnection& connection) {
  const auto began = Clock::now();
  Requests requests(connection);
  for (std::size_t first = 0; first < conversations_; first += kAtOnce) {
    for (std::size_t day = 0; day < kTurns / kADay; ++day) requests.send(records(first, day));
  }
  requests.await_all();
  return static_cast<double>(told_) / std::chrono::duration<double>(Clock::now() - began).count();
}

}  // namespace bench
