#include "bus/topics.hpp"

#include <array>

namespace bus {
namespace {

struct Spellings {
  std::string_view legacy;
  std::string_view canonical;
};

constexpr std::array<Spellings, 5> kPairs{{
    {"recognizer_loop:utterance", topic::kUtterance},
    {"speak", topic::kSpeak},
    {"complete_intent_failure", topic::kUnmatched},
    {"mycroft.stop", "ovos.stop"},
    {"speak:b64_audio", "ovos.utterance.speak.b64"},
}};

// Locale-free: what <cctype> takes for a letter depends on the locale.
constexpr bool is_topic_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

}  // namespace

std::string_view canonical(std::string_view topic) noexcept {
  for (const Spellings& pair : kPairs) {
    if (topic == pair.legacy) return pair.canonical;
  }
  return topic;
}

bool has_two_spellings(std::string_view topic) noexcept {
  for (const Spellings& pair : kPairs) {
    if (topic == pair.legacy || topic == pair.canonical) return true;
  }
  return false;
}

bool is_valid_topic(std::string_view topic) noexcept {
  bool segment_empty = true;
  for (const char c : topic) {
    if (c == '.' || c == ':') {
      if (segment_empty) return false;
      segment_empty = true;
    } else if (is_topic_char(c)) {
      segment_empty = false;
    } else {
      return false;
    }
  }
  return !segment_empty;
}

}  // namespace bus
