#include "daemon/plugin_log.hpp"

#include <spdlog/spdlog.h>

#include <boost/asio/buffer.hpp>
#include <utility>

namespace personad {

namespace asio = boost::asio;
using boost::system::error_code;

PluginLog::PluginLog(asio::posix::stream_descriptor errors, std::string name)
    : errors_(std::move(errors)), timer_(errors_.get_executor()), name_(std::move(name)) {}

void PluginLog::finish() {
  error_code ec;
  new_period();
  while (!ec && bytes_ < kMaxBytes) {
    const std::size_t size = errors_.read_some(asio::buffer(piece_), ec);
    if (!ec) take({piece_.data(), size});
  }
  if (!line_.empty()) end_line();
  new_period();
  errors_.close(ec);
  timer_.cancel();
}

void PluginLog::read() {
  errors_.async_read_some(asio::buffer(piece_), [self = shared_from_this()](error_code ec, std::size_t size) {
    if (ec) return;  // closed, by it or by us
    self->take({self->piece_.data(), size});
    if (self->bytes_ >= kMaxBytes) return self->pause();
    self->read();
  });
}

void PluginLog::take(std::string_view piece) {
  if (std::chrono::steady_clock::now() - period_ >= kPeriod) new_period();
  bytes_ += piece.size();
  for (const char c : piece) {
    if (c == '\n') {
      end_line();
    } else if (line_.size() < kMaxLineBytes) {
      // Whatever could draw on the terminal that shows the log.
      line_ += static_cast<unsigned char>(c) < ' ' || c == '\x7f' ? ' ' : c;
    }
  }
}

void PluginLog::end_line() {
  if (lines_ < kMaxLines) {
    ++lines_;
    spdlog::debug("memory plugin {} writes: {}", name_, line_);
  } else {
    ++left_out_;
  }
  line_.clear();
}

void PluginLog::pause() {
  timer_.expires_at(period_ + kPeriod);
  timer_.async_wait([self = shared_from_this()](error_code ec) {
    if (ec) return;
    self->new_period();
    self->read();
  });
}

void PluginLog::new_period() {
  if (left_out_ > 0) spdlog::debug("memory plugin {}: {} more lines left out", name_, left_out_);
  period_ = std::chrono::steady_clock::now();
  bytes_ = lines_ = left_out_ = 0;
}

}  // namespace personad
