#include "bus/client.hpp"

#include <spdlog/spdlog.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "bus/client_connection.hpp"
#include "bus/outbox.hpp"
#include "bus/sockets.hpp"

namespace bus {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr std::chrono::seconds kDrain{2};
constexpr std::chrono::seconds kBetweenComplaints{10};

}  // namespace

/// The policy of a client: when to connect, what to keep, what to send next.
///
/// Ownership: the Client and the running coroutine. Invariant: `connection_` is set while an attempt runs, `up_` from
/// its success to its end.
class Client::Loop : public std::enable_shared_from_this<Loop> {
 public:
  Loop(net::io_context& io, ClientSettings settings)
      : executor_(io.get_executor()),
        settings_(std::move(settings)),
        backoff_(settings_.backoff, Backoff::random()),
        outbox_(settings_.outbox_bytes),
        pause_(executor_),
        last_call_(executor_) {
    status_.url = settings_.url.text();
  }

  void start(LinkHandlers handlers);
  void send(std::string frame);
  void stop(std::function<void()> done);
  void abandon();
  [[nodiscard]] LinkStatus status() const;

 private:
  Task<void> run();
  Task<std::string> read_to_the_end();
  void came_up();
  void went_down(const std::string& problem, bool was_up);
  void send_next();
  void sent(ClientConnection& connection, const Frame& frame, error_code ec);
  void drop_stale();
  void count_dropped(std::size_t many);
  void finish();

  Executor executor_;
  ClientSettings settings_;
  LinkHandlers handlers_;
  Backoff backoff_;
  Outbox outbox_;
  Frame sending_;  // out of the outbox, and not yet with the kernel; sent again after a reconnect
  Outbox::TimePoint sending_since_;
  bool write_under_way_ = false;
  Timer pause_;
  Timer last_call_;
  std::shared_ptr<ClientConnection> connection_;
  LinkStatus status_;
  bool running_ = false;
  bool stopping_ = false;
  bool abandoned_ = false;
  bool known_to_fail_ = false;
  std::optional<Clock::time_point> last_complaint_;
  std::vector<std::function<void()>> when_stopped_;
};

void Client::Loop::start(LinkHandlers handlers) {
  handlers_ = std::move(handlers);
  running_ = true;
  net::post(executor_, [self = shared_from_this()] {
    net::co_spawn(
        self->executor_, [self] { return self->run(); },
        [self](std::exception_ptr failure) {
          if (failure) std::rethrow_exception(failure);
        });
  });
}

void Client::Loop::send(std::string frame) {
  if (stopping_) return;
  if (!status_.up) drop_stale();
  count_dropped(outbox_.push_dropping_oldest(std::make_shared<const std::string>(std::move(frame)), Clock::now()));
  send_next();
}

void Client::Loop::stop(std::function<void()> done) {
  if (!running_) {
    net::post(executor_, std::move(done));
    return;
  }
  when_stopped_.push_back(std::move(done));
  if (std::exchange(stopping_, true)) return;
  pause_.cancel();
  if (!status_.up) {
    if (connection_) connection_->abort();
    return;
  }
  last_call_.expires_after(kDrain);
  last_call_.async_wait([self = shared_from_this()](error_code ec) {
    if (!ec && self->connection_) self->connection_->abort();
  });
  send_next();
}

void Client::Loop::abandon() {
  abandoned_ = true;
  stopping_ = true;
  pause_.cancel();
  last_call_.cancel();
  if (connection_) connection_->abort();
}

LinkStatus Client::Loop::status() const {
  LinkStatus status = status_;
  status.outbox_bytes = outbox_.bytes() + (sending_ ? sending_->size() : 0);
  return status;
}

Task<void> Client::Loop::run() {
  while (!stopping_) {
    connection_ = settings_.url.tls ? tls_connection(executor_, settings_) : plain_connection(executor_, settings_);
    std::string problem = co_await connection_->open();
    const bool was_up = problem.empty() && !stopping_;
    const auto since = Clock::now();
    if (was_up) {
      came_up();
      problem = co_await read_to_the_end();
    }
    connection_->abort();
    connection_.reset();
    write_under_way_ = false;
    status_.up = false;
    if (stopping_) break;
    went_down(problem, was_up);
    if (stopping_) break;
    const auto up = was_up ? std::chrono::duration_cast<milliseconds>(Clock::now() - since) : milliseconds(0);
    pause_.expires_after(backoff_.after_failure(up));
    co_await pause_.async_wait(kToken);
  }
  finish();
}

Task<std::string> Client::Loop::read_to_the_end() {
  for (;;) {
    std::string_view frame;
    std::string problem = co_await connection_->read(frame);
    if (!problem.empty()) co_return problem;
    ++status_.frames_in;
    if (abandoned_) co_return std::string("abandoned");
    if (handlers_.on_frame) handlers_.on_frame(frame);
  }
}

void Client::Loop::came_up() {
  status_.up = true;
  ++status_.connects;
  known_to_fail_ = false;
  spdlog::info("bus: connected to {}", status_.url);
  drop_stale();
  if (handlers_.on_up) handlers_.on_up();
  send_next();
}

void Client::Loop::went_down(const std::string& problem, bool was_up) {
  const auto level = std::exchange(known_to_fail_, true) ? spdlog::level::debug : spdlog::level::warn;
  spdlog::log(level, "bus: {} {}: {}", was_up ? "lost the connection to" : "cannot connect to", status_.url, problem);
  if (handlers_.on_down) handlers_.on_down(problem);
}

void Client::Loop::send_next() {
  if (!status_.up || write_under_way_) return;
  if (!sending_ && !outbox_.empty()) {
    sending_ = outbox_.front();
    sending_since_ = Clock::now();
    outbox_.pop();
  }
  if (!sending_) {
    if (stopping_) {
      write_under_way_ = true;  // nothing may follow a farewell
      connection_->close();
    }
    return;
  }
  write_under_way_ = true;
  connection_->write(sending_, [self = shared_from_this(), connection = connection_, frame = sending_](error_code ec) {
    self->sent(*connection, frame, ec);
  });
}

void Client::Loop::sent(ClientConnection& connection, const Frame& frame, error_code ec) {
  if (!ec) {
    ++status_.frames_out;
    if (sending_ == frame) sending_.reset();
  }
  if (&connection != connection_.get()) return;
  write_under_way_ = false;
  if (ec) {
    connection.abort();
  } else {
    send_next();
  }
}

void Client::Loop::drop_stale() {
  const auto then = Clock::now() - settings_.stale_after;
  std::size_t dropped = outbox_.drop_older_than(then);
  if (sending_ && !write_under_way_ && sending_since_ < then) {
    sending_.reset();
    ++dropped;
  }
  count_dropped(dropped);
}

void Client::Loop::count_dropped(std::size_t many) {
  if (many == 0) return;
  status_.dropped_out += many;
  const auto now = Clock::now();
  if (last_complaint_ && now - *last_complaint_ < kBetweenComplaints) return;
  last_complaint_ = now;
  spdlog::warn("bus: frames that {} did not take in time are dropped, {} so far", status_.url, status_.dropped_out);
}

void Client::Loop::finish() {
  running_ = false;
  last_call_.cancel();
  handlers_ = {};
  for (auto& done : std::exchange(when_stopped_, {})) {
    if (done) done();
  }
}

Client::Client(net::io_context& io, ClientSettings settings) : loop_(std::make_shared<Loop>(io, std::move(settings))) {}
Client::~Client() {
  loop_->abandon();
}
void Client::start(LinkHandlers handlers) {
  loop_->start(std::move(handlers));
}
void Client::send(std::string frame) {
  loop_->send(std::move(frame));
}
void Client::stop(std::function<void()> done) {
  loop_->stop(std::move(done));
}
LinkStatus Client::status() const {
  return loop_->status();
}

}  // namespace bus
