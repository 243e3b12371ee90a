#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "persona/moment.hpp"

namespace persona {

/// What a session field says: absent, or present with a value (an empty one means "no persona").
using PersonaField = std::optional<std::string_view>;

/// Which persona is active in one conversation, decided by what is heard about it.
///
/// A pure state machine; each event says whether it changed the active persona. The rules differ by who owns the
/// session's state: a named session's client sends all of it with each entry, the local `default` session is merged
/// field by field by the orchestrator. An empty field counts as absent but where a rule says otherwise.
///
/// Threading: none; events in arrival order.
/// Source: OVOS-PERSONA-1 sections 3 to 6, OVOS-SESSION-2 (ownership and merge).
class ActivePersona {
 public:
  /// How the present answer came about.
  enum class Source : std::uint8_t {
    unknown,  ///< nothing was heard yet
    field,    ///< the session's own field
    event,    ///< a summon, a release, or a request to us
    hint,     ///< another service's report of a switch
  };
  enum class Session : std::uint8_t { named, local_default };

  /// All there is to keep across a restart.
  struct State {
    std::string persona;  ///< empty: no persona is active
    Source source = Source::unknown;
    bool field_seen = false;  ///< an entry of this session once carried a persona
    double since = 0;         ///< unix seconds of the last change; 0: never changed
    friend bool operator==(const State&, const State&) = default;
  };

  ActivePersona() = default;
  explicit ActivePersona(State state) : state_(std::move(state)) {}

  /// An entry utterance. Named: present activates; absent dismisses, unless set by event (or hint) in a session whose
  /// entries never carried the field. Default: present activates, empty dismisses, absent changes nothing.
  bool entry(Session session, PersonaField field, Number number, Moment at);
  /// A full snapshot: handled, a dispatch, update_default. Present activates (a persona set by event stays "by event"
  /// when it is the same); absent clears a persona that came from the field, keeps one set by event or hint.
  bool snapshot(PersonaField field, Number number, Moment at);
  /// `ovos.session.sync` with a snapshot: present activates, empty dismisses, absent changes nothing.
  bool sync(PersonaField field, Number number, Moment at);
  /// A summon, or our own activate; an empty id is a release or dismiss.
  bool set_by_event(std::string_view persona, Number number, Moment at);
  /// Another service says it switched (empty: dismissed). `as_of` is the number of the entry whose handling it belongs
  /// to, or its own when that is not known; it counts only when nothing with a higher number was heard.
  bool hint(std::string_view persona, Number as_of, Moment at);

  [[nodiscard]] const std::string& persona() const { return state_.persona; }
  [[nodiscard]] const State& state() const { return state_; }

 private:
  bool become(std::string_view persona, Source source, Number number, Moment at);

  State state_;
  Number stated_ = 0;  // number of the last frame that said anything
};

[[nodiscard]] std::string_view name(ActivePersona::Source source) noexcept;
[[nodiscard]] ActivePersona::Source source_named(std::string_view name) noexcept;

}  // namespace persona
