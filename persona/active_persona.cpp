#include "persona/active_persona.hpp"

#include <algorithm>
#include <array>

namespace persona {
namespace {

constexpr std::array<std::string_view, 4> kSources{"unknown", "field", "event", "hint"};

bool says_a_persona(PersonaField field) {
  return field.has_value() && !field->empty();
}

// What a summon or a report set is not undone by a session that merely does not mention it.
bool set_from_outside(ActivePersona::Source source) {
  return source == ActivePersona::Source::event || source == ActivePersona::Source::hint;
}

}  // namespace

bool ActivePersona::entry(Session session, PersonaField field, Number number, Moment at) {
  if (says_a_persona(field)) {
    state_.field_seen = true;
    return become(*field, Source::field, number, at);
  }
  if (session == Session::local_default) {
    return field.has_value() && become({}, Source::field, number, at);
  }
  // A client that never sent the field does not know of it: its silence says nothing about a summon.
  if (set_from_outside(state_.source) && !state_.field_seen) return false;
  return become({}, Source::field, number, at);
}

bool ActivePersona::snapshot(PersonaField field, Number number, Moment at) {
  if (says_a_persona(field)) {
    const bool confirms = state_.source == Source::event && state_.persona == *field;
    return become(*field, confirms ? Source::event : Source::field, number, at);
  }
  return state_.source == Source::field && become({}, Source::field, number, at);
}

bool ActivePersona::sync(PersonaField field, Number number, Moment at) {
  return field.has_value() && become(*field, Source::field, number, at);
}

bool ActivePersona::set_by_event(std::string_view persona, Number number, Moment at) {
  return become(persona, Source::event, number, at);
}

bool ActivePersona::hint(std::string_view persona, Number as_of, Moment at) {
  if (as_of < stated_) return false;
  // A report of what is known already takes nothing from how it came to be known.
  const bool confirms = state_.source != Source::unknown && state_.persona == persona;
  return become(persona, confirms ? state_.source : Source::hint, as_of, at);
}

bool ActivePersona::become(std::string_view persona, Source source, Number number, Moment at) {
  stated_ = std::max(stated_, number);
  state_.source = source;
  if (state_.persona == persona) return false;
  state_.persona = persona;
  state_.since = at.unix_seconds();
  return true;
}

std::string_view name(ActivePersona::Source source) noexcept {
  return kSources[static_cast<std::size_t>(source)];
}

ActivePersona::Source source_named(std::string_view name) noexcept {
  const auto* found = std::find(kSources.begin(), kSources.end(), name);
  if (found == kSources.end()) return ActivePersona::Source::unknown;
  return static_cast<ActivePersona::Source>(found - kSources.begin());
}

}  // namespace persona
