#include "bench/conversations.hpp"

#include <nlohmann/json.hpp>
#include <stdexcept>

namespace bench {

using nlohmann::json;

std::string session_name(std::size_t i) {
  return "bench-session-" + std::to_string(i);
}

std::string text_of(const char* what, std::size_t i) {
  return std::string(what) + " number " + std::to_string(i) + ", about as long as people say it";
}

json ask(BusConnection& connection, const std::string& topic, const std::string& data, const std::string& session) {
  Question question(topic, data, session);
  constexpr std::uint64_t kId = 999999999;
  connection.send(question.with_id(kId));
  const auto end = Clock::now() + std::chrono::seconds(60);
  while (Clock::now() < end) {
    const auto frame = connection.receive(std::chrono::seconds(1));
    if (frame && frame->starts_with(question.answer_begins()) && id_in(*frame) == kId) {
      return json::parse(*frame)["data"]["result"];
    }
  }
  throw std::runtime_error("no answer to " + topic);
}

void talk(BusConnection& connection, std::size_t sessions, std::size_t exchanges) {
  std::size_t sent = 0;
  for (std::size_t i = 0; i < exchanges; ++i) {
    for (std::size_t session = 0; session < sessions; ++session, ++sent) {
      connection.send(entry(session_name(session), text_of("question", i)));
      connection.send(speech(session_name(session), text_of("answer", i)));
      connection.send(handled(session_name(session)));
      if (sent % 16 == 0) connection.discard();  // our own frames, come back
    }
  }
  // An answer is given in order, and what is read is what was written before.
  (void)ask(connection, "ovos.memory.history", R"("limit":10)", session_name(sessions - 1));
}

std::vector<Question> context_questions(std::size_t sessions) {
  std::vector<Question> questions;
  for (std::size_t i = 0; i < sessions; ++i) {
    questions.emplace_back("ovos.memory.context", R"("utterance":"and what do you make of that?")", session_name(i));
  }
  return questions;
}

}  // namespace bench
