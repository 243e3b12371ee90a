#include "persona/active_persona.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace persona {
namespace {

using Session = ActivePersona::Session;
using Source = ActivePersona::Source;

constexpr auto kNamed = Session::named;
constexpr auto kDefault = Session::local_default;

Moment at(int seconds) {
  return {std::chrono::steady_clock::time_point(std::chrono::seconds(seconds)),
          std::chrono::system_clock::time_point(std::chrono::seconds(seconds))};
}

ActivePersona with(std::string persona, Source source, bool field_seen = false) {
  return ActivePersona({std::move(persona), source, field_seen, 1});
}

struct Row {
  const char* persona;
  Source source;
  bool field_seen;
  PersonaField field;
  const char* then;
  Source then_source;
};

TEST_CASE("a conversation begins without a persona") {
  const ActivePersona active;
  CHECK(active.persona().empty());
  CHECK(active.state().source == Source::unknown);
  CHECK(active.state().since == 0);
}

TEST_CASE("an entry of a named session carries all of its state") {
  const std::vector<Row> table{
      {"", Source::unknown, false, "ada", "ada", Source::field},
      {"bob", Source::field, true, "ada", "ada", Source::field},
      {"bob", Source::event, false, "ada", "ada", Source::field},
      {"ada", Source::event, false, "ada", "ada", Source::field},
      {"", Source::unknown, false, std::nullopt, "", Source::field},
      {"bob", Source::field, true, std::nullopt, "", Source::field},
      {"bob", Source::field, true, "", "", Source::field},
      // From a sync or a snapshot, never from an entry: still the session's own field.
      {"bob", Source::field, false, std::nullopt, "", Source::field},
      // Set by event in a session that never carried the field: kept.
      {"bob", Source::event, false, std::nullopt, "bob", Source::event},
      {"bob", Source::event, false, "", "bob", Source::event},
      {"bob", Source::hint, false, std::nullopt, "bob", Source::hint},
      {"", Source::event, false, std::nullopt, "", Source::event},
      // But a client that carries the field means its absence.
      {"bob", Source::event, true, std::nullopt, "", Source::field},
      {"bob", Source::event, true, "", "", Source::field},
      {"bob", Source::hint, true, std::nullopt, "", Source::field},
  };
  for (const auto& row : table) {
    CAPTURE(row.persona);
    CAPTURE(name(row.source));
    auto active = with(row.persona, row.source, row.field_seen);
    const bool changed = active.entry(kNamed, row.field, 5, at(9));
    CHECK(active.persona() == row.then);
    CHECK(active.state().source == row.then_source);
    CHECK(changed == (std::string(row.persona) != row.then));
  }
}

TEST_CASE("an entry of the default session changes only what it mentions") {
  const std::vector<Row> table{
      {"", Source::unknown, false, "ada", "ada", Source::field},
      {"bob", Source::event, false, "ada", "ada", Source::field},
      {"bob", Source::field, true, std::nullopt, "bob", Source::field},
      {"bob", Source::event, true, std::nullopt, "bob", Source::event},
      {"bob", Source::field, true, "", "", Source::field},
      {"bob", Source::event, false, "", "", Source::field},
      {"", Source::unknown, false, std::nullopt, "", Source::unknown},
  };
  for (const auto& row : table) {
    CAPTURE(row.persona);
    auto active = with(row.persona, row.source, row.field_seen);
    const bool changed = active.entry(kDefault, row.field, 5, at(9));
    CHECK(active.persona() == row.then);
    CHECK(active.state().source == row.then_source);
    CHECK(changed == (std::string(row.persona) != row.then));
  }
}

TEST_CASE("a snapshot sets what it says, and its silence clears only what a field had set") {
  const std::vector<Row> table{
      {"", Source::unknown, false, "ada", "ada", Source::field},
      {"bob", Source::event, false, "ada", "ada", Source::field},
      {"bob", Source::event, false, "bob", "bob", Source::event},
      {"bob", Source::hint, false, "bob", "bob", Source::field},
      {"bob", Source::field, true, "bob", "bob", Source::field},
      {"bob", Source::field, true, std::nullopt, "", Source::field},
      {"bob", Source::field, true, "", "", Source::field},
      {"bob", Source::event, true, std::nullopt, "bob", Source::event},
      {"bob", Source::event, true, "", "bob", Source::event},
      {"bob", Source::hint, true, std::nullopt, "bob", Source::hint},
      {"", Source::unknown, false, std::nullopt, "", Source::unknown},
  };
  for (const auto& row : table) {
    CAPTURE(row.persona);
    CAPTURE(name(row.source));
    auto active = with(row.persona, row.source, row.field_seen);
    const bool changed = active.snapshot(row.field, 5, at(9));
    CHECK(active.persona() == row.then);
    CHECK(active.state().source == row.then_source);
    CHECK(changed == (std::string(row.persona) != row.then));
  }
}

TEST_CASE("a sync sets what it says, an empty field dismisses, an absent one says nothing") {
  auto active = with("bob", Source::event);
  CHECK_FALSE(active.sync(std::nullopt, 5, at(9)));
  CHECK(active.state().source == Source::event);
  CHECK(active.sync("ada", 6, at(9)));
  CHECK(active.persona() == "ada");
  CHECK(active.state().source == Source::field);
  CHECK(active.sync("", 7, at(9)));
  CHECK(active.persona().empty());
}

TEST_CASE("a summon sets the persona and a release clears it, by event") {
  auto active = with("bob", Source::field);
  CHECK(active.set_by_event("ada", 5, at(9)));
  CHECK(active.state().source == Source::event);
  CHECK(active.set_by_event("", 6, at(9)));
  CHECK(active.persona().empty());
  CHECK(active.state().source == Source::event);
}

TEST_CASE("a summon of the persona that is active already makes it set by event") {
  auto active = with("ada", Source::field);
  CHECK_FALSE(active.set_by_event("ada", 5, at(9)));
  CHECK(active.state().source == Source::event);
}

TEST_CASE("a summoned persona is kept by a client that never heard of personas, over whole turns") {
  ActivePersona active;
  active.entry(kNamed, std::nullopt, 1, at(1));
  active.set_by_event("ada", 2, at(2));
  active.snapshot(std::nullopt, 3, at(3));
  active.entry(kNamed, "", 4, at(4));
  active.snapshot("", 5, at(5));
  CHECK(active.persona() == "ada");
  CHECK_FALSE(active.state().field_seen);
}

TEST_CASE("a client that takes over the field after a summon decides from then on") {
  ActivePersona active;
  active.set_by_event("ada", 1, at(1));
  active.snapshot("ada", 2, at(2));
  CHECK(active.state().source == Source::event);
  active.entry(kNamed, "ada", 3, at(3));
  CHECK(active.state().field_seen);
  active.set_by_event("bob", 4, at(4));
  active.entry(kNamed, std::nullopt, 5, at(5));
  CHECK(active.persona().empty());
}

TEST_CASE("only an entry with a persona shows that the client carries the field") {
  ActivePersona active;
  active.snapshot("ada", 1, at(1));
  active.sync("ada", 2, at(2));
  active.entry(kNamed, "", 3, at(3));
  CHECK_FALSE(active.state().field_seen);
  active.entry(kNamed, "ada", 4, at(4));
  CHECK(active.state().field_seen);
}

TEST_CASE("a hint counts only when nothing newer was said") {
  ActivePersona active;
  active.entry(kNamed, "bob", 10, at(1));
  CHECK_FALSE(active.hint("ada", 9, at(2)));
  CHECK(active.persona() == "bob");
  CHECK(active.hint("ada", 10, at(3)));
  CHECK(active.persona() == "ada");
  CHECK(active.state().source == Source::hint);
  CHECK(active.hint("", 12, at(4)));
  CHECK(active.persona().empty());
  // A refused hint leaves no mark: one that is as old as the last that counted still does.
  CHECK_FALSE(active.hint("old", 11, at(5)));
  CHECK(active.hint("new", 12, at(6)));
}

TEST_CASE("a statement that changes nothing still makes an older hint stale") {
  auto active = with("bob", Source::field, true);
  active.entry(kNamed, "bob", 10, at(1));
  CHECK_FALSE(active.hint("ada", 9, at(2)));
  auto dismissed = with("", Source::field, true);
  dismissed.entry(kNamed, std::nullopt, 10, at(1));
  CHECK_FALSE(dismissed.hint("ada", 9, at(2)));
}

TEST_CASE("a frame that says nothing about the persona does not make a hint stale") {
  ActivePersona active;
  active.entry(kDefault, std::nullopt, 10, at(1));
  active.sync(std::nullopt, 11, at(1));
  active.snapshot(std::nullopt, 12, at(1));
  CHECK(active.hint("ada", 5, at(2)));
  CHECK(active.persona() == "ada");
}

TEST_CASE("a hint of what is known already leaves it set by event") {
  ActivePersona active;
  active.set_by_event("ada", 1, at(1));
  CHECK_FALSE(active.hint("ada", 2, at(2)));
  CHECK(active.state().source == Source::event);
}

TEST_CASE("since is the time of the last change, also of the change to none") {
  ActivePersona active;
  active.entry(kNamed, "ada", 1, at(100));
  active.entry(kNamed, "ada", 2, at(200));
  active.set_by_event("ada", 3, at(300));
  CHECK(active.state().since == 100.0);
  active.set_by_event("", 4, at(400));
  CHECK(active.state().since == 400.0);
  active.entry(kNamed, std::nullopt, 5, at(500));
  CHECK(active.state().since == 400.0);
}

TEST_CASE("the state that is kept across a restart is all there is") {
  ActivePersona before;
  before.entry(kNamed, "ada", 1, at(1));
  before.set_by_event("bob", 2, at(2));
  ActivePersona after(before.state());
  CHECK(after.state() == before.state());
  CHECK(after.entry(kNamed, std::nullopt, 3, at(3)));
  CHECK(after.persona().empty());
}

TEST_CASE("every source has a name and is found by it") {
  for (const auto source : {Source::unknown, Source::field, Source::event, Source::hint}) {
    CHECK(source_named(name(source)) == source);
  }
  CHECK(source_named("nonsense") == Source::unknown);
}

}  // namespace
}  // namespace persona
