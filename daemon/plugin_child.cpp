#include "daemon/plugin_child.hpp"

#include <sys/wait.h>

#include <boost/asio/buffer.hpp>
#include <boost/asio/write.hpp>
#include <csignal>
#include <utility>

namespace personad {

namespace asio = boost::asio;
using boost::system::error_code;

namespace {

std::string in_words(int status) {
  if (WIFSIGNALED(status)) return "it was ended by signal " + std::to_string(WTERMSIG(status));
  return "it exited with status " + std::to_string(WEXITSTATUS(status));
}

}  // namespace

boost::system::result<std::shared_ptr<PluginChild>, std::string> PluginChild::start(
    asio::io_context& io, const std::filesystem::path& program, const PluginLimits& limits, Events events) {
  auto launched = launch_plugin(io, program);
  if (!launched) return launched.error();
  auto child =
      std::make_shared<PluginChild>(std::move(*launched), limits, program.filename().string(), std::move(events));
  child->run();
  return child;
}

PluginChild::PluginChild(LaunchedPlugin launched, const PluginLimits& limits, std::string name, Events events)
    : pid_(launched.pid),
      limits_(limits),
      events_(std::move(events)),
      input_(std::move(launched.input)),
      output_(std::move(launched.output)),
      exit_(std::move(launched.exit)),
      timer_(output_.get_executor()),
      log_(std::make_shared<PluginLog>(std::move(launched.errors), std::move(name))),
      lines_(limits.line_bytes) {}

PluginChild::~PluginChild() {
  if (pid_ < 0) return;
  kill(-pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
}

void PluginChild::kill_now() {
  if (pid_ < 0) return;
  kill(-pid_, SIGKILL);
  waitpid(std::exchange(pid_, -1), nullptr, 0);
  ending_ = true;
  close_pipes();
  timer_.cancel();
  log_->finish();
  error_code ignored;
  exit_.close(ignored);
}

void PluginChild::run() {
  log_->start();
  read();
  exit_.async_wait(asio::posix::descriptor_base::wait_read, [self = shared_from_this()](error_code ec) {
    if (!ec && self->pid_ > 0) self->reap();
  });
}

bool PluginChild::write(std::string line) {
  if (ending_ || input_ends_ || queued_ + line.size() > limits_.queue_bytes) return false;
  queued_ += line.size();
  queue_.push_back(std::move(line));
  if (queue_.size() == 1) write_next();
  return true;
}

void PluginChild::write_next() {
  asio::async_write(input_, asio::buffer(queue_.front()), [self = shared_from_this()](error_code ec, std::size_t) {
    if (self->ending_) return;
    if (ec) return self->break_off("it does not read its input: " + ec.message());
    self->queued_ -= self->queue_.front().size();
    self->queue_.pop_front();
    if (!self->queue_.empty()) return self->write_next();
    error_code ignored;
    if (self->input_ends_) self->input_.close(ignored);
  });
}

void PluginChild::close_input() {
  if (ending_ || input_ends_) return;
  input_ends_ = true;
  error_code ignored;
  if (queue_.empty()) input_.close(ignored);
}

void PluginChild::read() {
  output_.async_read_some(asio::buffer(piece_), [self = shared_from_this()](error_code ec, std::size_t size) {
    if (self->ending_) return;
    if (ec == asio::error::eof) return self->break_off("it closed its output");
    if (ec) return self->break_off("its output cannot be read: " + ec.message());
    self->on_read(size);
  });
}

void PluginChild::on_read(std::size_t size) {
  lines_.add({piece_.data(), size});
  std::string_view line;
  while (!ending_ && lines_.next(line)) events_.line(line);
  if (ending_) return;
  if (lines_.too_long())
    return break_off("it wrote a line of more than " + std::to_string(limits_.line_bytes) + " bytes");
  read();
}

void PluginChild::break_off(std::string why) {
  const auto broken = std::exchange(events_.broken, {});
  if (broken) broken(std::move(why));
}

void PluginChild::end() {
  if (ending_ || pid_ < 0) return;
  ending_ = true;
  close_pipes();
  kill(-pid_, SIGTERM);
  timer_.expires_after(limits_.end_time);
  timer_.async_wait([self = shared_from_this()](error_code ec) {
    if (!ec && self->pid_ > 0) kill(-self->pid_, SIGKILL);
  });
}

void PluginChild::close_pipes() {
  error_code ignored;
  input_.close(ignored);
  output_.close(ignored);
}

void PluginChild::reap() {
  // What it left behind in its group goes first: while it is not reaped, nobody else can have that number.
  kill(-pid_, SIGKILL);
  int status = 0;
  waitpid(std::exchange(pid_, -1), &status, 0);
  ending_ = true;
  close_pipes();
  timer_.cancel();
  log_->finish();
  error_code ignored;
  exit_.close(ignored);
  const auto exited = std::exchange(events_, {}).exited;
  if (exited) exited(in_words(status));
}

}  // namespace personad
