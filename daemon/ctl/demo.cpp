#include "daemon/ctl/demo.hpp"

#include <unistd.h>

#include <ostream>

#include "daemon/ctl/commands.hpp"
#include "daemon/ctl/render.hpp"

namespace personad::ctl {
namespace {

using nlohmann::json;
using std::chrono::steady_clock;

/// One exchange of the play. Its answer is spoken in pieces, as a persona that streams does.
struct Line {
  std::string_view session;
  std::string_view question;
  std::vector<std::string_view> answer;
};

/// The two conversations, in the order in which they are heard.
const std::vector<Line>& play() {
  static const std::vector<Line> lines{
      {"kitchen", "what can I cook with leeks", {"A leek and potato soup.", "It takes half an hour."}},
      {"study", "when does the train from Porto arrive", {"At ten past six in the evening."}},
      {"kitchen", "what else do I need for it", {"Three potatoes, butter and stock."}},
      {"study", "remind me to leave half an hour before that", {"I will remind you at twenty to six."}},
  };
  return lines;
}

struct Asking {
  std::string_view session;
  std::string_view persona;  ///< active there; empty: none, so the default one
  std::string_view next;     ///< the question whose context is asked for
};
constexpr Asking kAskings[] = {
    {"kitchen", "Cook", "for how many people is that"},
    {"study", "", "and which platform is it"},
};

class Demo {
 public:
  Demo(BusConnection& connection, std::ostream& out, std::ostream& err)
      : connection_(connection), out_(out), err_(err), run_(std::to_string(getpid())) {}

  Exit play_it() {
    if (const auto failure = wait_until_ready()) return give_up(*failure);
    out_ << "Two conversations, heard at the same time:\n\n";
    for (const auto& line : play()) say(line);
    for (const auto& asking : kAskings) {
      if (const auto failure = ask(asking)) return give_up(*failure);
    }
    out_ << "\nEach context holds its own conversation only, and ends with the question.\n";
    return Exit::ok;
  }

 private:
  Exit give_up(const Failure& failure) {
    print_failure(failure, err_);
    return failure.exit;
  }

  [[nodiscard]] std::string session_id(std::string_view name) const { return "demo-" + std::string(name) + "-" + run_; }

  [[nodiscard]] json context_of(std::string_view name) const {
    json session = {{"session_id", session_id(name)}, {"lang", "en-US"}};
    for (const auto& asking : kAskings) {
      if (asking.session == name && !asking.persona.empty()) session["persona_id"] = asking.persona;
    }
    json context;
    context["source"] = "demo";
    context["destination"] = "skills";
    context["session"] = std::move(session);
    return context;
  }

  // personad may still be starting: asked again until it says that it is there.
  std::optional<Failure> wait_until_ready() {
    if (auto failure = connection_.connect()) return failure;
    const auto deadline = steady_clock::now() + kPatience;
    while (steady_clock::now() < deadline) {
      connection_.say("mycroft.personad.is_ready", json::object(), context_of("kitchen"));
      const auto answer = connection_.hear("mycroft.personad.is_ready.response", std::chrono::milliseconds(500));
      if (answer && answer->value("status", json()) == json(true)) return std::nullopt;
    }
    return Failure{Exit::no_connection, "personad is not ready on this bus"};
  }

  void say(const Line& line) {
    auto context = context_of(line.session);
    const auto lang = json("en-US");
    show(line.session, "user", line.question);
    connection_.say("recognizer_loop:utterance",
                    {{"utterances", json::array({std::string(line.question)})}, {"lang", lang}}, context);
    // What follows an utterance carries its id, and travels the other way.
    context["utterance_id"] = "demo-" + run_ + "-" + std::to_string(++last_utterance_);
    std::swap(context["source"], context["destination"]);
    for (const auto piece : line.answer) {
      show(line.session, "assistant", piece);
      connection_.say("speak", {{"utterance", std::string(piece)}, {"lang", lang}}, context);
    }
    connection_.say("ovos.utterance.handled", json::object(), context);
  }

  void show(std::string_view session, std::string_view role, std::string_view words) {
    out_ << "  " << session << std::string(9 - session.size(), ' ') << role << ": " << words << '\n';
  }

  /// The user and assistant messages that the context of `asking` has to consist of.
  static json expected(const Asking& asking) {
    auto messages = json::array();
    const auto add = [&](const char* role, std::string words) {
      messages.push_back({{"role", role}, {"content", std::move(words)}});
    };
    for (const auto& line : play()) {
      if (line.session != asking.session) continue;
      add("user", std::string(line.question));
      std::string answer;
      for (const auto piece : line.answer) answer += (answer.empty() ? "" : "\n") + std::string(piece);
      add("assistant", std::move(answer));
    }
    add("user", std::string(asking.next));
    return messages;
  }

  static json without_system_prompt(const json& messages) {
    if (!messages.is_array() || messages.empty() || !messages[0].is_object()) return messages;
    auto rest = messages;
    if (rest[0].value("role", json()) == "system") rest.erase(rest.begin());
    return rest;
  }

  std::optional<Failure> ask(const Asking& asking) {
    const json data = {{"session_id", session_id(asking.session)}, {"utterance", asking.next}};
    const auto reply = connection_.ask("ovos.memory.context", data);
    if (reply.failure) return reply.failure;
    out_ << "\nThe context of \"" << asking.next << "\":\n" << render_context(reply.result);
    const auto wanted = expected(asking);
    if (without_system_prompt(reply.result.value("messages", json())) == wanted) return std::nullopt;
    return Failure{Exit::error_answer, "this context is not what was said in its session; expected:\n" +
                                           render_context({{"session_id", data["session_id"]}, {"messages", wanted}})};
  }

  BusConnection& connection_;
  std::ostream& out_;
  std::ostream& err_;
  std::string run_;
  unsigned last_utterance_ = 0;
};

}  // namespace

Exit play_demo(BusConnection& connection, std::ostream& out, std::ostream& err) {
  return Demo(connection, out, err).play_it();
}

}  // namespace personad::ctl
