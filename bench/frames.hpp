#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

// The messages the benchmarks send: as large as those of a real assistant, with a full session in each.
namespace bench {

/// `{"type":...,"data":...,"context":...}` with a full session of this id; about 1.3 KB with a small `data`.
[[nodiscard]] std::string message(std::string_view type, std::string_view data, std::string_view session_id);

[[nodiscard]] std::string entry(std::string_view session_id, std::string_view text);
[[nodiscard]] std::string speech(std::string_view session_id, std::string_view text);
[[nodiscard]] std::string handled(std::string_view session_id);
/// A frame that nobody reads, of exactly this size where that is possible.
[[nodiscard]] std::string unread(std::size_t bytes);

/// A frame that is sent many times, each time with another `request_id`.
class Question {
 public:
  /// `data` is the inside of an object, without its braces: `"a":1`.
  Question(std::string_view type, std::string_view data, std::string_view session_id);
  [[nodiscard]] std::string_view with_id(std::uint64_t id);
  /// How an answer to it begins.
  [[nodiscard]] const std::string& answer_begins() const { return answer_begins_; }

 private:
  std::string frame_;
  std::size_t id_at_ = 0;
  std::string answer_begins_;
};

/// The id that `Question::with_id` put into a frame; nothing found is 0.
[[nodiscard]] std::uint64_t id_in(std::string_view frame);

}  // namespace bench
