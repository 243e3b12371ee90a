#pragma once
#include <chrono>
#include <cstdint>
#include <string>

namespace persona {

/// What the store tells the operator: what goes wrong, once a minute at most, and when it works again. No text of a
/// turn.
///
/// Threading: none.
class StoreLog {
 public:
  explicit StoreLog(std::string file) : file_(std::move(file)) {}

  void failed(std::string what);
  void works();
  /// How many heard rows were lost since the start.
  void lost(std::uint64_t so_far);
  void lost_at_close(std::uint64_t rows);
  /// A reader keeps what was erased from leaving the log file.
  void erased_text_stays();

  /// What is wrong; empty: the last write worked.
  [[nodiscard]] const std::string& trouble() const { return trouble_; }

 private:
  using Clock = std::chrono::steady_clock;

  std::string file_;
  std::string trouble_;
  Clock::time_point trouble_told_;
  std::uint64_t lost_told_ = 0;
  Clock::time_point lost_told_at_;
};

}  // namespace persona
