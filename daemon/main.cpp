#include <fcntl.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <iostream>

#include "daemon/command_line.hpp"
#include "daemon/daemon.hpp"

namespace {

// Under systemd the journal adds the time itself.
void set_up_log(const std::string& level) {
  auto logger = spdlog::stderr_logger_mt("personad");  // the store logs from its own thread
  logger->set_pattern(std::getenv("JOURNAL_STREAM") != nullptr ? "%l: %v" : "%Y-%m-%dT%H:%M:%S.%e%z %l: %v");
  logger->set_level(spdlog::level::from_str(level));
  spdlog::set_default_logger(std::move(logger));
}

/// A file or socket that is opened later must not become a standard stream that we were started without: what is logged
/// would be written into it. Nor does it end us that whoever reads the log goes away.
void keep_standard_streams() {
  int opened = 0;
  do {
    opened = open("/dev/null", O_RDWR);
  } while (opened >= STDIN_FILENO && opened <= STDERR_FILENO);
  if (opened > STDERR_FILENO) close(opened);
  std::signal(SIGPIPE, SIG_IGN);
}

int run(const personad::CommandLine& command_line) {
  const personad::Places places = personad::Places::here();
  auto loaded = personad::load_configuration(command_line, places);
  if (!loaded) {
    for (const std::string& error : loaded.error()) std::cerr << "personad: " << error << '\n';
    return 2;
  }
  if (command_line.check_config) {
    for (const std::string& warning : loaded->warnings) std::cerr << "personad: " << warning << '\n';
    std::cout << personad::describe(loaded->configuration);
    return 0;
  }
  set_up_log(loaded->configuration.log_level);
  spdlog::info("personad {} ({})", PERSONAD_VERSION,
               loaded->file.empty() ? "no configuration file: defaults" : "configuration " + loaded->file.string());
  for (const std::string& warning : loaded->warnings) spdlog::warn("{}", warning);

  boost::asio::io_context io(1);
  personad::Daemon daemon(io, std::move(*loaded), command_line, places);
  if (auto started = daemon.start(); !started) {
    spdlog::error("{}", started.error());
    return 1;
  }
  io.run();
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  keep_standard_streams();
  try {
    const personad::ParsedCommandLine parsed = personad::parse_command_line(argc, argv);
    if (!parsed.command_line) {
      (parsed.to_stderr ? std::cerr : std::cout) << parsed.output;
      return parsed.exit_code;
    }
    return run(*parsed.command_line);
  } catch (const std::exception& error) {
    std::cerr << "personad: " << error.what() << '\n';
    return 1;
  }
}
