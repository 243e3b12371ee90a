#include "daemon/plugin_lines.hpp"

namespace personad {

namespace {
constexpr std::size_t kKeptBytes = 64u << 10;  // of buffer, once a long line is done with
}

void PluginLines::add(std::string_view piece) {
  held_.erase(0, at_);
  searched_ -= at_;
  at_ = 0;
  if (held_.empty() && held_.capacity() > kKeptBytes && piece.size() < kKeptBytes) held_ = std::string();
  held_ += piece;
}

bool PluginLines::next(std::string_view& line) {
  if (too_long_) return false;
  const auto end = held_.find('\n', searched_);
  const auto length = (end == std::string::npos ? held_.size() : end) - at_;
  if (length > most_) {
    too_long_ = true;
    held_ = std::string();
    at_ = searched_ = 0;
    return false;
  }
  searched_ = end == std::string::npos ? held_.size() : end + 1;
  if (end == std::string::npos) return false;
  line = std::string_view(held_).substr(at_, length);
  if (line.ends_with('\r')) line.remove_suffix(1);
  at_ = end + 1;
  return true;
}

}  // namespace personad
