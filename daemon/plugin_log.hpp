#pragma once
#include <array>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <memory>
#include <string>
#include <string_view>

namespace personad {

/// Brings what a plugin's program writes to its standard error into the log, at level debug: it may hold what was said.
///
/// Bounds: `kMaxLineBytes` of a line, `kMaxLines` lines and `kMaxBytes` bytes in each `kPeriod`; beyond these it is not
/// read for a while, and lines are left out. Ownership: its own pending operations. Threading: io thread.
class PluginLog : public std::enable_shared_from_this<PluginLog> {
 public:
  PluginLog(boost::asio::posix::stream_descriptor errors, std::string name);
  void start() { read(); }
  /// The program has ended: what is still in the pipe (no more than a period's worth), and no more.
  void finish();

  static constexpr std::size_t kMaxLineBytes = 1024;
  static constexpr std::size_t kMaxLines = 20;
  static constexpr std::size_t kMaxBytes = 64u << 10;
  static constexpr std::chrono::milliseconds kPeriod{200};

 private:
  void read();
  void take(std::string_view piece);
  void end_line();
  void pause();
  void new_period();

  boost::asio::posix::stream_descriptor errors_;
  boost::asio::steady_timer timer_;
  std::string name_;
  std::array<char, 8192> piece_{};
  std::string line_;
  std::size_t bytes_ = 0;     // read in this period
  std::size_t lines_ = 0;     // written in this period
  std::size_t left_out_ = 0;  // lines
  std::chrono::steady_clock::time_point period_{};
};

}  // namespace personad
