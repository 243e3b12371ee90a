#include "bench/echo_client.hpp"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <charconv>
#include <chrono>
#include <csignal>
#include <exception>
#include <string_view>

#include "bench/bus_connection.hpp"
#include "bench/frames.hpp"
#include "bench/round_trips.hpp"

namespace bench {
namespace {

constexpr std::string_view kQuestion = R"({"type":"bench.echo")";
constexpr std::string_view kBytesKey = R"("answer_bytes":)";

std::size_t bytes_wanted(std::string_view frame) {
  const auto at = frame.find(kBytesKey);
  std::size_t bytes = 0;
  if (at != std::string_view::npos) {
    std::from_chars(frame.data() + at + kBytesKey.size(), frame.data() + frame.size(), bytes);
  }
  return bytes;
}

}  // namespace

void echo(const std::string& url) {
  BusConnection connection(url);
  Question answer("bench.echo.response", R"("pad":"")", "default");
  std::size_t padded_to = 0;
  for (;;) {
    const auto frame = connection.receive(std::chrono::hours(1));
    if (!frame || !frame->starts_with(kQuestion)) continue;
    const std::size_t wanted = bytes_wanted(*frame);
    if (wanted != padded_to) {
      padded_to = wanted;
      const std::size_t bare = Question("bench.echo.response", R"("pad":"")", "default").with_id(0).size();
      const std::string padding(wanted > bare ? wanted - bare : 0, 'x');
      answer = Question("bench.echo.response", R"("pad":")" + padding + '"', "default");
    }
    connection.send(answer.with_id(id_in(*frame)));
  }
}

EchoProcess::EchoProcess(const std::string& url, const Apart& apart) {
  pid_ = fork();
  if (pid_ == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    apart.leave();
    try {
      echo(url);
    } catch (const std::exception&) {  // the bus went away: so do we
    }
    _exit(0);
  }
  // It is there once it answers.
  BusConnection connection(url);
  const auto end = Clock::now() + std::chrono::seconds(10);
  for (bool answered = false; !answered && Clock::now() < end;) {
    Question question("bench.echo", R"("answer_bytes":2000)", "default");
    connection.send(question.with_id(1));
    while (const auto frame = connection.receive(std::chrono::milliseconds(50))) {
      answered = answered || frame->starts_with(question.answer_begins());
    }
  }
}

EchoProcess::~EchoProcess() {
  kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
}

}  // namespace bench
