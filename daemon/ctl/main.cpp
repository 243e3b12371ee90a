#include <spdlog/spdlog.h>

#include <CLI/CLI.hpp>
#include <exception>
#include <iostream>
#include <memory>

#include "daemon/configuration.hpp"
#include "daemon/ctl/admin_connection.hpp"
#include "daemon/ctl/bus_connection.hpp"
#include "daemon/ctl/commands.hpp"
#include "daemon/ctl/demo.hpp"

namespace {

using personad::ctl::BusConnection;
using personad::ctl::Exit;
using personad::ctl::Wishes;

constexpr const char* kFooter =
    "\nExamples\n"
    "  personactl sessions                            who has said something, and how much is kept\n"
    "  personactl history kitchen --limit 20          the newest 20 rows of a session\n"
    "  personactl context \"and tomorrow?\"             what a persona would be given for this question\n"
    "  personactl search \"when was the train?\" --session kitchen\n"
    "  personactl remember \"likes tea\" --session kitchen\n"
    "  personactl activate cook --session kitchen     the name may be near enough (--exact: not)\n"
    "  personactl import old-memory.jsonl             records of another store, or of another program\n"
    "  personactl tail                                what is said, as it is stored\n"
    "  personactl --bus ws://127.0.0.1:8181/core status\n"
    "\n"
    "Without --bus it talks to the admin socket of this host, which only root and the user of personad may use.\n"
    "Over the bus some requests are refused (sessions, import, unless personad is configured with bus_admin).\n"
    "\n"
    "Exit codes: 0 done, 1 personad answered with an error, 2 wrong use, 3 no connection or no answer within 10 s.\n";

struct Reach {
  std::string admin_socket;
  std::string bus;
};

void add_session(CLI::App& command, Wishes& into) {
  command.add_option("--session", into.session, "The session (default: default)")->type_name("S");
}

void add_persona(CLI::App& command, Wishes& into) {
  command.add_option("--persona", into.persona, "The persona (default: the one active there)")->type_name("P");
}

void add_limit(CLI::App& command, Wishes& into) {
  command.add_option("--limit", into.limit, "At most so many")->type_name("N");
}

void add_owner(CLI::App& command, Wishes& into, const char* description) {
  command.add_option("--owner", into.owner, description)->type_name("O");
}

void add_listing_commands(CLI::App& app, Wishes& into) {
  app.add_subcommand("status", "How personad is doing");
  app.add_subcommand("personas", "The personas it knows");

  auto* sessions = app.add_subcommand("sessions", "What is kept, by session and persona, the oldest first");
  add_owner(*sessions, into, "Only those of this owner");
  add_limit(*sessions, into);
  sessions->add_option("--active-since", into.active_since, "Only those with a turn since then (unix or RFC 3339)")
      ->type_name("T");
  sessions->add_flag("--all", into.all, "All pages");

  auto* history = app.add_subcommand("history", "What was said in a session, word for word");
  history->add_option("SESSION", into.session, "The session (default: default)")->type_name("");
  add_owner(*history, into, "Whose session (default: local)");
  add_persona(*history, into);
  add_limit(*history, into);
  history->add_option("--before", into.before, "Only what came before this row (an id)")->type_name("ID");

  auto* context = app.add_subcommand("context", "The messages a persona would be given for this utterance");
  context->add_option("UTTERANCE", into.utterance, "The question")->required()->type_name("");
  add_session(*context, into);
  add_owner(*context, into, "Whose session (default: local)");
  add_persona(*context, into);
  context->add_option("--max-tokens", into.max_tokens, "Leave parts out until it is no more than this")->type_name("N");
  context->add_flag("--explain", into.explain, "Say what each part costs, and what was left out");

  auto* facts = app.add_subcommand("facts", "What is known for good in a session with a persona");
  facts->add_option("SESSION", into.session, "The session (default: default)")->type_name("");
  add_owner(*facts, into, "Whose session (default: local)");
  add_persona(*facts, into);
  add_limit(*facts, into);
}

void add_search_command(CLI::App& app, Wishes& into) {
  auto* search = app.add_subcommand("search", "What was said before that belongs to a question, the best first");
  search->add_option("QUERY", into.query, "The question, or some words")->required()->type_name("");
  add_session(*search, into);
  add_owner(*search, into, "Whose session (default: local)");
  add_persona(*search, into);
  search->add_option("--scope", into.scope, "This session (default), all of its owner, or all of the persona")
      ->type_name("session|owner|persona");
  search->add_option("--top-k", into.top_k, "At most so many hits (5)")->type_name("N");
  search->add_option("--mode", into.mode, "By words and meanings where there is a model (default), or by one of them")
      ->type_name("auto|lexical|semantic");
  search->add_option("--since", into.since, "Only what was said from then on (unix or RFC 3339)")->type_name("T");
  search->add_option("--until", into.until, "Only what was said before then")->type_name("T");
  search->add_option("--lang", into.lang, "The language of the question, such as de")->type_name("TAG");
  search->add_flag("--explain", into.explain, "Say why each was found");
}

void add_acting_commands(CLI::App& app, Wishes& into) {
  auto* remember = app.add_subcommand("remember", "Remember a fact, unless it is known already");
  remember->add_option("FACT", into.fact, "In a few words")->required()->type_name("");
  add_session(*remember, into);
  add_owner(*remember, into, "Whose session (default: local)");
  add_persona(*remember, into);

  auto* activate = app.add_subcommand("activate", "Make a persona the active one of a session");
  activate->add_option("PERSONA", into.persona, "Its name, or nearly")->required()->type_name("");
  add_session(*activate, into);
  activate->add_flag("--exact", into.exact, "Only a name that is spelled the same (but for case)");

  auto* import = app.add_subcommand("import", "Take over turns, facts and summaries from a file of records");
  import->add_option("FILE", into.file, "JSON Lines, one record a line; - is the standard input")
      ->required()
      ->type_name("");
  import->add_option("--on-conflict", into.on_conflict, "What is there already: skip it (default), or replace it")
      ->type_name("skip|replace");

  auto* dismiss = app.add_subcommand("dismiss", "Have no active persona in a session");
  add_session(*dismiss, into);

  auto* tail = app.add_subcommand("tail", "Print each turn as it comes, until interrupted");
  tail->add_option("--session", into.session, "Only of this session")->type_name("S");

  app.add_subcommand("demo", "Play a short conversation on the bus (--bus URL) and show the contexts it leads to");
}

void add_options(CLI::App& app, Reach& reach, Wishes& into) {
  app.require_subcommand(1);
  app.fallthrough();
  app.add_option("--admin-socket", reach.admin_socket, "The admin socket of personad")->type_name("PATH");
  app.add_option("--bus", reach.bus, "Ask over this message bus instead (ws:// or wss://)")->type_name("URL");
  app.add_flag("--json", into.json, "Print the result as JSON (tail: one object a line)");
  app.set_version_flag("--version", "personactl " PERSONAD_VERSION, "Print the version and exit");
  add_listing_commands(app, into);
  add_search_command(app, into);
  add_acting_commands(app, into);
  app.footer(kFooter);  // last: subcommands would inherit it
}

/// The socket of our own daemon; where there is none, that of the host's.
std::filesystem::path default_socket() {
  const auto own = personad::Places::here().admin_socket;
  const std::filesystem::path of_host = "/run/personad/admin.sock";
  std::error_code ignored;
  return !std::filesystem::exists(own, ignored) && std::filesystem::exists(of_host, ignored) ? of_host : own;
}

Exit run_on_bus(const std::string& text, const Wishes& wishes) {
  auto url = bus::Url::parse(text);
  if (!url) {
    personad::ctl::print_failure({Exit::wrong_use, "--bus: " + url.error()}, std::cerr);
    return Exit::wrong_use;
  }
  const bool demo = wishes.command == "demo";
  BusConnection connection(*url, demo ? BusConnection::WhenAbsent::wait : BusConnection::WhenAbsent::fail);
  if (demo) return personad::ctl::play_demo(connection, std::cout, std::cerr);
  return personad::ctl::run_command(wishes, connection, std::cout, std::cerr);
}

Exit run(const Reach& reach, const Wishes& wishes) {
  if (!reach.bus.empty() && !reach.admin_socket.empty()) {
    personad::ctl::print_failure({Exit::wrong_use, "give --bus or --admin-socket, not both"}, std::cerr);
    return Exit::wrong_use;
  }
  if (!reach.bus.empty()) return run_on_bus(reach.bus, wishes);
  if (wishes.command == "demo") {
    personad::ctl::print_failure({Exit::wrong_use, "demo plays on a message bus: name it with --bus URL"}, std::cerr);
    return Exit::wrong_use;
  }
  personad::ctl::AdminConnection connection(reach.admin_socket.empty() ? default_socket()
                                                                       : std::filesystem::path(reach.admin_socket));
  return personad::ctl::run_command(wishes, connection, std::cout, std::cerr);
}

int parse_and_run(int argc, char** argv) {
  CLI::App app("personactl - asks a running personad what it remembers, and tells it what to do", "personactl");
  Reach reach;
  Wishes wishes;
  add_options(app, reach, wishes);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& wanted) {
    return app.exit(wanted);
  } catch (const CLI::ParseError& error) {
    std::cerr << "personactl: " << error.what() << "\npersonactl --help says what there is.\n";
    return static_cast<int>(Exit::wrong_use);
  }
  wishes.command = app.get_subcommands().front()->get_name();
  spdlog::set_level(spdlog::level::off);  // what goes wrong is printed once, by the command
  return static_cast<int>(run(reach, wishes));
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return parse_and_run(argc, argv);
  } catch (const std::exception& error) {
    std::cerr << "personactl: " << error.what() << '\n';
    return static_cast<int>(Exit::error_answer);
  }
}
