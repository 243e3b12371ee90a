#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "bench/bus_connection.hpp"
#include "bench/recall/invented_talk.hpp"

namespace bench {

inline constexpr const char* kTalkPersona = "Ada";

/// A turn that was stored, to be asked about.
struct StoredTurn {
  std::size_t conversation = 0;
  std::string text;
};

/// What a persona remembers of many households: conversations of 100 turns, 100 of them an owner's.
///
/// They are told as a hub hears them: fifty conversations are under way at a time, of different owners where there are
/// several, and each goes on for ten turns a day.
class StoredTalk {
 public:
  explicit StoredTalk(std::size_t turns);

  /// Imports all of it, a few requests on their way at a time; turns a second. Errors: throws when one is refused.
  double import_into(BusConnection& connection);
  /// Those of them that were kept to be asked about, evenly from all of it.
  [[nodiscard]] const std::vector<StoredTurn>& examples() const { return examples_; }

  [[nodiscard]] std::size_t conversations() const { return conversations_; }
  /// The fields of a request that is about a conversation: `"owner":...,"session_id":...,"persona_id":...`.
  [[nodiscard]] std::string fields_of(std::size_t conversation) const;

 private:
  [[nodiscard]] std::string records(std::size_t first, std::size_t day);
  [[nodiscard]] std::string record(std::size_t conversation, std::size_t turn, double timestamp);

  InventedTalk talk_;
  std::size_t conversations_;
  std::size_t owners_;
  std::size_t told_ = 0;
  std::size_t example_every_;
  std::vector<StoredTurn> examples_;
};

}  // namespace bench
