#pragma once
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <chrono>
#include <future>
#include <thread>
#include <type_traits>

namespace tests {

/// An io thread for what is tested, so that the test itself can block on the other side of the socket.
class IoThread {
 public:
  IoThread() : thread_([this] { io_.run(); }) {}
  ~IoThread() { join(); }

  [[nodiscard]] boost::asio::io_context& io() { return io_; }

  /// Runs `work` on the io thread and waits for what it returns.
  template <typename Work>
  auto call(Work work) -> std::invoke_result_t<Work> {
    std::packaged_task<std::invoke_result_t<Work>()> task(std::move(work));
    auto result = task.get_future();
    boost::asio::post(io_, [&task] { task(); });
    return result.get();
  }

  /// Runs `begin(done)` on the io thread and waits until `done` was called; false when it was not in time.
  template <typename Begin>
  bool wait_done(Begin begin, std::chrono::milliseconds timeout = std::chrono::seconds(10)) {
    auto done = std::make_shared<std::promise<void>>();
    auto reached = done->get_future();
    call([&] { begin([done] { done->set_value(); }); });
    return reached.wait_for(timeout) == std::future_status::ready;
  }

  /// Whether `condition`, asked on the io thread, comes true in time.
  template <typename Condition>
  bool eventually(Condition condition, std::chrono::milliseconds timeout = std::chrono::seconds(5)) {
    const auto deadline = std::chrono::steady_clock::now() + timeout;
    while (!call(condition)) {
      if (std::chrono::steady_clock::now() > deadline) return false;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return true;
  }

  /// Lets the thread end once nothing is left to do.
  void join() {
    work_.reset();
    if (thread_.joinable()) thread_.join();
  }

 private:
  boost::asio::io_context io_{1};
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_{io_.get_executor()};
  std::thread thread_;
};

}  // namespace tests
