#pragma once
#include <string_view>

// The two spellings of a topic, and the names this project reads and says.
//
// Source: OVOS-MSG-1 (topics), OVOS-PIPELINE-1 (utterance lifecycle); the legacy names are those of Mycroft.
namespace bus {

/// The canonical spelling of `topic`: a legacy name becomes its canonical one, anything else is returned as it is.
[[nodiscard]] std::string_view canonical(std::string_view topic) noexcept;

/// True for a topic that exists in two spellings (either of them), so that it can arrive as a pair of twins.
[[nodiscard]] bool has_two_spellings(std::string_view topic) noexcept;

/// True for ASCII letters, digits and `. : _ -`, with no empty segment: what OVOS-MSG-1 allows as a topic.
[[nodiscard]] bool is_valid_topic(std::string_view topic) noexcept;

namespace topic {
inline constexpr std::string_view kUtterance = "ovos.utterance.handle";
inline constexpr std::string_view kSpeak = "ovos.utterance.speak";
inline constexpr std::string_view kHandled = "ovos.utterance.handled";
inline constexpr std::string_view kCancelled = "ovos.utterance.cancelled";
inline constexpr std::string_view kMatched = "ovos.intent.matched";
inline constexpr std::string_view kUnmatched = "ovos.intent.unmatched";
inline constexpr std::string_view kSessionSync = "ovos.session.sync";
inline constexpr std::string_view kSessionUpdateDefault = "ovos.session.update_default";
inline constexpr std::string_view kSessionRejected = "ovos.session.rejected";
inline constexpr std::string_view kResponseEnable = "skill.converse.get_response.enable";
inline constexpr std::string_view kResponseDisable = "skill.converse.get_response.disable";
inline constexpr std::string_view kSummon = "persona:summon";
inline constexpr std::string_view kRelease = "persona:release";
inline constexpr std::string_view kActivated = "ovos.persona.activated";
inline constexpr std::string_view kDismissed = "ovos.persona.dismissed";
inline constexpr std::string_view kResponseSuffix = ".response";
/// `<skill_id>.converse.get_response`: the legacy delivery of an answer to a skill's own prompt.
inline constexpr std::string_view kGetResponseSuffix = ".converse.get_response";
}  // namespace topic
}  // namespace bus
